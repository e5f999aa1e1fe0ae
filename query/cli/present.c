/* present.c: see present.h. */
#include "query/cli/present.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/visible.h"

static enum bs_status print(struct bs_buffer *out, struct bs_error *err, const char *format, ...) BS_PRINTF(3, 4);

static enum bs_status print(struct bs_buffer *out, struct bs_error *err, const char *format, ...)
{
	char line[256];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return bs_buffer_append(out, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1, err);
}

/* ---- JSON ---- */

enum bs_status bs_present_json_string(const uint8_t *text, size_t text_bytes, struct bs_buffer *out, bool *valid_out,
                                      struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(out, "\"", 1, err);
	*valid_out = true;
	for (size_t at = 0; at < text_bytes && !status;) {
		size_t start = at;
		int32_t c = bs_visible_next(text, text_bytes, &at);
		if (c < 0) {
			*valid_out = false;
			status = bs_visible_append(out, c, err);
		} else if (c == '"' || c == '\\') {
			status = print(out, err, "\\%c", (char)c);
		} else if (bs_visible_is_obeyed(c)) {
			status = c == '\n' ? print(out, err, "\\n")
			                   : (c == '\t' ? print(out, err, "\\t") : print(out, err, "\\u%04x", (unsigned)c));
		} else {
			status = bs_buffer_append(out, text + start, at - start, err);
		}
	}
	return status ? status : bs_buffer_append(out, "\"", 1, err);
}

/* RFC 4648, with padding. */
static enum bs_status base64(const uint8_t *bytes, size_t n_bytes, struct bs_buffer *out, struct bs_error *err)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_bytes && !status; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16;
		word |= i + 1 < n_bytes ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= i + 2 < n_bytes ? bytes[i + 2] : 0;
		char quad[4] = {digits[word >> 18], digits[word >> 12 & 63], i + 1 < n_bytes ? digits[word >> 6 & 63] : '=',
		                i + 2 < n_bytes ? digits[word & 63] : '='};
		status = bs_buffer_append(out, quad, sizeof(quad), err);
	}
	return status;
}

enum bs_status bs_present_json(const struct bs_search_hit *hit, bool has_score, struct bs_buffer *out,
                               struct bs_error *err)
{
	bool id_is_valid, is_valid;
	enum bs_status status = print(out, err, "{");
	if (!status && hit->rank > 0)
		status = print(out, err, "\"rank\":%zu,", hit->rank);
	if (!status)
		status = print(out, err, "\"id\":");
	if (!status)
		status = bs_present_json_string(hit->id, hit->id_bytes, out, &id_is_valid, err);
	if (!status && !id_is_valid) {
		status = print(out, err, ",\"id_base64\":\"");
		if (!status)
			status = base64(hit->id, hit->id_bytes, out, err);
		if (!status)
			status = print(out, err, "\"");
	}
	if (!status && has_score)
		status = print(out, err, ",\"score\":%.9f", hit->score);
	if (!status)
		status = print(out, err, ",\"path\":");
	if (!status)
		status = bs_present_json_string((const uint8_t *)hit->path, strlen(hit->path), out, &is_valid, err);
	if (!status && hit->rank > 0) {
		status = print(out, err, ",\"snippet\":");
		if (!status)
			status = bs_present_json_string(hit->snippet, hit->snippet_bytes, out, &is_valid, err);
	}
	return status ? status : print(out, err, "}\n");
}

/* ---- text ---- */

/* A character of a snippet: it has no control characters but those that mark words, and may have marks of direction. */
static enum bs_status append_shown(const struct bs_search_hit *hit, size_t *at, struct bs_buffer *out, struct bs_error *err)
{
	size_t from = *at;
	int32_t c = bs_visible_next(hit->snippet, hit->snippet_bytes, at);
	if (c >= 0x80 && bs_visible_is_obeyed(c))
		return bs_visible_append(out, -1, err);
	return bs_buffer_append(out, hit->snippet + from, *at - from, err);
}

enum bs_status bs_present_text(const struct bs_search_hit *hit, bool color, struct bs_buffer *out, struct bs_error *err)
{
	enum bs_status status = color ? print(out, err, "\033[35m") : BS_OK;
	if (!status)
		status = bs_visible_append_text(out, hit->id, hit->id_bytes, err);
	if (!status)
		status = print(out, err, color ? "\033[0m  \033[2m%.4f\033[0m\n" : "  %.4f\n", hit->score);
	if (!status && hit->snippet_bytes > 0) {
		status = print(out, err, "    ");
		for (size_t at = 0; at < hit->snippet_bytes && !status;)
			status = append_shown(hit, &at, out, err);
		if (!status)
			status = print(out, err, "\n");
	}
	return status;
}

/* ---- statistics ---- */

#define TIMES_A_QUERY (BS_STAGES + 1)

enum bs_status bs_stats_add(struct bs_stats_sum *sum, const struct bs_query_stats *stats, struct bs_error *err)
{
	uint64_t times[TIMES_A_QUERY];
	memcpy(times, stats->stage_ns, sizeof(stats->stage_ns));
	times[BS_STAGES] = stats->total_ns;
	sum->n_queries++;
	sum->sums.lines_read += stats->lines_read;
	sum->sums.document_lines += stats->document_lines;
	sum->sums.blocks_live += stats->blocks_live;
	sum->sums.candidates += stats->candidates;
	sum->sums.blocks_skipped += stats->blocks_skipped;
	sum->sums.blocks_weighed += stats->blocks_weighed;
	sum->sums.blocks_dropped += stats->blocks_dropped;
	sum->sums.scored += stats->scored;
	sum->sums.verified += stats->verified;
	sum->sums.hits += stats->hits;
	sum->sums.false_positives += stats->false_positives;
	sum->sums.bytes_verified += stats->bytes_verified;
	return bs_buffer_append(&sum->times, times, sizeof(times), err);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* The smallest time that a share p of the queries do not exceed (nearest rank). */
static double percentile_us(const uint64_t *sorted, uint64_t n, double p)
{
	uint64_t rank = (uint64_t)(p * (double)n);
	if ((double)rank < p * (double)n)
		rank++;
	return n ? (double)sorted[rank > 0 ? rank - 1 : 0] / 1e3 : 0;
}

static enum bs_status print_times(const struct bs_stats_sum *sum, size_t which, const char *name,
                                  struct bs_buffer *out, struct bs_error *err)
{
	const uint64_t *all = (const uint64_t *)(const void *)sum->times.data;
	uint64_t n = sum->n_queries;
	double mean = 0;
	uint64_t *sorted = malloc((n ? n : 1) * sizeof(*sorted));
	if (!sorted)
		return bs_fail_memory(err, "statistics", n * sizeof(*sorted));
	for (uint64_t i = 0; i < n; i++) {
		sorted[i] = all[i * TIMES_A_QUERY + which];
		mean += (double)sorted[i] / 1e3 / (double)n;
	}
	qsort(sorted, n, sizeof(*sorted), compare_u64);
	enum bs_status status = print(out, err, ",\"%s\":{\"p50_us\":%.3f,\"p95_us\":%.3f,\"mean_us\":%.3f}", name,
	                              percentile_us(sorted, n, 0.5), percentile_us(sorted, n, 0.95), mean);
	free(sorted);
	return status;
}

enum bs_status bs_stats_json(struct bs_stats_sum *sum, struct bs_buffer *out, struct bs_error *err)
{
	static const char *const names[TIMES_A_QUERY] = {
		[BS_STAGE_PARSE] = "parse", [BS_STAGE_PLAN] = "plan",     [BS_STAGE_SCAN] = "scan",
		[BS_STAGE_RANK] = "rank",   [BS_STAGE_VERIFY] = "verify", [BS_STAGES] = "total",
	};
	const struct bs_query_stats *sums = &sum->sums;
	enum bs_status status = print(out, err, "{\"queries\":%" PRIu64, sum->n_queries);
	if (!status)
		status = print_times(sum, BS_STAGES, names[BS_STAGES], out, err);
	for (size_t stage = 0; stage < BS_STAGES && !status; stage++)
		status = print_times(sum, stage, names[stage], out, err);
	if (!status)
		status = print(out, err, ",\"lines_read\":%" PRIu64 ",\"document_lines\":%" PRIu64 ",\"blocks_live\":%" PRIu64
		               ",\"candidates\":%" PRIu64, sums->lines_read, sums->document_lines, sums->blocks_live,
		               sums->candidates);
	if (!status)
		status = print(out, err, ",\"blocks_skipped\":%" PRIu64 ",\"blocks_weighed\":%" PRIu64 ",\"blocks_dropped\":%" PRIu64
		               ",\"scored\":%" PRIu64, sums->blocks_skipped, sums->blocks_weighed, sums->blocks_dropped,
		               sums->scored);
	if (!status)
		status = print(out, err, ",\"verified\":%" PRIu64 ",\"hits\":%" PRIu64 ",\"false_positives\":%" PRIu64
		               ",\"bytes_verified\":%" PRIu64 "}\n", sums->verified, sums->hits, sums->false_positives,
		               sums->bytes_verified);
	return status;
}

void bs_stats_deinit(struct bs_stats_sum *sum)
{
	bs_buffer_deinit(&sum->times);
}
