/* filename_match.c: see filename_match.h. */
#include "query/verify/filename_match.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/source_kind.h"
#include "query/verify/byte_verifier.h"

enum memo {
	MEMO_EMPTY, /* Not computed. Zero, as calloc leaves it. */
	MEMO_NO,
	MEMO_YES,
};

/* A `name:` leaf as a query of its own, whose documents are file names. */
struct bs_name_leaf {
	uint32_t n; /* The number of the leaf's node in the query. */
	struct bs_query_node node;
	struct bs_query_tree query;
	struct bs_plan plan;
	struct bs_byte_verifier *byte_verifier; /* NULL: every name is analysed. */
	struct bs_matcher *matcher;
	/* For each segment of the list and for each overlay, an array with an enum memo for each
	 * document; NULL: nothing computed yet. */
	uint8_t **memo;
};

void bs_filename_match_deinit(struct bs_filename_match *named)
{
	for (uint32_t i = 0; i < named->names.n_leaves; i++) {
		struct bs_name_leaf *leaf = &named->leaves[i];
		for (uint32_t s = 0; leaf->memo && s < named->list->n_segments; s++)
			free(leaf->memo[s]);
		free(leaf->memo);
		bs_byte_verifier_free(leaf->byte_verifier);
		bs_matcher_free(leaf->matcher);
	}
	free(named->leaves);
	*named = (struct bs_filename_match){0};
}

static enum bs_status begin_leaf(struct bs_name_leaf *leaf, uint32_t n, const struct bs_plan *plan,
                                 struct bs_tokenizer *tokenizer, const struct bs_kernel *kernel,
                                 struct bs_error *err)
{
	leaf->n = n;
	leaf->node = plan->query->nodes[n];
	leaf->node.field = BS_QUERY_ANY_FIELD;
	leaf->query = *plan->query;
	leaf->query.nodes = &leaf->node;
	leaf->query.n_nodes = 1;
	leaf->plan = *plan;
	leaf->plan.query = &leaf->query;
	leaf->memo = calloc(plan->list->n_segments, sizeof(*leaf->memo));
	if (!leaf->memo)
		return bs_fail_memory(err, "names", plan->list->n_segments * sizeof(*leaf->memo));
	enum bs_status status = bs_matcher_new(&leaf->query, tokenizer, &leaf->matcher, err);
	if (!status && kernel)
		status = bs_byte_verifier_new(&leaf->plan, tokenizer, kernel, &leaf->byte_verifier,
		                              err);
	return status;
}

/* Finds the name of a document: for a file in a folder, its path below the folder; for a file that
 * is a source itself, the last component of its path; for a record, the name of its file if that is
 * in a folder. Empty: the document has no name. */
static enum bs_status find_name(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                struct bs_field *name_out, struct bs_error *err)
{
	struct bs_doc_record record;
	*name_out = (struct bs_field){.name = "", .text = (const uint8_t *)""};
	enum bs_status status = bs_snapshot_name(snapshot, ref, &record, err);
	if (status)
		return status;
	const struct bs_source_record *source = &snapshot->manifest.sources[record.source];
	const char *slash = strrchr(source->path, '/');
	if (source->kind == BS_SOURCE_FOLDER)
		*name_out = (struct bs_field){
			.name = "", .text = record.name, .text_bytes = record.name_bytes};
	else if (source->parent)
		name_out->text = (const uint8_t *)source->path;
	else if (source->kind == BS_SOURCE_FILE)
		name_out->text = (const uint8_t *)(slash ? slash + 1 : source->path);
	if (source->kind == BS_SOURCE_FILE || source->parent)
		name_out->text_bytes = strlen((const char *)name_out->text);
	return BS_OK;
}

static enum bs_status ask(struct bs_name_leaf *leaf, struct bs_doc_ref ref,
                          const struct bs_field *name, bool *has_out, struct bs_error *err)
{
	enum bs_verdict verdict = BS_VERDICT_UNKNOWN;
	struct bs_match match = {0};
	enum bs_status status = BS_OK;
	if (leaf->byte_verifier)
		status = bs_byte_verifier_fields(leaf->byte_verifier, ref, name, 1, false, false,
		                                 &verdict, &match, err);
	if (!status && verdict == BS_VERDICT_UNKNOWN)
		status = bs_match_document(leaf->matcher, ref, name, 1, &match, err);
	*has_out = verdict == BS_VERDICT_YES || match.matches;
	return status;
}

static enum bs_status has_name(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
                               bool *has_out, struct bs_error *err)
{
	struct bs_filename_match *named = (struct bs_filename_match *)(void *)names;
	const struct bs_list_segment *segment = bs_list_segment(named->list, ref.segment);
	struct bs_name_leaf *leaf = named->leaves;
	while (leaf->n != n)
		leaf++;
	uint8_t **memo = &leaf->memo[ref.segment];
	enum bs_status status = BS_OK;
	*has_out = false;
	if (!*memo && !(*memo = calloc((size_t)segment->n_docs + 1, 1)))
		return bs_fail_memory(err, "names", segment->n_docs);
	if ((*memo)[ref.document] == MEMO_EMPTY) {
		struct bs_field name;
		status =
			find_name(segment->snapshot, bs_list_own_ref(named->list, ref), &name, err);
		if (!status && name.text_bytes > 0)
			status = ask(leaf, ref, &name, has_out, err);
		if (status)
			return status;
		(*memo)[ref.document] = *has_out ? MEMO_YES : MEMO_NO;
	}
	*has_out = (*memo)[ref.document] == MEMO_YES;
	return status;
}

/* Whether records that have a file name may have their own field `name`: the index has collections
 * in folders, and a field of that name. */
static bool has_own_names(const struct bs_snapshot *snapshot)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	static const char own_name[] = "name";
	const size_t n = sizeof(own_name) - 1;
	uint32_t field;
	bool has = false;
	for (uint32_t i = 0; i < manifest->n_sources && !has; i++)
		has = manifest->sources[i].parent > 0;
	return has && bs_term_table_find(&manifest->fields, (const uint8_t *)own_name, (uint32_t)n,
	                                 bs_hash_slot(own_name, n), &field);
}

enum bs_status bs_filename_match_begin(struct bs_filename_match *named, const struct bs_plan *plan,
                                       struct bs_tokenizer *tokenizer,
                                       const struct bs_kernel *kernel, struct bs_error *err)
{
	const struct bs_query_tree *query = plan->query;
	enum bs_status status = BS_OK;
	uint32_t n_leaves = 0;
	bs_filename_match_deinit(named);
	for (size_t n = 0; n < query->n_nodes; n++)
		n_leaves += bs_query_is_file_name(&query->nodes[n]);
	if (n_leaves == 0)
		return BS_OK;
	named->names.has = has_name;
	named->list = plan->list;
	for (uint32_t i = 0; i < plan->list->n_entries; i++)
		named->names.is_loose |= has_own_names(plan->list->entries[i].snapshot);
	named->leaves = calloc(n_leaves, sizeof(*named->leaves));
	if (!named->leaves)
		return bs_fail_memory(err, "names", n_leaves * sizeof(*named->leaves));
	for (uint32_t n = 0; n < query->n_nodes && !status; n++)
		if (bs_query_is_file_name(&query->nodes[n]))
			status = begin_leaf(&named->leaves[named->names.n_leaves++], n, plan,
			                    tokenizer, kernel, err);
	return status;
}
