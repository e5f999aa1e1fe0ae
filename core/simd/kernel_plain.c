/* kernel_plain.c: the kernel without SIMD. Tests compare the other kernels with it. Flags:
 * core/CMakeLists.txt. */
#define SIMDE_NO_NATIVE
#define KERNEL_NAME plain
#include "core/simd/kernel_body.h"
