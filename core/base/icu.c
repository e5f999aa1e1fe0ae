/* icu.c: see icu.h. */
#include "core/base/icu.h"

#ifdef BITSIFT_LOAD_LATE

#include <pthread.h>

#include "core/base/library.h"

#define TEXT_OF(name)  #name
#define TEXT(name)     TEXT_OF(name)
#define SYMBOL(name)   {TEXT(name), &bs_icu.name},

struct bs_icu bs_icu;

static enum bs_status outcome;
static struct bs_error why;

static void load(void)
{
	static const struct bs_library_symbol symbols[] = {BS_ICU_FUNCTIONS(SYMBOL)};
	outcome = bs_library_load("ICU", BS_ICU_SONAME, BS_ICU_FOLDER, symbols, sizeof(symbols) / sizeof(*symbols), &why);
}

enum bs_status bs_icu_load(struct bs_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return outcome ? bs_fail(err, outcome, "%s", why.text) : BS_OK;
}

#else

#define MEMBER(name) .name = name,

const struct bs_icu bs_icu = {BS_ICU_FUNCTIONS(MEMBER)};

enum bs_status bs_icu_load(struct bs_error *err)
{
	(void)err;
	return BS_OK;
}

#endif
