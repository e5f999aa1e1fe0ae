/* stemmer.h: Snowball's stemmers, loaded when first needed (library.h). As icu.h, but for an analyzer that stems. */
#ifndef BS_CORE_BASE_STEMMER_H
#define BS_CORE_BASE_STEMMER_H

#include <libstemmer.h>

#include "core/base/library.h"

#define BS_STEMMER_FUNCTIONS(each) \
	each(sb_stemmer_delete) each(sb_stemmer_length) each(sb_stemmer_list) each(sb_stemmer_new) each(sb_stemmer_stem)

BS_LIBRARY_TABLE(bs_stemmer, BS_STEMMER_FUNCTIONS);

#endif
