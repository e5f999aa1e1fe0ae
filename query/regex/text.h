/* text.h: text put together piece by piece. */
#ifndef BS_QUERY_REGEX_TEXT_H
#define BS_QUERY_REGEX_TEXT_H

#include <string.h>

#include "core/base/buffer.h"

/* Sticky: after the first failure nothing more is put. */
struct bs_text_writer {
	struct bs_buffer *out;
	enum bs_status status; /* BS_NO_MEMORY */
	struct bs_error *err;
};

static inline void bs_text_put(struct bs_text_writer *writer, const void *bytes, size_t n_bytes)
{
	if (!writer->status)
		writer->status = bs_buffer_append(writer->out, bytes, n_bytes, writer->err);
}

static inline void bs_text_put_string(struct bs_text_writer *writer, const char *string)
{
	bs_text_put(writer, string, strlen(string));
}

#endif
