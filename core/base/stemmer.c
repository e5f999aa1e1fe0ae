/* stemmer.c: see stemmer.h. */
#include "core/base/stemmer.h"

BS_LIBRARY_DEFINE(bs_stemmer, "Snowball", BS_STEMMER_SONAME, BS_STEMMER_FOLDER, BS_STEMMER_FUNCTIONS)
