/*
 * oracle.h: what the oracle test consists of: random corpora, random queries, and a naive search
 * that knows nothing of the engine but its law.
 *
 *   oracle_docs.c    the documents as the naive search has them: every token of every one, in
 *     document order
 *   oracle_text.c    random words and texts
 *   oracle_corpus.c  random options; writes the sources for the engine, and adds their documents
 *   oracle_query.c   random query trees, printed as query text
 *   oracle_eval.c    a tree evaluated on the tokens; BM25; the ranking
 *   oracle_feedback.c the words that are typical of documents, by their definition
 *   oracle_range.c   numbers and dates of texts, and ranges of them
 *   oracle_filter.c  random filters of a request, and which documents they let pass
 *   oracle_bench.c   a corpus, indexed, and the engine to search it
 *   oracle_writer.c   documents of "-" given from memory instead
 *   oracle_held.c    which replaced documents the index still holds
 *   oracle_apart.c   the same documents, asked one by one apart from the index
 *   oracle_candidates.c what the engine says without reading texts
 *   test_oracle.c    compares
 *
 * The tokens come from the naive analyzer of words_rig.h; the tree is made first and printed, so
 * that the engine's parser is tested, not used. Every number comes from one seed.
 */
#pragma once

#include <stdio.h>

#include "indexer/run/tuning.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/words_rig.h"

struct bs_search_request;

/* ---- chance ---- */

struct dice {
	uint64_t state;
};

/* 0 .. n - 1 */
uint32_t roll(struct dice *dice, uint32_t n);
/* low .. high */
uint32_t roll_between(struct dice *dice, uint32_t low, uint32_t high);
bool chance(struct dice *dice, uint32_t percent);

/* ---- documents ---- */

#define ORACLE_MAX_NAMES 24
#define ORACLE_NO_NAME   (-1) /* of the one field of a file; in a query: any field */
/* in a query: name:, of files and of records that have such a field */
#define ORACLE_FILE_NAME (-2)
#define ORACLE_NO_TERM   UINT32_MAX /* a word that no document has */

struct oracle_doc {
	size_t id_off; /* in bytes */
	size_t id_bytes;
	size_t first_field, n_fields;
	size_t first_token, n_tokens;
	uint32_t length;            /* of BM25 */
	size_t path_off;            /* in bytes, NUL-ended: the file it stands in */
	size_t name_off;            /* ... the path below its source, or nothing */
	size_t first_name, n_names; /* its words, in name_tokens */
	int64_t mtime_s, when_s;    /* of the file; of the field "when", 0: it has none */
	/* of a record, 1-based; of a in-memory document, how many were given before it; of a file
	 * 0 */
	uint64_t line;
	/* by a later record of its id, or deleted: no hit, but counted in N, df and avgdl unless
	 * is_gone */
	bool is_replaced;
	bool is_gone; /* replaced, and compaction has removed it from the index */
};

struct oracle_field {
	int name;        /* index into names */
	size_t text_off; /* in bytes */
	size_t text_bytes;
};

/* Pairs are left out: they are the filter's business. */
struct oracle_token {
	uint32_t term;
	uint32_t position; /* in its field */
	/* of all fields, so that equal means the same field of the same document */
	size_t field;
};

struct oracle_term {
	size_t term_off; /* in bytes */
	size_t term_bytes;
	uint32_t df;
	size_t last_doc; /* the last one counted in df */
};

struct oracle {
	struct naive naive;
	struct kept kept; /* scratch */
	struct bs_buffer bytes, docs, fields, tokens, name_tokens, terms;
	uint32_t *slots; /* term + 1, or 0 */
	size_t n_slots;
	const char *names[ORACLE_MAX_NAMES]; /* of fields, literals; those in documents so far */
	int n_names;
	bool has_values[ORACLE_MAX_NAMES]; /* by name: some text is a value */
	const char *const *weights;        /* of fields, borrowed: as bs_build_request has them */
	bool has_files;
	uint64_t n_positions; /* of the documents that are counted, as is df */
	size_t n_gone;
	uint32_t length; /* of the document being added */
};

void oracle_init(struct oracle *oracle, const struct bs_tokenizer_options *options);
void oracle_deinit(struct oracle *oracle);

size_t oracle_n_docs(const struct oracle *oracle);
/* N of scores: documents that are not gone. */
size_t oracle_n_counted(const struct oracle *oracle);
struct oracle_doc *oracle_doc(const struct oracle *oracle, size_t doc);
const struct oracle_field *oracle_field(const struct oracle *oracle, size_t field);
const struct oracle_token *oracle_token(const struct oracle *oracle, size_t token);
const struct oracle_term *oracle_term(const struct oracle *oracle, size_t term);

/* A document: fields first, then its end, which returns its number. Documents are added in document
 * order. */
void oracle_add_field(struct oracle *oracle, const char *name, const void *text, size_t text_bytes);
size_t oracle_end_doc(struct oracle *oracle, const void *id, size_t id_bytes);

/* Where the last document stands. name_off: where the path below its source begins; of a record the
 * path's length. */
void oracle_place_doc(struct oracle *oracle, const char *path, size_t name_off, int64_t mtime_s);

/* Removes a replaced document from N, df and avgdl. oracle_refind_values must follow. */
void oracle_forget(struct oracle *oracle, size_t doc);
/* Sets has_values from the documents that are not gone. */
void oracle_refind_values(struct oracle *oracle);

/* The number of a field, or ORACLE_NO_NAME. */
int oracle_find_field(const struct oracle *oracle, const char *name);

/* The number of a term, or ORACLE_NO_TERM. */
uint32_t oracle_find_term(const struct oracle *oracle, const void *term, size_t term_bytes);

/* ---- a corpus ---- */

#define ORACLE_MAX_SOURCES   7
#define ORACLE_DRAWN_SOURCES 6

/* Everything about a corpus that is drawn before its texts. */
struct oracle_setup {
	uint64_t seed;
	unsigned number;
	uint32_t n_docs; /* wanted; some become no documents */
	uint32_t mean_words;
	uint32_t n_vocabulary;
	/* sources as new as the index, so that it trusts none of their fingerprints */
	bool is_young;
	bool has_stdin; /* some source is "-", */
	bool by_writer; /* and its documents come by a writer; */
	bool is_in_memory, is_not_stored;
	uint32_t n_sources;
	char sources[ORACLE_MAX_SOURCES][32]; /* arguments */
	struct bs_tokenizer_options words;
	const char *id_field;
	bool has_text_fields;
	const char *weights[4]; /* of fields, NULL-ended */
	struct bs_term_treatment_policy policy;
	uint32_t max_shard_blocks, max_shard_bytes, max_segment_docs, n_threads;
	enum bs_forward_mode forward_mode;
	uint64_t pairs_least_bytes; /* 0: too small for pairs of words */
};

/* Raw words, as they stand in texts. */
struct oracle_vocabulary {
	struct bs_buffer bytes;
	size_t *offs; /* n + 1 of them */
	uint32_t n;
};

void oracle_vocabulary_init(struct oracle_vocabulary *vocabulary, struct dice *dice, uint32_t n);
void oracle_vocabulary_deinit(struct oracle_vocabulary *vocabulary);
/* By Zipf's law, more or less. */
const uint8_t *oracle_draw_word(const struct oracle_vocabulary *vocabulary, struct dice *dice,
                                size_t *n_bytes_out);
void oracle_append_text(const struct oracle_vocabulary *vocabulary, struct dice *dice,
                        uint32_t n_words, struct bs_buffer *text);

/* Number 0, 1, ... of a run with this seed; n_docs if it is not 0. */
void oracle_setup_draw(struct oracle_setup *setup, struct dice *dice, uint64_t seed,
                       unsigned number, uint32_t n_docs);
void oracle_setup_print(const struct oracle_setup *setup, FILE *to);

/* Writes the sources into the current folder and adds their documents. Standard input is replaced
 * if there is a "-". */
void oracle_write_sources(const struct oracle_setup *setup,
                          const struct oracle_vocabulary *vocabulary, struct dice *dice,
                          struct oracle *oracle);

/* ---- a query ---- */

enum oracle_kind {
	ORACLE_WORD,   /* a bare token, of any number of words */
	ORACLE_PHRASE, /* "..." */
	ORACLE_NEAR,   /* "..."~N */
	ORACLE_RANGE,  /* A..B and so on, in a field */
	ORACLE_AND,
	ORACLE_OR,
	ORACLE_NOT,
};

#define ORACLE_MAX_CHILDREN 4
#define ORACLE_MAX_NODES    80

/* A number, 0.DIGITS * 10^exponent, or a date. */
struct oracle_value {
	bool is_date, is_negative;
	int64_t us;
	long exponent;
	char digits[256];
};

/* The value of a text, if it is one. */
bool oracle_value_take(const void *text, size_t text_bytes, struct oracle_value *value);
/* Numbers before dates. */
int oracle_value_compare(const struct oracle_value *a, const struct oracle_value *b);

/* Texts that are values, and some that only look so. */
#define ORACLE_N_VALUES 30
extern const char *const oracle_values[ORACLE_N_VALUES];

struct oracle_range {
	const char *low, *high; /* NULL: open */
	bool is_out;            /* the ends are not in it */
};

#define ORACLE_RANGE_BYTES 80
void oracle_range_draw(struct oracle_range *range, struct dice *dice,
                       char text[ORACLE_RANGE_BYTES]);
/* Whether its ends are numbers, or dates. */
bool oracle_range_is_one(const struct oracle_range *range);
bool oracle_range_has(const struct oracle_range *range, const struct oracle_value *value);

struct oracle_item {
	uint32_t term;     /* unless there is a set */
	uint32_t position; /* relative to the first of the leaf */
	/* of a prefix, pattern or fuzzy word: in sets, a byte a term, whether it matches; else
	 * SIZE_MAX */
	size_t set_off;
	bool is_stop;
};

/* Stands in the text of a leaf for a pattern of small letters, * and ?. */
#define ORACLE_PATTERN "qx"

struct oracle_node {
	enum oracle_kind kind;
	int field;      /* printed before it; ORACLE_NO_NAME: none */
	bool in_parens; /* AND, OR, NOT */
	bool is_minus;  /* NOT: printed "-" */
	uint32_t n_children;
	uint32_t children[ORACLE_MAX_CHILDREN];
	bool by_and[ORACLE_MAX_CHILDREN]; /* AND: the operator is printed before this child */
	/* leaves: what stands between the quotes, or before the suffix; in bytes */
	size_t text_off, text_bytes;
	const char *suffix; /* WORD: "", "*", "~1" or "~2" */
	/* WORD, PHRASE: printed for ORACLE_PATTERN, the last word of the text; 0 bytes: none */
	size_t pattern_off, pattern_bytes;
	/* of leaves and what is in parentheses: "" or "^2.5" and the like */
	const char *weight;
	uint32_t distance;          /* NEAR */
	struct oracle_range range;  /* RANGE */
	size_t first_item, n_items; /* leaves, once analysed; no item: the leaf is ignored */
};

struct oracle_query {
	struct oracle_node nodes[ORACLE_MAX_NODES];
	uint32_t n_nodes, root;
	bool any;
	struct bs_buffer bytes, items, sets;
	struct bs_buffer text;    /* the query as printed */
	struct bs_buffer stops;   /* stop words, a line each; empty: none */
	struct bs_buffer weights; /* a double a term: of all its positive places */
};

void oracle_query_deinit(struct oracle_query *query);
/* Makes the tree and its text. */
void oracle_query_draw(struct oracle_query *query, struct dice *dice, struct oracle *oracle,
                       const struct oracle_vocabulary *vocabulary);

/* What a request lets pass, beside its query. */
struct oracle_filter {
	const struct oracle_glob *glob;                             /* NULL: none */
	const char *type, *type_not;                                /* NULL: none */
	char place[256], spelt[260];                                /* the first is empty: none */
	const struct oracle_date *newer, *older;                    /* NULL: none */
	bool is_when;                                               /* they are of the field */
	const char *globs[2], *types[2], *type_nots[2], *places[2]; /* of a request */
};

/* Most let everything pass. has_times: those of files are known. */
void oracle_filter_draw(struct oracle_filter *filter, struct dice *dice,
                        const struct oracle *oracle, bool has_times);
void oracle_filter_ask(struct oracle_filter *filter, struct bs_search_request *request);
bool oracle_filter_passes(const struct oracle_filter *filter, const struct oracle *oracle,
                          const struct oracle_doc *doc);

/* Dates as texts, and what they are. */
struct oracle_date {
	const char *text;
	int64_t seconds; /* 0: it is none */
};
#define ORACLE_N_DATES 6
extern const struct oracle_date oracle_dates[ORACLE_N_DATES];

/* A query of one leaf. */
void oracle_query_set(struct oracle_query *query, enum oracle_kind kind, const char *text);

/* ---- the naive search ---- */

enum oracle_truth {
	ORACLE_IGNORED, /* a leaf without words, or nothing but such */
	ORACLE_NO,
	ORACLE_YES,
};

struct oracle_hit {
	size_t doc;
	double score;
};

/* Whether a term is one that a word of the query's list becomes. */
bool oracle_is_stop(const struct oracle_query *query, struct oracle *oracle, const uint8_t *term,
                    size_t term_bytes);

/* What is wrong with a line of --explain that says which words were learnt of these documents, the
 * best of the query with their scores; NULL: nothing. */
const char *oracle_check_learnt(const struct oracle_query *query, struct oracle *oracle,
                                const struct oracle_hit *hits, size_t n_hits, const char *line,
                                size_t line_bytes);

/* Analyses the leaves. False: nothing remains of the query. */
bool oracle_query_analyze(struct oracle_query *query, struct oracle *oracle);
/* Whether the query is one word as it is in any field, and nothing else. */
bool oracle_query_is_words(const struct oracle_query *query);
/* All hits in document order, scored, into hits (of struct oracle_hit). */
void oracle_search(const struct oracle_query *query, const struct oracle *oracle,
                   struct bs_buffer *hits);
/* Puts the best first, ties in document order. */
void oracle_rank(struct oracle_hit *hits, size_t n_hits);
/* Puts those first that have the least value in a field, or the greatest, ties in document order;
 * those without one last. */
void oracle_sort(const struct oracle *oracle, const char *field, bool is_descending,
                 struct oracle_hit *hits, size_t n_hits);
/* Whether both documents have the same length and the same count of every scored word, hence the
 * same score. */
bool oracle_is_tie(const struct oracle_query *query, const struct oracle *oracle, size_t a,
                   size_t b);
