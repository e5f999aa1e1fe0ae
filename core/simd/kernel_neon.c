/* kernel_neon.c: the kernel for AArch64: four 128-bit registers per line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME neon
#include "core/simd/kernel_body.h"
