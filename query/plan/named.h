/*
 * named.h: the leaves of a query that ask for files by their names (name: of parse.h). Names stand in the index; a name is
 * asked as a text is, by its bytes and, where those cannot tell, by analysing it. A record has that of the file in a folder
 * that it is of, unless it has a field `name` of its own, which only its text can tell; other records have none.
 */
#ifndef BS_QUERY_PLAN_NAMED_H
#define BS_QUERY_PLAN_NAMED_H

#include "core/simd/kernels.h"
#include "core/text/words.h"
#include "corpus/walk/document.h"
#include "query/plan/plan.h"

/* What is known of the names, of one query. One thread. Zero-initialise; release with bs_named_deinit. */
struct bs_named {
	/* Whether the document's name is one that leaf n asks for. Worked out once a document. BS_CORRUPT, BS_NO_MEMORY. A pointer,
	 * since those who evaluate a query by its text ask it of a query's leaf, and it asks them about the name. */
	enum bs_status (*has)(struct bs_named *named, uint32_t n, struct bs_doc_ref ref, bool *has_out, struct bs_error *err);
	const struct bs_snapshot *snapshot;
	struct bs_name_leaf *leaves;
	uint32_t n_leaves;
	bool is_loose;        /* there may be such fields: a document that `has` names is one unless it has its own */
	struct bs_doc_ref at; /* the document that is being verified */
};
void bs_named_deinit(struct bs_named *named);

/* Whether a document has a name of its own. */
bool bs_named_is_own(const struct bs_field *fields, size_t n_fields);

/* Makes it ready for the plan's query, in place of the one before. All is borrowed; words must be the analyzer of the index.
 * kernel NULL: every name is analysed. BS_NO_MEMORY, or what the analyzer returned. */
enum bs_status bs_named_begin(struct bs_named *named, const struct bs_plan *plan, struct bs_words *words,
                              const struct bs_kernel *kernel, struct bs_error *err) BS_WARN_UNUSED;

#endif
