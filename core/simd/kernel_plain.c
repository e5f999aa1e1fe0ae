/* kernel_plain.c: the kernel without SIMD, which the others are compared with. Flags:
 * core/CMakeLists.txt. */
#define SIMDE_NO_NATIVE
#define KERNEL_NAME plain
#include "core/simd/kernel_body.h"
