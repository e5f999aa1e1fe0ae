/* stemmer.h: Snowball's stemmers, loaded when first needed (library.h). As icu.h, but for an analyzer that stems. */
#ifndef BS_CORE_BASE_STEMMER_H
#define BS_CORE_BASE_STEMMER_H

#include <libstemmer.h>

#include "core/base/status.h"

#define BS_STEMMER_FUNCTIONS(each) \
	each(sb_stemmer_delete) each(sb_stemmer_length) each(sb_stemmer_list) each(sb_stemmer_new) each(sb_stemmer_stem)

struct bs_stemmer {
#define BS_STEMMER_MEMBER(name) __typeof__(name) *name;
	BS_STEMMER_FUNCTIONS(BS_STEMMER_MEMBER)
#undef BS_STEMMER_MEMBER
};

#ifdef BITSIFT_LOAD_LATE
extern struct bs_stemmer bs_stemmer;
#else
extern const struct bs_stemmer bs_stemmer;
#endif

/* Once is enough, more do no harm. BS_UNSUPPORTED, each time. Any number of threads. */
enum bs_status bs_stemmer_load(struct bs_error *err) BS_WARN_UNUSED;

#endif
