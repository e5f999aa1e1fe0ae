/* pulse.c: see pulse.h. */
#include "core/system/pulse.h"

#include "core/system/watch.h"

enum bs_status bs_pulse_add(struct bs_pulse *pulse, uint64_t n, struct bs_error *err)
{
	enum bs_status status = bs_watch_ask(err);
	if (status || !pulse)
		return status;
	uint64_t done = __atomic_add_fetch(&pulse->done, n, __ATOMIC_RELAXED);
	if (pthread_equal(pthread_self(), pulse->owner) && pulse->beat(pulse->context, done, pulse->total) != 0)
		__atomic_store_n(&pulse->is_stopped, true, __ATOMIC_RELAXED);
	if (__atomic_load_n(&pulse->is_stopped, __ATOMIC_RELAXED))
		return bs_fail(err, BS_STOPPED, "stopped; the index is as it was");
	return BS_OK;
}
