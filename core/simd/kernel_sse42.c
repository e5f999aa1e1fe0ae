/* kernel_sse42.c: the kernel for x86-64-v2: four 128-bit registers per line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME sse42
#include "core/simd/kernel_body.h"
