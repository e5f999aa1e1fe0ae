/* kernel_avx512.c: the kernels for x86-64-v4 with VPOPCNTDQ: one register a line. Flags:
 * core/CMakeLists.txt. */
#define KERNEL_NAME avx512
#include "core/simd/kernel_body.h"
