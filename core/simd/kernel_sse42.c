/* kernel_sse42.c: the kernels for x86-64-v2: four 128-bit registers a line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME sse42
#include "core/simd/kernel_body.h"
