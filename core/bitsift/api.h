/* api.h: how the public headers declare functions. Part of the public interface; every public
 * header includes it, and so has bool, size_t and the integer types; private headers have them from
 * core/base/error.h. */
#ifndef BITSIFT_API_H
#define BITSIFT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Around declarations: C++ uses them as those of C functions. */
#ifdef __cplusplus
#define BS_BEGIN_DECLS extern "C" {
#define BS_END_DECLS   }
#else
#define BS_BEGIN_DECLS
#define BS_END_DECLS
#endif

#if defined(__GNUC__)
#define BS_API         __attribute__((visibility("default")))
#define BS_WARN_UNUSED __attribute__((warn_unused_result))
#define BS_PRINTF(format_index, args_index) \
	__attribute__((format(printf, format_index, args_index)))
#else
#define BS_API
#define BS_WARN_UNUSED
#define BS_PRINTF(format_index, args_index)
#endif

#endif
