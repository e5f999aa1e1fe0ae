/* api.h: macros for declarations. Part of the public interface: every public header includes it. It
 * also provides bool, size_t and the integer types. Private headers include core/base/error.h
 * instead. */
#ifndef BITSIFT_API_H
#define BITSIFT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* BS_BEGIN_DECLS and BS_END_DECLS enclose the declarations of a header. In C++ they give these
 * declarations C linkage. */
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
