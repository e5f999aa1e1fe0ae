/* kernel_avx512.c: the kernel for x86-64-v4 with VPOPCNTDQ: one register per line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME avx512
#include "core/simd/kernel_body.h"
