/*
 * asking.h: a query on its way through a catalog: how each index reads it (asking_words.c), which can match and what scores know of
 * them; then catalog_find.c opens and asks those.
 */
#ifndef BS_QUERY_CATALOG_ASKING_H
#define BS_QUERY_CATALOG_ASKING_H

#include "core/base/vector.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/program/options.h"
#include "query/catalog/catalog_handle.h"
#include "query/language/reading.h"
#include "query/plan/feedback.h"
#include "query/search/finder.h"

/* Indexes that read words in one way. */
struct bs_asking_group {
	const struct bs_catalog_item *item; /* the first */
	struct bs_reading reading;
	struct bs_query_tree *tree;
};

/* What comes of asking an index, or of opening it: apart, so that those of which nothing is asked cost no memory. */
struct bs_answer {
	struct bs_find_result result;
	struct bs_query_stats fed; /* what it cost to find what is learnt from */
	struct bs_error why;
	struct bs_buffer near;     /* a word much like one of the query, */
	bool is_beginning;         /* or the same, which others begin with */
};

BS_VECTOR(bs_hit_copies, struct bs_find_hit *);

/* An index, while it is asked. */
struct bs_asked {
	struct bs_catalog_item *item;
	const struct bs_asking_group *group;
	bool is_reached, is_asked, is_probed;
	bool is_unknown;               /* it may match for all that is known: words are not today's, or there is no summary */
	struct bs_index *index;        /* NULL: not open */
	struct bs_finder *finder;
	struct bs_statistics *statistics; /* its own, if it was gathered from */
	uint64_t generation;              /* that was opened first; 0: it was not */
	struct bs_doc_refs like;          /* the documents that hits are to be like */
	uint64_t n_unread, n_unfollowed;  /* of what is to be fresh */
	const char **places;           /* of those of the request the ones that lie in it, then NULL; NULL: none, or it was not looked */
	size_t n_best;
	struct bs_hit_copies hits;     /* each to be freed */
	size_t n_taken;                /* of those */
	struct bs_hit_copies found;    /* the same, while they are found again to be shown */
	bool is_searched;
	struct bs_buffer lines;        /* what the caller is to be told: catalog_find.c */
	struct bs_answer *answer;
	enum bs_status status;
};

struct bs_asking {
	struct bs_catalog *catalog;
	const struct bs_find_request *find; /* of the catalog's request */
	bool is_fresh;                      /* likewise */
	const struct bs_find_program *program; /* nullable */
	struct bs_asked *asked; /* one an item */
	size_t n_asked;
	struct bs_asking_group *groups;
	size_t n_groups;
	bool is_scored;
	bool learns;                      /* words from documents, */
	struct bs_feedback learnt;        /* which these are, once they are known, */
	struct bs_buffer learnt_df;       /* and u64 each: in how many documents each stands */
	bool has_fields;                  /* statistics name some */
	struct bs_term_table names;       /* that the query may name as fields, and those of them that are, of records */
	struct bs_term_table fields;
	struct bs_statistics *statistics; /* of all, once they are known; first of the fields alone */
	bool is_added_up;
	size_t error_byte;
};

/* Finds out which names of the query are fields anywhere. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_asking_find_fields(struct bs_asking *asking, struct bs_error *err) BS_WARN_UNUSED;
/* Finds out how the items that are reached read queries. BS_INVALID: scores are wanted of items that do it in different ways;
 * BS_UNSUPPORTED, BS_NO_MEMORY. */
enum bs_status bs_asking_read(struct bs_asking *asking, struct bs_error *err) BS_WARN_UNUSED;
/* Reads the query so, with what was learnt by now. BS_INVALID: it does not parse; BS_NO_MEMORY. */
enum bs_status bs_asking_parse(struct bs_asking *asking, struct bs_error *err) BS_WARN_UNUSED;
/* What the catalog itself knows of a word of an item, of which it is asked by its element: *may_out false: no document has it;
 * *is_known_out: *df_out have it. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_asking_know_word(const struct bs_asked *asked, const uint8_t *word, uint32_t word_bytes, bool *may_out,
                                   bool *is_known_out, uint64_t *df_out, struct bs_error *err) BS_WARN_UNUSED;
/* Decides who is asked, and, of the others, who is probed. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_asking_choose(struct bs_asking *asking, struct bs_error *err) BS_WARN_UNUSED;
/* Adds up what scores go by: of those that are opened what was gathered there, of others what the catalog has. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_asking_add_statistics(struct bs_asking *asking, struct bs_error *err) BS_WARN_UNUSED;
void bs_asking_deinit(struct bs_asking *asking);

#endif
