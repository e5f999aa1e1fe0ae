/* kernel_plain.c: the kernels without any SIMD: the version the others are compared with. Flags:
 * core/CMakeLists.txt. */
#define SIMDE_NO_NATIVE
#define KERNEL_NAME plain
#include "core/simd/kernel_body.h"
