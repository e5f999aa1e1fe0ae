/*
 * oracle.h: the parts of the oracle test: random corpora, random queries, and a naive search,
 * whose matching and scoring share no code with the engine.
 *
 *   oracle_docs.c        the documents of the naive search, with every token
 *   oracle_text.c        random words and texts
 *   oracle_corpus.c      random options; writes the sources for the engine and adds their documents
 *   oracle_query.c       random query trees, printed as query text
 *   oracle_eval.c        evaluates a tree on the tokens; BM25; the ranking
 *   oracle_feedback.c    the feedback terms of a query, by their definition
 *   oracle_range.c       numbers and dates of texts, and ranges of them
 *   oracle_filter.c      random filters of a request, and the documents that pass them
 *   oracle_bench.c       an indexed corpus, and the engine to search it
 *   oracle_writer.c      adds the documents of "-" by a writer
 *   oracle_held.c        finds the replaced documents that the index still holds
 *   oracle_apart.c       matches and scores each document without the index
 *   oracle_candidates.c  compares searches for candidates, which read no texts
 *   test_oracle.c        compares the engine with the naive search
 *
 * The tokens come from the naive analyzer of words_rig.h. The tree is made first and then printed;
 * therefore the engine's parser is tested, not used. All random numbers come from one seed.
 */
#pragma once

#include <stdio.h>

#include "core/base/vector.h"
#include "indexer/run/tuning.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/words_rig.h"

struct bs_search_request;

/* Returns low .. high. */
uint32_t roll_between(uint32_t low, uint32_t high);

/* ---- documents ---- */

#define ORACLE_MAX_NAMES 24
#define ORACLE_NO_NAME   (-1) /* the field of a file; in a query: any field */
/* In a query, the field name: (the file's name, or a record's own field "name"). */
#define ORACLE_FILE_NAME (-2)
#define ORACLE_NO_TERM   UINT32_MAX /* a word that occurs in no document */

struct oracle_doc {
	size_t id_off; /* offset in oracle.bytes */
	size_t id_bytes;
	size_t first_field, n_fields;
	size_t first_token, n_tokens;
	uint32_t length; /* words, for BM25 */
	/* Offset in oracle.bytes of the path of the containing file; NUL-terminated. */
	size_t path_off;
	/* Offset in oracle.bytes of the path below the source; an empty string if there is none. */
	size_t name_off;
	size_t first_name,
		n_names; /* range in name_tokens: the words of the path below the source */
	/* mtime_s: of the file. when_s: the date in the field "when"; 0: no date. */
	int64_t mtime_s, when_s;
	/* Line of a record, 1-based. For an in-memory document, the number of documents added
	 * before it. 0 for a file. */
	uint64_t line;
	/* Replaced by a later record with the same id, or deleted. Never a hit, but counted in N,
	 * df and avgdl unless is_gone. */
	bool is_replaced;
	bool is_gone; /* is_replaced, and compaction has removed it from the index */
};

struct oracle_field {
	int name;        /* index into names */
	size_t text_off; /* offset in oracle.bytes */
	size_t text_bytes;
};

/* Bigrams are left out: they only help the index to filter. */
struct oracle_token {
	uint32_t term;
	uint32_t position; /* relative to the start of its field */
	/* Number of the field, counted through the fields of all documents. So tokens with equal
	 * numbers are in the same field of the same document. */
	size_t field;
};

struct oracle_term {
	size_t term_off; /* offset in oracle.bytes */
	size_t term_bytes;
	uint32_t df;
	size_t last_doc; /* the last document counted in df */
};

BS_VECTOR(oracle_docs, struct oracle_doc);
BS_VECTOR(oracle_fields, struct oracle_field);
BS_VECTOR(oracle_tokens, struct oracle_token);
BS_VECTOR(oracle_terms, struct oracle_term);

struct oracle {
	struct naive naive;
	struct kept kept; /* scratch */
	struct bs_buffer bytes;
	struct oracle_docs docs;
	struct oracle_fields fields;
	struct oracle_tokens tokens, name_tokens;
	struct oracle_terms terms;
	void *numbers; /* of the terms: a tree of tsearch() */
	/* Names of the fields seen so far; string literals. */
	const char *names[ORACLE_MAX_NAMES];
	int n_names;
	/* by index in names: whether some text of the field is a number or a date */
	bool has_values[ORACLE_MAX_NAMES];
	const char *const *weights; /* field weights as in bs_build_request; borrowed */
	bool has_files;
	uint64_t n_positions; /* sum of the lengths of the documents that df counts */
	size_t n_gone;
	uint32_t length; /* length so far of the document that is being added */
};

void oracle_init(struct oracle *oracle, const struct bs_tokenizer_options *options);
void oracle_deinit(struct oracle *oracle);

/* Returns N for scores: the number of documents that are not gone. */
size_t oracle_n_counted(const struct oracle *oracle);

bool oracle_has_id(const struct oracle *oracle, size_t doc, const void *id, size_t id_bytes);

/* Documents are added in document order. Each is added by oracle_add_field for each of its fields
 * and then oracle_end_doc, which returns the document's number. */
void oracle_add_field(struct oracle *oracle, const char *name, const void *text, size_t text_bytes);
size_t oracle_end_doc(struct oracle *oracle, const void *id, size_t id_bytes);

/* Sets the place of the document added last: its path, and name_off, the offset in `path` at which
 * the path below the source begins. A record has no path below the source; its name_off is the
 * length of path. */
void oracle_place_doc(struct oracle *oracle, const char *path, size_t name_off, int64_t mtime_s);

/* Removes a replaced document from N, df and avgdl. The caller must call oracle_refind_values
 * afterwards. */
void oracle_forget(struct oracle *oracle, size_t doc);
/* Recomputes has_values from the documents that are not gone. */
void oracle_refind_values(struct oracle *oracle);

/* Returns the index of a field in names, or ORACLE_NO_NAME. */
int oracle_find_field(const struct oracle *oracle, const char *name);

/* Returns the number of a term, or ORACLE_NO_TERM. */
uint32_t oracle_find_term(const struct oracle *oracle, const void *term, size_t term_bytes);

/* ---- a corpus ---- */

#define ORACLE_MAX_SOURCES   7
#define ORACLE_DRAWN_SOURCES 6

/* All properties of a corpus that are drawn before its texts. */
struct oracle_setup {
	unsigned number;
	uint32_t n_docs; /* number of records and files to write; some yield no document */
	uint32_t mean_words;
	uint32_t n_vocabulary;
	/* The mtimes of the sources are in the future, so that the index trusts no file
	 * fingerprint. */
	bool is_young;
	bool has_stdin; /* one source is "-" */
	bool by_writer; /* the documents of "-" are added by a writer */
	bool is_in_memory, is_not_stored;
	uint32_t n_sources;
	char sources[ORACLE_MAX_SOURCES][32]; /* source arguments of the build */
	struct bs_tokenizer_options words;
	const char *id_field;
	bool has_text_fields;
	const char *weights[4]; /* field weights, NULL-terminated */
	struct bs_term_treatment_policy policy;
	uint32_t max_shard_blocks, max_shard_bytes, max_segment_docs, n_threads;
	enum bs_forward_mode forward_mode;
	uint64_t pairs_least_bytes; /* 0: the default, for which the corpus is too small */
};

/* Raw words of texts, before folding. */
struct oracle_vocabulary {
	struct bs_buffer bytes;
	size_t *offs; /* n + 1 offsets in bytes */
	uint32_t n;
};

void oracle_vocabulary_init(struct oracle_vocabulary *vocabulary, uint32_t n);
void oracle_vocabulary_deinit(struct oracle_vocabulary *vocabulary);
/* Draws a word approximately by Zipf's law. */
const uint8_t *oracle_draw_word(const struct oracle_vocabulary *vocabulary, size_t *n_bytes_out);
void oracle_append_text(const struct oracle_vocabulary *vocabulary, uint32_t n_words,
                        struct bs_buffer *text);

/* Draws the setup of corpus `number` (0, 1, ...) of the run. n_docs: its size; 0: drawn. */
void oracle_setup_draw(struct oracle_setup *setup, unsigned number, uint32_t n_docs);
void oracle_setup_print(const struct oracle_setup *setup, FILE *to);

/* Writes the sources into the current folder and adds their documents to the oracle. If "-" is a
 * source, standard input is redirected to its file. */
void oracle_write_sources(const struct oracle_setup *setup,
                          const struct oracle_vocabulary *vocabulary, struct oracle *oracle);

/* ---- a query ---- */

enum oracle_kind {
	ORACLE_WORD,   /* a bare token, which may yield several words */
	ORACLE_PHRASE, /* "..." */
	ORACLE_NEAR,   /* "..."~N */
	ORACLE_RANGE,  /* A..B, >A and so on, of a field */
	ORACLE_AND,
	ORACLE_OR,
	ORACLE_NOT,
};

#define ORACLE_MAX_CHILDREN 4
#define ORACLE_MAX_NODES    1000

/* A number, 0.DIGITS * 10^exponent, or a date. */
struct oracle_value {
	bool is_date, is_negative;
	int64_t us;
	long exponent;
	char digits[256];
};

/* Parses a text as a number or a date; false if it is neither. */
bool oracle_value_take(const void *text, size_t text_bytes, struct oracle_value *value);
/* Orders numbers before dates. */
int oracle_value_compare(const struct oracle_value *a, const struct oracle_value *b);

/* Texts that are numbers or dates, and some that only look like them. */
#define ORACLE_N_VALUES 30
extern const char *const oracle_values[ORACLE_N_VALUES];

struct oracle_range {
	const char *low, *high; /* NULL: unbounded */
	bool is_out;            /* the ends are excluded */
};

#define ORACLE_RANGE_BYTES 80
void oracle_range_draw(struct oracle_range *range, char text[ORACLE_RANGE_BYTES]);
/* Whether both ends are numbers, or both are dates. */
bool oracle_range_is_one(const struct oracle_range *range);
bool oracle_range_has(const struct oracle_range *range, const struct oracle_value *value);

struct oracle_item {
	uint32_t term;     /* number of the term; ignored if there is a set */
	uint32_t position; /* relative to the leaf's first item */
	/* Only for a prefix, pattern or fuzzy word: offset in oracle_query.sets of an array that
	 * has, for each term, a byte that says whether the term matches. Otherwise SIZE_MAX. */
	size_t set_off;
	bool is_stop;
};

/* Placeholder, in the text of a leaf, for a pattern. */
#define ORACLE_PATTERN "qx"
/* The wildcards in a pattern are bytes that UTF-8 never uses. They are printed as * and ?. */
#define ORACLE_ANY_CHARS 0xff
#define ORACLE_ONE_CHAR  0xfe

BS_VECTOR(oracle_items, struct oracle_item);
BS_VECTOR(oracle_weights, double);

struct oracle_node {
	enum oracle_kind kind;
	int field;      /* the field prefix that is printed before the node; ORACLE_NO_NAME: none */
	bool in_parens; /* for AND, OR and NOT */
	bool is_minus;  /* NOT: printed "-" */
	uint32_t n_children;
	uint32_t children[ORACLE_MAX_CHILDREN];
	/* AND: whether the operator is printed before this child */
	bool by_and[ORACLE_MAX_CHILDREN];
	/* Leaves: the text between the quotes or before the suffix; offset in
	 * oracle_query.bytes. */
	size_t text_off, text_bytes;
	const char *suffix; /* WORD: "", "*", "~1" or "~2" */
	/* WORD, PHRASE: the pattern that is printed instead of ORACLE_PATTERN, which is then the
	 * last word of the text. 0 bytes: none. */
	size_t pattern_off, pattern_bytes;
	/* Leaves and nodes in parentheses: "" or "^2.5" and the like, and its number. */
	const char *weight_text;
	double weight;
	uint32_t distance;          /* NEAR */
	struct oracle_range range;  /* RANGE */
	size_t first_item, n_items; /* leaves, after analysis; no item: the leaf is ignored */
};

struct oracle_query {
	struct oracle_node nodes[ORACLE_MAX_NODES];
	uint32_t n_nodes, root;
	bool any;
	struct bs_buffer bytes, sets;
	struct oracle_items items;
	struct bs_buffer text;         /* the query as printed */
	struct bs_buffer stops;        /* stop words, one per line; empty: none */
	struct oracle_weights weights; /* of each term: their sum, without negated words */
	double own_weight; /* sum of the weights of words, without negated words and stop words */
};

void oracle_query_deinit(struct oracle_query *query);
/* Draws the tree and prints it to query->text. */
void oracle_query_draw(struct oracle_query *query, struct oracle *oracle,
                       const struct oracle_vocabulary *vocabulary);

struct oracle_filter {
	const struct oracle_glob *glob; /* NULL: none */
	const char *type, *type_not;    /* NULL: none */
	/* place: a path; empty: none. spelt: place as the request spells it. */
	char place[256], spelt[260];
	const struct oracle_date *newer, *older; /* NULL: none */
	/* newer and older apply to the field "when", not to mtime */
	bool is_when;
	/* Arrays that a request points to. */
	const char *globs[2], *types[2], *type_nots[2], *places[2];
};

/* Draws a filter; most filters accept everything. has_times: the mtimes of the files are known. */
void oracle_filter_draw(struct oracle_filter *filter, const struct oracle *oracle, bool has_times);
void oracle_filter_ask(struct oracle_filter *filter, struct bs_search_request *request);
bool oracle_filter_passes(const struct oracle_filter *filter, const struct oracle *oracle,
                          const struct oracle_doc *doc);

/* Texts that look like dates, with their values. */
struct oracle_date {
	const char *text;
	int64_t seconds; /* 0: the text is not a date */
};
#define ORACLE_N_DATES 6
extern const struct oracle_date oracle_dates[ORACLE_N_DATES];

/* Makes *query a query of one leaf. */
void oracle_query_set(struct oracle_query *query, enum oracle_kind kind, const char *text);

/* ---- the naive search ---- */

enum oracle_truth {
	ORACLE_IGNORED, /* a leaf without words, or an operator over nothing but such leaves */
	ORACLE_NO,
	ORACLE_YES,
};

struct oracle_hit {
	size_t doc;
	double score;
};

BS_VECTOR(oracle_hits, struct oracle_hit);

/* Whether a word of the query's stop list is analysed to this term. */
bool oracle_is_stop(const struct oracle_query *query, struct oracle *oracle, const uint8_t *term,
                    size_t term_bytes);

/* Checks the line of --explain that lists feedback terms. `hits`: the best hits of the query, from
 * which the terms were taken. Returns a description of the fault, or NULL. */
const char *oracle_check_feedback(const struct oracle_query *query, struct oracle *oracle,
                                  const struct oracle_hit *hits, size_t n_hits, const char *line,
                                  size_t line_bytes);

/* Analyses the leaves. False: the query has no words and no ranges. */
bool oracle_query_analyze(struct oracle_query *query, struct oracle *oracle);
/* Appends the set of the terms that match a word with a suffix ("*", "~1" or "~2") or, with the
 * suffix "?", a pattern. Returns its offset in query->sets. */
size_t oracle_add_set(struct oracle_query *query, const struct oracle *oracle, const char *suffix,
                      const uint8_t *word, size_t word_bytes);
/* Computes query->weights and query->own_weight. */
void oracle_query_weigh(struct oracle_query *query, const struct oracle *oracle);
/* Whether every leaf is a single exact word without a field: no prefix, pattern or fuzzy word, no
 * phrase of several words, no range. */
bool oracle_query_is_words(const struct oracle_query *query);
/* Writes all hits, scored and in document order, into hits. */
void oracle_search(const struct oracle_query *query, const struct oracle *oracle,
                   struct oracle_hits *hits);
/* Sorts by descending score, ties in document order. */
void oracle_rank(struct oracle_hit *hits, size_t n_hits);
/* Sorts by the least value of a field, or by the greatest in descending order; ties in document
 * order, documents without a value last. */
void oracle_sort(const struct oracle *oracle, const char *field, bool is_descending,
                 struct oracle_hit *hits, size_t n_hits);
/* Whether two documents have the same score by definition: both have the same length and the same
 * count of every scored word, or neither has a scored word. */
bool oracle_is_tie(const struct oracle_query *query, const struct oracle *oracle, size_t a,
                   size_t b);
