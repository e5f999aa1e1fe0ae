/* bitsift.c: what of bitsift.h belongs to no room in particular. */
#include "core/bitsift.h"

#include "core/simd/kernels.h"

#define MAX_KERNELS 8

const char *bs_version(void)
{
	return BS_VERSION;
}

size_t bs_kernel_names(const char **names, size_t capacity)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n = bs_kernel_list(kernels, MAX_KERNELS);
	for (size_t i = 0; i < n && i < capacity; i++)
		names[i] = kernels[i]->name;
	return n;
}
