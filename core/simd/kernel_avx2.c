/* kernel_avx2.c: the kernels for x86-64-v3: two 256-bit registers a line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME avx2
#include "core/simd/kernel_body.h"
