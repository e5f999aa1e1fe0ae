/*
 * stages_rig.h: what the tests of the stages of a query share: two small indexes in a folder of their own, opened as a list of two
 * snapshots, and what stands in each of their documents, by which a test finds out itself what a stage must say. The list is
 * made as a search makes it, but without a finder, and without a request.
 *
 *   "first"   notes/d000.txt ... and notes/sub/e000.md ...: files, of which some were deleted by their ids
 *   "second"  cards.jsonl: records with the fields title, body and, mostly, year; some were replaced by later ones
 *
 * Every helper fails the test if something goes wrong.
 */
#ifndef BS_TESTS_STAGES_RIG_H
#define BS_TESTS_STAGES_RIG_H

#include "core/simd/kernels.h"
#include "core/store/snapshot_list.h"
#include "query/language/parse.h"
#include "query/language/reading.h"
#include "query/load/loader.h"
#include "query/plan/plan.h"
#include "tests/library_rig.h"

#define RIG_N_INDEXES 2u
#define RIG_MOST_DOCS 600u
#define RIG_N_FIELDS  3u /* title, body and year; of a file the second alone */
#define RIG_FILES     "notes"
#define RIG_RECORDS   "cards.jsonl"

/* A document as it was written. */
struct rig_doc {
	uint32_t entry; /* its index: 0 or 1 */
	uint64_t line;  /* of a record, from 1; 0: a file */
	char id[40];
	char fields[RIG_N_FIELDS][512]; /* words of small ASCII letters and digits, one space between; "": it has no such field */
	bool is_deleted;
	bool is_overlay;       /* in no segment: it was found when the index was opened */
	struct bs_doc_ref ref; /* in the list */
};

extern struct stages_rig {
	char folder[FOLDER_BYTES];
	struct rig_doc docs[RIG_MOST_DOCS]; /* those in the indexes, in document order */
	size_t n_docs;
	struct bs_dir dirs[RIG_N_INDEXES];
	struct bs_snapshot snapshots[RIG_N_INDEXES];
	struct bs_snapshot_list list;
	struct bs_reading reading;
	const struct bs_kernel *kernel;
	struct bs_proofs *proofs[RIG_N_INDEXES];
	struct bs_loader *loader; /* NULL until rig_load */
	struct bs_query_tree *query;
	struct bs_file_names no_names; /* which no query may ask, */
	struct bs_file_names *names;   /* and those that plans have; at first the same */
	struct bs_plan plan;
} rig;

/* Makes the indexes, opens them, and makes the list and its reading. The test's folder is the current one until rig_teardown. */
int rig_setup(void **state);
/* The same, but files of the first change before it is opened: one is new, one changed and one gone, as its overlay says. */
int rig_setup_fresh(void **state);
int rig_teardown(void **state);

/* The text of a file of the folder, "d000.txt", becomes another; the document knows it. */
void rig_change_file(struct rig_doc *doc, const char *text);
void rig_remove_file(const struct rig_doc *doc);
/* Writes the collection again with the records that are not deleted, as the documents have them now, the last one first. */
void rig_rewrite_records(void);

/* The query as the list reads it, in rig.query. */
void rig_parse(const char *query);
/* Its plan, in rig.plan, of any document and by the statistics of the list; or as the scope and statistics say. */
void rig_plan(const char *query);
void rig_plan_as(const char *query, const struct bs_plan_scope *scope, const struct bs_statistics *statistics);
/* A loader of the list, in rig.loader, and it begins a query. */
void rig_load(void);

/* ---- documents ---- */

struct rig_doc *rig_doc(const char *id); /* the live one */
struct rig_doc *rig_doc_at(struct bs_doc_ref ref);
bool rig_is_same(struct bs_doc_ref a, struct bs_doc_ref b);

/* How often a word, or several one after the other, stand in a field (or in any: RIG_N_FIELDS). */
uint32_t rig_count(const struct rig_doc *doc, uint32_t field, const char *words);
bool rig_has(const struct rig_doc *doc, const char *words);
uint32_t rig_length(const struct rig_doc *doc); /* in words */
/* Whether two words stand in one field, at most n words apart from first to last. */
bool rig_has_near(const struct rig_doc *doc, const char *a, const char *b, uint32_t n);
/* Of a field with a number; 0: it has none. */
int rig_year(const struct rig_doc *doc);

/* ---- numbers of scores, deleted documents included, overlays not ---- */

uint64_t rig_n_docs(void);
uint64_t rig_df(const char *word);
double rig_avgdl(void);
double rig_idf(const char *word);
/* BM25 by its formula: the sum over words ("" ends them) of weight * idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / avgdl)). */
struct rig_word {
	const char *word;
	double weight;
};
double rig_score(const struct rig_doc *doc, const struct rig_word *words);

/* ---- queries and what they must find ---- */

struct rig_case {
	const char *query;
	bool (*matches)(const struct rig_doc *doc);
	bool is_words; /* of words alone, by AND, OR and NOT: the columns know all of it */
};
#define RIG_N_CASES 22u
extern const struct rig_case rig_cases[RIG_N_CASES];

/* Queries, and the words of theirs that score. */
#define RIG_MOST_WORDS 4u
struct rig_scored {
	const char *query;
	struct rig_word words[RIG_MOST_WORDS];
	bool (*matches)(const struct rig_doc *doc);
};
#define RIG_N_SCORED 10u
extern const struct rig_scored rig_scored[RIG_N_SCORED];

#endif
