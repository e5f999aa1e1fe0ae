/* hit_assembly.h: fills in a hit for the caller: its id and path, a snippet, passages. */
#pragma once

#include "core/bitsift/search_result.h"
#include "query/answer/passage.h"
#include "query/load/loader.h"
#include "query/rank/rank.h"
#include "query/verify/match.h"

/* The parts of a hit that the caller wants in addition to its id. */
struct bs_hit_parts {
	bool snippets;
	bool passages;
	/* Written in a snippet before and after each word found; NULL: nothing. */
	const char *mark_start;
	const char *mark_stop;
	uint32_t snippet_columns; /* The width of a snippet in columns; 0: BS_SNIPPET_WIDTH. */
};

/* The memory that hits point to. Used by one thread. Zero-initialise; release with
 * bs_hit_assembly_deinit. */
struct bs_hit_assembly {
	struct bs_buffer id, local_id, path, snippet;
	struct bs_word_hits words; /* The occurrences of the query's words in the document. */
	struct bs_passages passages;
};
void bs_hit_assembly_deinit(struct bs_hit_assembly *assembly);

/* Sets id, local_id and path of a hit, which are borrowed until the assembly is used again.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_hit_assembly_name(struct bs_hit_assembly *assembly, struct bs_loader *loader,
                                    struct bs_doc_ref ref, struct bs_hit *hit_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Reads the document again and sets the snippet and the passages as requested, borrowed until the
 * assembly is used again. The snippet is NULL if the document is gone, and empty if it cannot be
 * read. Returns the failures of bs_load, bs_match_hits and bs_passages_find. */
enum bs_status bs_hit_assembly_text(struct bs_hit_assembly *assembly, struct bs_loader *loader,
                                    struct bs_matcher *matcher, const struct bs_hit_parts *wanted,
                                    struct bs_doc_ref ref, struct bs_hit *hit_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Prefetches the index's data about hits that will be named soon after hit i. Call it for each i,
 * ascending. */
void bs_hit_assembly_prefetch(const struct bs_snapshot_list *list, const struct bs_ranked_hit *hits,
                              size_t n_hits, size_t i);
