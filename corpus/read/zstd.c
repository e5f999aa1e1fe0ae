/* zstd.c: see zstd.h. */
#include "corpus/read/zstd.h"

#ifdef BITSIFT_LOAD_LATE

#include <pthread.h>

#include "core/base/library.h"

#define SYMBOL(name) {#name, &bs_zstd.name},

struct bs_zstd bs_zstd;

static enum bs_status outcome;
static struct bs_error why;

static void load(void)
{
	static const struct bs_library_symbol symbols[] = {BS_ZSTD_FUNCTIONS(SYMBOL)};
	outcome = bs_library_load("zstd", BS_ZSTD_SONAME, BS_ZSTD_FOLDER, symbols, sizeof(symbols) / sizeof(*symbols), &why);
}

enum bs_status bs_zstd_load(struct bs_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return outcome ? bs_fail(err, outcome, "%s", why.text) : BS_OK;
}

#else

#define MEMBER(name) .name = name,

const struct bs_zstd bs_zstd = {BS_ZSTD_FUNCTIONS(MEMBER)};

enum bs_status bs_zstd_load(struct bs_error *err)
{
	(void)err;
	return BS_OK;
}

#endif
