/* bitsift.c: the version of the library. */
#include "core/bitsift.h"

const char *bs_version(void)
{
	return BS_VERSION;
}
