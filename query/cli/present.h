/*
 * present.h: hits and statistics as text: lines, JSON, ids. Formats into buffers; cmd_query.c writes them out.
 */
#ifndef BS_QUERY_CLI_PRESENT_H
#define BS_QUERY_CLI_PRESENT_H

#include <stdbool.h>

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "query/search/search.h"

/* {"rank":1,"id":"a.txt","score":1.234567,"path":"a.txt","snippet":"..."} and a line feed. Bytes that are not UTF-8 become
 * U+FFFD; then "id_base64" has the id as it is. */
enum bs_status bs_present_json(const struct bs_search_hit *hit, bool has_score, struct bs_buffer *out,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Text as a JSON string (RFC 8259); invalid UTF-8 becomes U+FFFD, which *valid_out tells. */
enum bs_status bs_present_json_string(const uint8_t *text, size_t text_bytes, struct bs_buffer *out, bool *valid_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* The id, the score and the snippet for a person: two lines and, between hits, none. color: ANSI codes. */
enum bs_status bs_present_text(const struct bs_search_hit *hit, bool color, struct bs_buffer *out, struct bs_error *err)
	BS_WARN_UNUSED;

/* Statistics of many queries, collected one by one. Zero-initialise. */
struct bs_stats_sum {
	uint64_t n_queries;
	struct bs_query_stats sums;
	struct bs_buffer times; /* u64 a query and stage: the stages, then the total */
};
enum bs_status bs_stats_add(struct bs_stats_sum *sum, const struct bs_query_stats *stats, struct bs_error *err)
	BS_WARN_UNUSED;
/* One JSON object and a line feed. */
enum bs_status bs_stats_json(struct bs_stats_sum *sum, struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;
void bs_stats_deinit(struct bs_stats_sum *sum);

#endif
