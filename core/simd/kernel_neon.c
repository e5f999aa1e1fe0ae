/* kernel_neon.c: the kernels for AArch64: four 128-bit registers a line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME neon
#include "core/simd/kernel_body.h"
