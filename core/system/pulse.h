/*
 * pulse.h: long work that says how far it is, and asks whether to go on. Whoever starts the work owns the pulse; any
 * thread counts what it has done, but only the owner's asks, and all of them hear the answer.
 */
#ifndef BS_CORE_SYSTEM_PULSE_H
#define BS_CORE_SYSTEM_PULSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

struct bs_pulse {
	/* On the owner's thread, often; anything but 0 stops the work. total 0: not known. */
	int (*beat)(void *context, uint64_t done, uint64_t total);
	void *context;
	pthread_t owner;
	uint64_t done, total;
	bool is_stopped;
};

/* So much more is done. BS_STOPPED, BS_DEADLINE: the work is to end (watch.h asks, too). pulse may be NULL. */
enum bs_status bs_pulse_add(struct bs_pulse *pulse, uint64_t n, struct bs_error *err) BS_WARN_UNUSED;

#endif
