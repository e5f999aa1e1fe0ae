/*
 * hit_format.h: hits, statistics, and what was left out, as text: lines, JSON, ids.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/bitsift/search_result.h"
#include "core/bitsift/skip.h"

struct bs_catalog_search_result;

/* {"rank":1,"id":"a.txt","score":1.234567,"path":"a.txt","line":2,"column":1,"start":10,"stop":19,
 * "snippet":"...","passages":[{"line":2,"column":1,"start":10,"stop":19,"text":"..."}]} and a line
 * feed. Bytes that are not UTF-8 become U+FFFD; then "id_base64" has the exact id, and
 * "path_base64" the exact path. query: the query of a batch, printed first as "query"; NULL: no
 * batch. index, here and below: the name of the index in the catalog, printed next as "index";
 * NULL: there is no catalog. */
void bs_format_json(const struct bs_hit *hit, const char *index, bool is_sorted, const char *query,
                    size_t query_bytes, FILE *out);
/* {"count":5} and {"error":"expected a word"}, likewise. */
void bs_format_json_count(uint64_t n_hits, const char *query, size_t query_bytes, FILE *out);
void bs_format_json_error(const struct bs_error *err, const char *query, size_t query_bytes,
                          FILE *out);

#define BS_FORMAT_INDENT 4 /* columns in front of each line of a snippet */

/* The local id, the score and the snippet for a person: a line and those of the snippet, between
 * hits none. color: ANSI codes. */
void bs_format_text(const struct bs_hit *hit, const char *index, bool is_sorted, bool color,
                    FILE *out);

/* "{path}:{line}:{text}\\0": what bitsift-query(1) says of --format. is_sorted: hits have a value;
 * has_index: and the name of an index. has_places: it needs passages. BS_INVALID. */
enum bs_status bs_format_check_format(const char *format, bool has_index, bool is_sorted,
                                      bool *has_places_out, struct bs_error *err) BS_WARN_UNUSED;
/* Such a format, checked, and at its end a line feed unless it ends with that or NUL. */
void bs_format_format(const struct bs_hit *hit, const char *index, const char *format,
                      bool is_terminal, FILE *out);

/* "301 Q0 FBIS3-1 1 12.345678901 bitsift": a line of a run, as trec_eval reads it. */
void bs_format_trec(const struct bs_hit *hit, const char *index, const char *query_id,
                    size_t query_id_bytes, FILE *out);

/* Text as a JSON string (RFC 8259); invalid UTF-8 becomes U+FFFD. False if there was some. */
bool bs_format_json_string(const char *text, size_t text_bytes, FILE *out);

/* Text for a terminal: what that would obey as \xNN, all else as it is. */
void bs_format_escaped(const char *text, size_t text_bytes, FILE *out);

/* Text verbatim; for a terminal as bs_format_escaped. */
void bs_format_exact(const char *text, size_t text_bytes, bool is_terminal, FILE *out);

/* Text as UTF-8: what is none, and what a terminal might obey, as U+FFFD; but for ASCII, if that is
 * the marks of words. */
void bs_format_shown(const char *text, size_t text_bytes, bool has_marks, FILE *out);

#define BS_STATS_COUNTERS 13

/* Statistics of many queries, collected one by one. Zero-initialise. */
struct bs_stats_sum {
	uint64_t n_queries;
	uint64_t sums[BS_STATS_COUNTERS];
	uint64_t *times[BS_STAGES + 1]; /* of each query: by stage, and in total */
	uint64_t n_room;
};
enum bs_status bs_stats_add(struct bs_stats_sum *sum, const struct bs_query_stats *stats,
                            struct bs_error *err) BS_WARN_UNUSED;
/* One JSON object and a line feed. Sorts the times. catalog: sums of what its queries came to;
 * NULL: there is none. */
void bs_stats_json(struct bs_stats_sum *sum, const struct bs_catalog_search_result *catalog,
                   FILE *out);
void bs_stats_deinit(struct bs_stats_sum *sum);

/* Prints `before` and what was left out, on one line without its end: "130 binary files (40 png, 30
 * jpg, 60 other), 20 hidden files". False: nothing was left out, and nothing is printed. */
bool bs_format_left_out(const uint64_t skipped[BS_SKIP_MAX],
                        const struct bs_skip_kind binary[BS_SKIP_KINDS], const char *before,
                        FILE *out);
