/* hit_format.h: formats hits, statistics of queries, and counts of skipped files. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/bitsift/search_result.h"
#include "core/bitsift/skip.h"

struct bs_catalog_search_result;

/* Prints a hit as
 * {"rank":1,"id":"a.txt","score":1.234567890,"path":"a.txt","line":2,"column":1,"start":10,
 * "stop":19,"snippet":"...","passages":[{"line":2,"column":1,"start":10,"stop":19,"text":"..."}]}
 * and a line feed. Invalid UTF-8 becomes U+FFFD; then "id_base64" is the exact id, and
 * "path_base64" the exact path. is_sorted: prints the sort value as "value", instead of the score.
 * query: the query of a batch, printed first as "query"; NULL: no batch. index (for all functions):
 * the name of the index in the catalog, printed next as "index"; NULL: no catalog. */
void bs_format_json(const struct bs_hit *hit, const char *index, bool is_sorted, const char *query,
                    size_t query_bytes, FILE *out);
/* bs_format_json_count prints {"count":5}, bs_format_json_error {"error":"expected a word"}; each
 * with "query" first in a batch, and with a line feed at the end. */
void bs_format_json_count(uint64_t n_hits, const char *query, size_t query_bytes, FILE *out);
void bs_format_json_error(const struct bs_error *err, const char *query, size_t query_bytes,
                          FILE *out);

#define BS_FORMAT_INDENT 4 /* Columns before each line of a snippet. */

/* Prints a hit for people: a line with the local id and the score, or the sort value if is_sorted,
 * and the lines of the snippet. color: with ANSI codes. */
void bs_format_text(const struct bs_hit *hit, const char *index, bool is_sorted, bool color,
                    FILE *out);

/* Checks a format such as "{path}:{line}:{text}\\0" (see --format in bitsift-query(1)). is_sorted:
 * the hits have a sort value. has_index: the hits have the name of an index, because a catalog is
 * searched. *has_places_out: the format needs passages. BS_INVALID. */
enum bs_status bs_format_check_format(const char *format, bool has_index, bool is_sorted,
                                      bool *has_places_out, struct bs_error *err) BS_WARN_UNUSED;
/* Prints a hit in a format that bs_format_check_format accepted, and a line feed unless the format
 * ends with a line feed or NUL. */
void bs_format_template(const struct bs_hit *hit, const char *index, const char *format,
                        bool is_terminal, FILE *out);

/* Prints a hit as a line of a run for trec_eval: "301 Q0 FBIS3-1 1 12.345678901 bitsift". */
void bs_format_trec(const struct bs_hit *hit, const char *index, const char *query_id,
                    size_t query_id_bytes, FILE *out);

/* Prints text as a JSON string (RFC 8259). Invalid UTF-8 becomes U+FFFD; then false is returned. */
bool bs_format_json_string(const char *text, size_t text_bytes, FILE *out);

/* Prints text for a terminal (bs_escape_next): control characters as \xNN, the rest verbatim. */
void bs_format_escaped(const char *text, size_t text_bytes, FILE *out);

/* Prints text verbatim, or, if is_terminal, like bs_format_escaped. */
void bs_format_exact(const char *text, size_t text_bytes, bool is_terminal, FILE *out);

/* Prints text as valid UTF-8: invalid bytes and terminal controls become U+FFFD. has_marks: keeps
 * ASCII control characters, which mark words. */
void bs_format_printable(const char *text, size_t text_bytes, bool has_marks, FILE *out);

#define BS_STATS_COUNTERS 13

/* Statistics of many queries, collected one by one. Zero-initialise. */
struct bs_stats_sum {
	uint64_t n_queries;
	uint64_t sums[BS_STATS_COUNTERS]; /* The sums of the counters that hit_format.c lists. */
	/* For each stage, and for the total: the times in ns, one per query. */
	uint64_t *times[BS_STAGES + 1];
	uint64_t n_room; /* The number of times that each array has room for. */
};
enum bs_status bs_stats_add(struct bs_stats_sum *sum, const struct bs_query_stats *stats,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Prints the statistics as a JSON object and a line feed. Sorts `times`. catalog: sums over the
 * queries of a catalog; NULL: no catalog. */
void bs_stats_json(struct bs_stats_sum *sum, const struct bs_catalog_search_result *catalog,
                   FILE *out);
void bs_stats_deinit(struct bs_stats_sum *sum);

/* Prints `before` and the counts of skipped files, without a line feed: "130 binary files (40 png,
 * 30 jpg, 60 other), 20 hidden files". Returns false and prints nothing if all counts are 0. */
bool bs_format_skipped(const uint64_t skipped[BS_SKIP_MAX],
                       const struct bs_skip_kind binary[BS_SKIP_KINDS], const char *before,
                       FILE *out);
