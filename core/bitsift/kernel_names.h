/*
 * kernel_names.h: the SIMD code of this machine. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_KERNEL_NAMES_H
#define BITSIFT_KERNEL_NAMES_H

#include "api.h"

BS_BEGIN_DECLS

/* A kernel is the SIMD code for one instruction set. Writes the names of the kernels that this
 * machine can run to `names`, best first, but at most `capacity` of them, and returns how many
 * there are, at least 1. The strings have static storage. names may be NULL if capacity is 0. */
BS_API size_t bs_kernel_names(const char **names, size_t capacity);

BS_END_DECLS
#endif
