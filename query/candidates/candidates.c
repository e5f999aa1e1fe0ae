/* candidates.c: bs_candidates (bitsift/candidates.h): the documents that may match a pattern, by
 * their grams. */
#include "core/bitsift/candidates.h"
#include "core/bitsift/grep_request.h"

#include <string.h>

#include "core/system/deadline.h"
#include "query/regex/gram_filter.h"
#include "query/regex/pattern_grams.h"
#include "query/search/searcher.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static enum bs_status check(const struct bs_candidates_request *request, struct bs_error *err)
{
	return BS_CHECK_RESERVED(err, BS_RESERVED(bs_candidates_request, *request),
	                         BS_RESERVED(bs_grep_pattern, request->pattern));
}

static enum bs_status make_tree(const struct bs_candidates_request *request,
                                struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_pattern pattern = request->pattern;
	const struct bs_gram_tree *tree;
	pattern.is_multi_line = true;
	enum bs_status status = request->tree ? bs_pattern_tree_grams(request->tree, tree_out, err)
	                                      : bs_pattern_grams(&pattern, tree_out, err);
	tree = *tree_out;
	if (!status && tree &&
	    (bs_gram_tree_root(tree)->kind == BS_GRAM_ANY || bs_gram_tree_has_replacement(tree))) {
		bs_gram_tree_free(*tree_out);
		*tree_out = NULL;
	}
	return status;
}

/* Appends the documents whose bits are set, in document order. */
static enum bs_status list_hits(const struct bs_snapshot_list *list, const struct bs_doc_bits *bits,
                                struct bs_ranked_hits *hits, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; bits->segments && s < bits->n_segments && !status; s++) {
		const uint8_t *bytes = bits->segments[s];
		uint32_t n_bytes = bytes ? (bs_list_segment(list, s)->n_docs + 7) / 8 : 0;
		for (uint32_t i = 0; i < n_bytes && !status; i++)
			for (unsigned left = bytes[i]; left && !status; left &= left - 1) {
				struct bs_ranked_hit hit = {
					.segment = s,
					.document = i * 8 + (unsigned)__builtin_ctz(left),
					.score = 1};
				status = bs_vector_append(hits, &hit, err);
			}
	}
	if (!status)
		bs_sort_by_document(list, hits->items, bs_vector_n(hits));
	return status;
}

#define HIT_NS 50u /* estimated time per hit */

static enum bs_status hand_out(struct bs_searcher *searcher,
                               const struct bs_candidates_request *request,
                               const struct bs_doc_bits *bits, struct bs_error *err)
{
	const struct bs_batch_target target = {searcher->loader, &searcher->assembly,
	                                       request->batch, request->context};
	struct bs_ranked_hits hits = {0};
	enum bs_status status = bs_batches_begin(&searcher->batches, &target, err);
	if (!status)
		status = list_hits(&searcher->list, bits, &hits, err);
	for (size_t i = 0; i < bs_vector_n(&hits) && !status; i++) {
		status = bs_deadline_check_after(HIT_NS, err);
		if (!status)
			status = bs_batches_add(searcher->batches, bs_hit_ref(&hits.items[i]), true,
			                        err);
	}
	if (!status)
		status = bs_batches_flush(searcher->batches, err);
	bs_vector_deinit(&hits);
	return status;
}

static enum bs_status ask(struct bs_searcher *searcher, const struct bs_candidates_request *request,
                          struct bs_candidates_result *result, struct bs_error *err)
{
	/* A tree of one node, used if the pattern requires nothing (ANY: every document is a
	 * candidate) or if there is no pattern (NONE: no document is). */
	static struct bs_gram_node any = {.kind = BS_GRAM_ANY}, none = {.kind = BS_GRAM_NONE};
	bool has_pattern = request->tree || request->pattern.n_patterns;
	struct bs_gram_tree all = {.nodes = has_pattern ? &any : &none, .n_nodes = 1}, *tree = NULL;
	const struct bs_index *index = searcher->index;
	struct bs_gram_filter_how how = {
		.n_threads = 1, .of_documents = true, .is_sample = request->estimate};
	struct bs_gram_filter_stats stats;
	struct bs_doc_bits bits = {.segments = NULL};
	enum bs_status status = has_pattern ? make_tree(request, &tree, err) : BS_OK;
	if (!status)
		status = bs_gram_filter(&index->snapshot, tree ? tree : &all, how, &bits, &stats,
		                        err);
	if (!status)
		*result = (struct bs_candidates_result){.n_candidates = stats.n_candidates,
		                                        .n_unknown = tree ? stats.n_unknown : 0,
		                                        .is_all = !tree && has_pattern,
		                                        .column_bytes = stats.column_bytes};
	bs_gram_tree_free(tree);
	if (!status && request->batch && !request->estimate)
		status = hand_out(searcher, request, &bits, err);
	bs_doc_bits_deinit(&bits);
	return status;
}

enum bs_status bs_candidates(struct bs_searcher *searcher,
                             const struct bs_candidates_request *request,
                             struct bs_candidates_result *result_out, struct bs_error *err)
{
	struct bs_candidates_result own, *result = result_out ? result_out : &own;
	struct bs_searcher_use use;
	*result = (struct bs_candidates_result){.n_candidates = 0};
	enum bs_status status = check(request, err);
	if (!status)
		status = bs_searcher_enter(searcher, request->limits, &use, err);
	if (status)
		return status;
	status = ask(searcher, request, result, err);
	bs_searcher_leave(&use);
	return status;
}
