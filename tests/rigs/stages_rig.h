/*
 * stages_rig.h: shared by the tests of the stages of a query. Two small indexes in a temporary
 * folder are opened as a list of two snapshots, without a searcher and without a request. The texts
 * of their documents are kept, so that a test can compute itself what a stage must return.
 *
 *   "first"   files notes/d000.txt ... and notes/sub/e000.md ...; some are deleted by their ids
 *   "second"  records of cards.jsonl, with the fields title, body and, mostly, year; some are
 *             replaced by later records, and one is deleted by its id
 *
 * Every helper fails the test if something goes wrong.
 */
#pragma once

#include "core/simd/kernels.h"
#include "core/store/snapshot_list.h"
#include "query/language/parse.h"
#include "query/language/query_analysis.h"
#include "query/load/loader.h"
#include "query/plan/plan.h"
#include "tests/rigs/library_rig.h"

#define RIG_N_INDEXES 2u
#define RIG_MOST_DOCS 600u
#define RIG_N_FIELDS  3u /* title, body and year; a file has only the second */
#define RIG_FILES     "notes"
#define RIG_RECORDS   "cards.jsonl"

/* A document and its text on disk. */
struct rig_doc {
	uint32_t entry; /* the number of its index: 0 or 1 */
	uint64_t line;  /* of a record, from 1; 0 for a file */
	char id[40];
	/* Words of ASCII lower-case letters and digits, separated by single spaces; "" if the field
	 * is missing. */
	char fields[RIG_N_FIELDS][512];
	bool is_deleted;
	bool is_overlay;       /* in the overlay of its index, not in a segment */
	struct bs_doc_ref ref; /* its place in the list */
};

extern struct stages_rig {
	char folder[FOLDER_BYTES];
	struct rig_doc docs[RIG_MOST_DOCS]; /* live or deleted, in document order */
	size_t n_docs;
	struct bs_dir dirs[RIG_N_INDEXES];
	struct bs_snapshot snapshots[RIG_N_INDEXES];
	struct bs_snapshot_list list;
	struct bs_query_analysis analysis;
	const struct bs_kernel *kernel;
	struct bs_prefix_checks *prefix_checks[RIG_N_INDEXES];
	struct bs_loader *loader; /* NULL until rig_load */
	struct bs_query_tree *query;
	struct bs_file_names no_names; /* fails the test if it is called */
	struct bs_file_names *names;   /* given to plans; initially no_names */
	struct bs_plan plan;
} rig;

/* Makes and opens the indexes, the list and its query analysis. The temporary folder is the current
 * directory until rig_teardown. */
int rig_setup(void **state);
/* Like rig_setup, but opens the first index fresh, that is with an overlay, after one of its files
 * was added, one changed and one removed. */
int rig_setup_fresh(void **state);
int rig_teardown(void **state);

/* For RUN_UNIT_TESTS: a test between rig_setup or rig_setup_fresh and `teardown`. */
#define RIG_TEST(test, teardown) cmocka_unit_test_setup_teardown(test, rig_setup, teardown)
#define RIG_TEST_FRESH(test, teardown) \
	cmocka_unit_test_setup_teardown(test, rig_setup_fresh, teardown)

/* Writes a new text to the file of a document. */
void rig_change_file(struct rig_doc *doc, const char *text);
void rig_remove_file(const struct rig_doc *doc);
/* Writes the record file again with the documents that are not deleted, in reverse order. */
void rig_rewrite_records(void);

/* Parses a query with the analysis of the list, into rig.query. */
void rig_parse(const char *query);
/* Parses a query and makes its plan, in rig.plan. rig_plan: for all documents, with the statistics
 * of the list. */
void rig_plan(const char *query);
void rig_plan_as(const char *query, const struct bs_plan_scope *scope,
                 const struct bs_statistics *statistics);
/* Returns statistics with these numbers of documents, words, and documents with "river", and plans
 * the query "river" with them. The caller frees them. */
struct bs_statistics *rig_statistics(uint64_t n_docs, uint64_t n_words, uint64_t river_docs);
/* Makes the loader of the list, rig.loader, if necessary, and begins a query with it. */
void rig_load(void);

/* ---- documents ---- */

struct rig_doc *rig_doc(const char *id); /* the live document */
struct rig_doc *rig_doc_at(struct bs_doc_ref ref);
/* The next live document after `doc`, or the first one for NULL; NULL at the end. */
struct rig_doc *rig_next(const struct rig_doc *doc);
bool rig_is_text(const void *text, size_t n_bytes, const char *expected);
bool rig_is_same(struct bs_doc_ref a, struct bs_doc_ref b);

/* The number of occurrences of a word, or of adjacent words, in a field, or in all fields
 * (RIG_N_FIELDS). */
uint32_t rig_count(const struct rig_doc *doc, uint32_t field, const char *words);
bool rig_has(const struct rig_doc *doc, const char *words);
uint32_t rig_length(const struct rig_doc *doc); /* in words */
/* 0 if the document has no year. */
int rig_year(const struct rig_doc *doc);

/* ---- numbers for scores, which count deleted documents but not the overlay ---- */

uint64_t rig_n_docs(void);
uint64_t rig_df(const char *word);
double rig_avgdl(void);
bool rig_is_near(double a, double b);
double rig_idf(const char *word);
/* A scoring word; in lists, the word "" marks the end. */
struct rig_word {
	const char *word;
	double weight;
};
/* The sum over the words of weight * idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / avgdl)). */
double rig_score(const struct rig_doc *doc, const struct rig_word *words);

/* ---- queries and their expected results ---- */

/* Whether a document meets all needs, which are separated by commas. A need is met if one of its
 * alternatives, separated by |, is:
 *   WORDS           adjacent words in one field; title:WORDS: in the title
 *   near N A B      two words in one field, at positions that differ by at most N
 *   year LOW HIGH   a year between the two, inclusive
 *   @TEXT  =TEXT    an id that contains the text; that equals it
 *   -ALTERNATIVE    the opposite */
bool rig_matches(const struct rig_doc *doc, const char *needs);

struct rig_case {
	const char *query;
	const char *needs;
	bool is_words; /* only words, joined by AND, OR and NOT: the index decides every match */
};
#define RIG_N_CASES 22u
extern const struct rig_case rig_cases[RIG_N_CASES];

/* Scored queries and their scoring words. */
#define RIG_MOST_WORDS 4u
struct rig_scored {
	const char *query;
	struct rig_word words[RIG_MOST_WORDS];
	const char *needs;
};
#define RIG_N_SCORED 12u
extern const struct rig_scored rig_scored[RIG_N_SCORED];
