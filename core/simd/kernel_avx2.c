/* kernel_avx2.c: the kernel for AVX2 (x86-64-v3): two 256-bit registers per line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME avx2
#include "core/simd/kernel_body.h"
