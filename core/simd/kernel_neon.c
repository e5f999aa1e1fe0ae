/* kernel_neon.c: the kernel for AArch64: four 128-bit registers per line. */
#define KERNEL_NAME neon
#include "core/simd/kernel_body.h"
