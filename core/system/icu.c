/* icu.c: see icu.h. */
#include "core/system/icu.h"

BS_LIBRARY_DEFINE(bs_icu, "ICU", BS_ICU_SONAME, BS_ICU_FOLDER, BS_ICU_FUNCTIONS)
