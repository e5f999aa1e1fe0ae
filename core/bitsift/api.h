/* api.h: how the public headers declare functions. Part of the public interface; every public header includes it. */
#ifndef BITSIFT_API_H
#define BITSIFT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BS_API         __attribute__((visibility("default")))
#define BS_WARN_UNUSED __attribute__((warn_unused_result))
#define BS_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#else
#define BS_API
#define BS_WARN_UNUSED
#define BS_PRINTF(format_index, args_index)
#endif

#endif
