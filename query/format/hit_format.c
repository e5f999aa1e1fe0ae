/* hit_format.c: see hit_format.h. */
#include "query/format/hit_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/catalog.h"
#include "core/bitsift/escape.h"
#include "query/options/command_line.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD. */

/* Writes the characters from `at` on up to the first that may need an escape, and returns its
 * offset. */
static size_t put_plain(const char *text, size_t text_bytes, size_t at, FILE *out)
{
	size_t start = at;
	while (at < text_bytes && text[at] >= ' ' && text[at] < 0x7f && text[at] != '"' &&
	       text[at] != '\\')
		at++;
	if (at > start)
		fwrite(text + start, 1, at - start, out);
	return at;
}

bool bs_format_json_string(const char *text, size_t text_bytes, FILE *out)
{
	bool is_valid = true;
	putc('"', out);
	for (size_t at = 0; (at = put_plain(text, text_bytes, at, out)) < text_bytes;) {
		size_t start = at;
		int32_t c = bs_utf8_next((const uint8_t *)text, text_bytes, &at);
		is_valid &= c >= 0;
		if (c < 0)
			fputs(REPLACEMENT, out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else if (c == '\n' || c == '\t')
			fputs(c == '\n' ? "\\n" : "\\t", out);
		else if (bs_is_terminal_control(c))
			fprintf(out, "\\u%04x", (unsigned)c);
		else
			fwrite(text + start, 1, at - start, out);
	}
	putc('"', out);
	return is_valid;
}

/* Prints base64 (RFC 4648), with padding. */
static void base64(const char *text, size_t n_bytes, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *bytes = (const uint8_t *)text;
	for (size_t i = 0; i < n_bytes; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16;
		word |= i + 1 < n_bytes ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= i + 2 < n_bytes ? bytes[i + 2] : 0;
		fprintf(out, "%c%c%c%c", digits[word >> 18], digits[word >> 12 & 63],
		        i + 1 < n_bytes ? digits[word >> 6 & 63] : '=',
		        i + 2 < n_bytes ? digits[word & 63] : '=');
	}
}

static void begin_json(const char *query, size_t query_bytes, FILE *out)
{
	putc('{', out);
	if (!query)
		return;
	fputs("\"query\":", out);
	(void)bs_format_json_string(query, query_bytes, out);
	putc(',', out);
}

void bs_format_json_count(uint64_t n_hits, const char *query, size_t query_bytes, FILE *out)
{
	begin_json(query, query_bytes, out);
	fprintf(out, "\"count\":%" PRIu64 "}\n", n_hits);
}

void bs_format_json_error(const struct bs_error *err, const char *query, size_t query_bytes,
                          FILE *out)
{
	begin_json(query, query_bytes, out);
	fputs("\"error\":", out);
	(void)bs_format_json_string(err->text, strlen(err->text), out);
	fputs("}\n", out);
}

static void put_place(const struct bs_passage *passage, FILE *out)
{
	if (passage->field_bytes > 0) {
		fputs("\"field\":", out);
		(void)bs_format_json_string(passage->field, passage->field_bytes, out);
		putc(',', out);
	}
	fprintf(out,
	        "\"line\":%" PRIu64 ",\"column\":%" PRIu64 ",\"start\":%" PRIu64
	        ",\"stop\":%" PRIu64,
	        passage->line, passage->column, passage->start_byte, passage->stop_byte);
}

static void put_passages(const struct bs_hit *hit, FILE *out)
{
	fputs(",\"passages\":[", out);
	for (size_t i = 0; i < hit->n_passages; i++) {
		fputs(i > 0 ? ",{" : "{", out);
		put_place(&hit->passages[i], out);
		fputs(",\"text\":", out);
		(void)bs_format_json_string(hit->passages[i].text, hit->passages[i].text_bytes,
		                            out);
		putc('}', out);
	}
	putc(']', out);
}

/* Prints "KEY":"..."; if text is invalid UTF-8, then also "KEY_base64":"...". */
static void put_name(const char *key, const char *text, size_t text_bytes, FILE *out)
{
	fprintf(out, "\"%s\":", key);
	if (bs_format_json_string(text, text_bytes, out))
		return;
	fprintf(out, ",\"%s_base64\":\"", key);
	base64(text, text_bytes, out);
	putc('"', out);
}

void bs_format_json(const struct bs_hit *hit, const char *index, bool is_sorted, const char *query,
                    size_t query_bytes, FILE *out)
{
	begin_json(query, query_bytes, out);
	if (index) {
		put_name("index", index, strlen(index), out);
		putc(',', out);
	}
	if (hit->rank > 0)
		fprintf(out, "\"rank\":%" PRIu64 ",", hit->rank);
	put_name("id", hit->id, hit->id_bytes, out);
	const char *quote = hit->is_date ? "\"" : "";
	if (is_sorted)
		fprintf(out, ",\"value\":%s%s%s", quote, hit->value ? hit->value : "null", quote);
	else if (hit->rank > 0)
		fprintf(out, ",\"score\":%.9f", hit->score);
	putc(',', out);
	put_name("path", hit->path, strlen(hit->path), out);
	if (hit->rank > 0 && hit->best.line > 0) {
		putc(',', out);
		put_place(&hit->best, out);
	}
	if (hit->rank > 0 && hit->snippet) {
		fputs(",\"snippet\":", out);
		(void)bs_format_json_string(hit->snippet, hit->snippet_bytes, out);
		put_passages(hit, out);
	}
	if (hit->is_changed)
		fputs(",\"changed\":true", out);
	fputs("}\n", out);
}

void bs_format_escaped(const char *text, size_t text_bytes, FILE *out)
{
	char shown[BS_MAX_ESCAPE_BYTES + 1];
	for (size_t at = 0; (at = put_plain(text, text_bytes, at, out)) < text_bytes;) {
		size_t n = bs_escape_next((const uint8_t *)text, text_bytes, &at, shown);
		fwrite(shown, 1, n, out);
	}
}

void bs_format_exact(const char *text, size_t text_bytes, bool is_terminal, FILE *out)
{
	if (is_terminal)
		bs_format_escaped(text, text_bytes, out);
	else
		fwrite(text, 1, text_bytes, out);
}

void bs_format_printable(const char *text, size_t text_bytes, bool has_marks, FILE *out)
{
	for (size_t at = 0; (at = put_plain(text, text_bytes, at, out)) < text_bytes;) {
		size_t start = at;
		int32_t c = bs_utf8_next((const uint8_t *)text, text_bytes, &at);
		if (c < 0 || (bs_is_terminal_control(c) && !(has_marks && c < 0x80)))
			fputs(REPLACEMENT, out);
		else
			fwrite(text + start, 1, at - start, out);
	}
}

void bs_format_text(const struct bs_hit *hit, const char *index, bool is_sorted, bool color,
                    FILE *out)
{
	fputs(color ? "\033[35m" : "", out);
	bs_format_printable(hit->local_id, hit->local_id_bytes, false, out);
	fputs(color ? "\033[0m  \033[2m" : "  ", out);
	if (is_sorted)
		fputs(hit->value ? hit->value : "-", out);
	else
		fprintf(out, "%.4f", hit->score);
	if (index) {
		fputs("  ", out);
		bs_format_printable(index, strlen(index), false, out);
	}
	fputs(color ? "\033[0m\n" : "\n", out);
	for (const char *at = hit->snippet ? hit->snippet : "", *end = at + hit->snippet_bytes,
	                *stop;
	     at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		fprintf(out, "%*s", BS_FORMAT_INDENT, "");
		bs_format_printable(at, (size_t)(stop - at), true, out);
		putc('\n', out);
	}
}

/* The names that a format may have in braces. */
enum part {
	PART_PATH,
	PART_ID,
	PART_SCORE,
	PART_RANK,
	PART_VALUE,
	PART_INDEX,
	/* The parts from here on describe the best passage, those above the hit. */
	PART_LINE,
	PART_COLUMN,
	PART_START,
	PART_STOP,
	PART_FIELD,
	PART_TEXT,
	PARTS
};
static const char *const part_names[PARTS] = {
	"path", "id",     "score", "rank", "value", "index",
	"line", "column", "start", "stop", "field", "text",
};

/* Reads the next part of a format, and returns the rest. For plain text, *part_out is PARTS, and
 * *byte_out is its next byte. Returns NULL if the part is invalid. */
static const char *next_part(const char *at, enum part *part_out, char *byte_out)
{
	static const char escapes[] = "n\nt\t0\0\\\\";
	*part_out = PARTS;
	*byte_out = *at;
	if (*at == '{' && at[1] == '{')
		return at + 2;
	if (*at == '{') {
		size_t n_bytes = strcspn(at + 1, "}");
		for (*part_out = 0; *part_out < PARTS; ++*part_out)
			if (strlen(part_names[*part_out]) == n_bytes &&
			    memcmp(part_names[*part_out], at + 1, n_bytes) == 0)
				return at[n_bytes + 1] ? at + n_bytes + 2 : NULL;
		return NULL;
	}
	if (*at != '\\')
		return at + 1;
	for (size_t i = 0; i < sizeof(escapes) - 1; i += 2) {
		*byte_out = escapes[i + 1];
		if (at[1] == escapes[i])
			return at + 2;
	}
	return NULL;
}

enum bs_status bs_format_check_format(const char *format, bool has_index, bool is_sorted,
                                      bool *has_places_out, struct bs_error *err)
{
	*has_places_out = false;
	for (const char *at = format, *next; *at; at = next) {
		enum part part;
		char byte;
		next = next_part(at, &part, &byte);
		if (!next && *at == '\\')
			return bs_fail(err, BS_INVALID,
			               "--format: %.2s is not one of \\n, \\t, \\0 and \\\\", at);
		if (!next)
			return bs_fail(err, BS_INVALID,
			               "--format: %.*s is not one of {path}, {id}, {score}, "
			               "{rank}, {value}, {index}, {line}, {column}, "
			               "{start}, {stop}, {field} and {text}; a brace is {{",
			               (int)strcspn(at, "}") + (strchr(at, '}') != NULL), at);
		if (part == PART_VALUE && !is_sorted)
			return bs_fail(err, BS_INVALID,
			               "--format: {value} is the value of the sort field; add "
			               "--sort FIELD");
		if (part == PART_INDEX && !has_index)
			return bs_fail(err, BS_INVALID,
			               "--format: {index} is the name of an index of a --catalog");
		*has_places_out |= part >= PART_LINE && part < PARTS;
	}
	return BS_OK;
}

static void put_part(const struct bs_hit *hit, const char *index, enum part part, bool is_terminal,
                     FILE *out)
{
	const struct bs_passage *best = &hit->best;
	const uint64_t numbers[PARTS] = {[PART_RANK] = hit->rank,
	                                 [PART_LINE] = best->line,
	                                 [PART_COLUMN] = best->column,
	                                 [PART_START] = best->start_byte,
	                                 [PART_STOP] = best->stop_byte};
	if (part == PART_PATH)
		bs_format_exact(hit->path, strlen(hit->path), is_terminal, out);
	else if (part == PART_ID)
		bs_format_exact(hit->id, hit->id_bytes, is_terminal, out);
	else if (part == PART_INDEX)
		bs_format_exact(index, strlen(index), is_terminal, out);
	else if (part == PART_FIELD)
		bs_format_exact(best->field, best->field_bytes, is_terminal, out);
	else if (part == PART_TEXT)
		bs_format_printable(best->text, best->text_bytes, false, out);
	else if (part == PART_VALUE)
		fputs(hit->value ? hit->value : "", out);
	else if (part == PART_SCORE)
		fprintf(out, "%.9f", hit->score);
	else
		fprintf(out, "%" PRIu64, numbers[part]);
}

void bs_format_template(const struct bs_hit *hit, const char *index, const char *format,
                        bool is_terminal, FILE *out)
{
	enum part part = PARTS;
	char byte = ' ';
	for (const char *at = format; *at;) {
		at = next_part(at, &part, &byte);
		if (part < PARTS)
			put_part(hit, index, part, is_terminal, out);
		else
			putc(byte, out);
	}
	if (part < PARTS || (byte != '\n' && byte != '\0'))
		putc('\n', out);
}

/* Prints a column of a trec run. White space in it is escaped, because white space separates
 * columns. */
static void put_column(const char *text, size_t text_bytes, FILE *out)
{
	for (size_t i = 0; i < text_bytes; i++)
		if (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))
			fprintf(out, "%%%02X", (unsigned)text[i]);
		else
			putc(text[i], out);
}

void bs_format_trec(const struct bs_hit *hit, const char *index, const char *query_id,
                    size_t query_id_bytes, FILE *out)
{
	put_column(query_id, query_id_bytes, out);
	fputs(hit->local_id_bytes > 0 || index ? " Q0 " : " Q0 %", out);
	if (index) {
		put_column(index, strlen(index), out);
		putc(':', out);
	}
	put_column(hit->local_id, hit->local_id_bytes, out);
	fprintf(out, " %" PRIu64 " %.9f bitsift\n", hit->rank, hit->score);
}

/* The counters in the JSON of statistics: the name, and the offset in struct bs_query_stats. */
static const struct {
	const char *name;
	size_t offset;
} counters[] = {
	{"lines_read", offsetof(struct bs_query_stats, scan.lines_read)},
	{"document_lines", offsetof(struct bs_query_stats, scan.document_lines)},
	{"asked", offsetof(struct bs_query_stats, scan.asked)},
	{"blocks_live", offsetof(struct bs_query_stats, scan.blocks_live)},
	{"candidates", offsetof(struct bs_query_stats, scan.candidates)},
	{"blocks_skipped", offsetof(struct bs_query_stats, rank.blocks_skipped)},
	{"blocks_weighed", offsetof(struct bs_query_stats, rank.blocks_weighed)},
	{"blocks_dropped", offsetof(struct bs_query_stats, rank.blocks_dropped)},
	{"scored", offsetof(struct bs_query_stats, rank.scored)},
	{"verified", offsetof(struct bs_query_stats, verify.verified)},
	{"hits", offsetof(struct bs_query_stats, hits)},
	{"false_positives", offsetof(struct bs_query_stats, verify.false_positives)},
	{"bytes_verified", offsetof(struct bs_query_stats, verify.bytes)},
};
#define N_COUNTERS (sizeof(counters) / sizeof(*counters))
_Static_assert(N_COUNTERS <= BS_STATS_COUNTERS, "there is a sum for each");

enum bs_status bs_stats_add(struct bs_stats_sum *sum, const struct bs_query_stats *stats,
                            struct bs_error *err)
{
	uint64_t n = sum->n_queries;
	for (size_t stage = 0; stage <= BS_STAGES && n == sum->n_room; stage++) {
		size_t n_bytes = (n * 2 + 64) * sizeof(uint64_t);
		uint64_t *times = realloc(sum->times[stage], n_bytes);
		if (!times)
			return bs_fail_memory(err, "statistics", n_bytes);
		sum->times[stage] = times;
	}
	if (n == sum->n_room)
		sum->n_room = n * 2 + 64;
	for (size_t stage = 0; stage < BS_STAGES; stage++)
		sum->times[stage][n] = stats->stage_ns[stage];
	sum->times[BS_STAGES][n] = stats->total_ns;
	sum->n_queries++;
	for (size_t i = 0; i < N_COUNTERS; i++)
		sum->sums[i] +=
			*(const uint64_t *)(const void *)((const char *)stats + counters[i].offset);
	return BS_OK;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* The p-quantile of the times (nearest rank), in microseconds; p is in 0..1. */
static double percentile_us(const uint64_t *sorted, uint64_t n, double p)
{
	uint64_t rank = (uint64_t)(p * (double)n);
	if ((double)rank < p * (double)n)
		rank++;
	return n ? (double)sorted[rank > 0 ? rank - 1 : 0] / 1e3 : 0;
}

static void put_times(const struct bs_stats_sum *sum, size_t which, const char *name, FILE *out)
{
	uint64_t *times = sum->times[which], n = sum->n_queries;
	double mean = 0;
	for (uint64_t i = 0; i < n; i++)
		mean += (double)times[i] / 1e3 / (double)n;
	if (n > 0)
		qsort(times, n, sizeof(*times), compare_u64);
	fprintf(out, ",\"%s\":{\"p50_us\":%.3f,\"p95_us\":%.3f,\"mean_us\":%.3f}", name,
	        percentile_us(times, n, 0.5), percentile_us(times, n, 0.95), mean);
}

void bs_stats_json(struct bs_stats_sum *sum, const struct bs_catalog_search_result *catalog,
                   FILE *out)
{
	static const char *const names[BS_STAGES] = {
		[BS_STAGE_PARSE] = "parse", [BS_STAGE_PLAN] = "plan",     [BS_STAGE_SCAN] = "scan",
		[BS_STAGE_RANK] = "rank",   [BS_STAGE_VERIFY] = "verify",
	};
	fprintf(out, "{\"queries\":%" PRIu64, sum->n_queries);
	put_times(sum, BS_STAGES, "total", out);
	for (size_t stage = 0; stage < BS_STAGES; stage++)
		put_times(sum, stage, names[stage], out);
	for (size_t i = 0; i < N_COUNTERS; i++)
		fprintf(out, ",\"%s\":%" PRIu64, counters[i].name, sum->sums[i]);
	if (catalog)
		fprintf(out,
		        ",\"catalog\":{\"indexes\":%" PRIu64 ",\"asked\":%" PRIu64
		        ",\"probed\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"unreachable\":%" PRIu64
		        "}",
		        catalog->n_indexes, catalog->n_asked, catalog->n_probed, catalog->n_skipped,
		        catalog->n_unreachable);
	fputs("}\n", out);
}

void bs_stats_deinit(struct bs_stats_sum *sum)
{
	for (size_t stage = 0; stage <= BS_STAGES; stage++)
		free(sum->times[stage]);
}

/* Sorts the kinds of files by decreasing frequency, then alphabetically. */
static int compare_kinds(const void *left, const void *right)
{
	const struct bs_skip_kind *a = left, *b = right;
	if (a->n_files != b->n_files)
		return a->n_files > b->n_files ? -1 : 1;
	return strcmp(a->name, b->name);
}

#define SHOWN_KINDS 5

/* Prints the most frequent kinds of binary files, " (40 png, 30 jpg, 60 other)". n_left: the number
 * of binary files. */
static void put_kinds(const struct bs_skip_kind binary[BS_SKIP_KINDS], uint64_t n_left, FILE *out)
{
	struct bs_skip_kind kinds[BS_SKIP_KINDS];
	const char *before = " (";
	memcpy(kinds, binary, sizeof(kinds));
	qsort(kinds, BS_SKIP_KINDS, sizeof(*kinds), compare_kinds);
	if (kinds[0].n_files == 0)
		return;
	for (size_t i = 0; i < SHOWN_KINDS && kinds[i].n_files > 0; i++, before = ", ") {
		fprintf(out, "%s%s %s", before, BS_COUNT(kinds[i].n_files), kinds[i].name);
		n_left -= kinds[i].n_files;
	}
	if (n_left > 0)
		fprintf(out, ", %s other", BS_COUNT(n_left));
	fputs(")", out);
}

bool bs_format_skipped(const uint64_t skipped[BS_SKIP_MAX],
                       const struct bs_skip_kind binary[BS_SKIP_KINDS], const char *before,
                       FILE *out)
{
	bool has_any = false;
	for (int reason = 0; reason < BS_SKIP_MAX; reason++) {
		if (skipped[reason] == 0)
			continue;
		fprintf(out, "%s%s %s", has_any ? ", " : before, BS_COUNT(skipped[reason]),
		        bs_skip_name((enum bs_skip)reason, skipped[reason]));
		if (reason == BS_SKIP_BINARY)
			put_kinds(binary, skipped[reason], out);
		has_any = true;
	}
	return has_any;
}
