/*
 * finding.h: a bs_catalog_find under way: catalog_find.c, which opens and asks indexes; catalog_learn.c, which takes words from the best
 * documents of all into the query; catalog_suggest.c, which tells of words that are nowhere.
 */
#ifndef BS_QUERY_CATALOG_FINDING_H
#define BS_QUERY_CATALOG_FINDING_H

#include <stdatomic.h>

#include "core/bitsift/limits.h"
#include "query/catalog/asking.h"

struct bs_finding {
	struct bs_asking asking;
	const struct bs_catalog_find_request *request;
	struct bs_asked **list; /* who has a task now, */
	size_t n_list;
	enum bs_status (*step)(struct bs_finding *finding, struct bs_asked *asked); /* and which; on any thread */
	void *step_context;
	atomic_uint n_open;            /* descriptors of open indexes */
	unsigned most_open;
	bool feeds, shows;             /* a search is for documents to learn from; for what is to be shown */
	struct bs_limits limits;       /* of all; each search has what is left of them */
	atomic_flag is_asking;         /* limits.stop */
	atomic_bool is_stopped;        /* by it */
	bool is_cut;                   /* by a limit (partial): what was found until then is the answer */
	struct bs_catalog_result *result;
	size_t n_places;               /* of the request, */
	atomic_bool *is_found;         /* and whether each lies in some index */
};

/* Does the step with all of the list, and tells what they have to say. What fails is told in their order. */
enum bs_status bs_finding_run(struct bs_finding *finding, struct bs_error *err) BS_WARN_UNUSED;
/* The same for a step without which there is no answer at all: BS_DEADLINE, BS_STOPPED, too. */
enum bs_status bs_finding_run_whole(struct bs_finding *finding, enum bs_status (*step)(struct bs_finding *, struct bs_asked *),
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Who may match and, with probed, who has to say how frequent words are. */
void bs_finding_list(struct bs_finding *finding, bool with_probed);
/* In a step. */
enum bs_status bs_finding_open(struct bs_finding *finding, struct bs_asked *asked) BS_WARN_UNUSED;
/* Finds the best documents of all, for find.feedback_docs. */
enum bs_status bs_finding_feed(struct bs_finding *finding, struct bs_error *err) BS_WARN_UNUSED;
/* The next of all that was found, in its order; NULL: there are no more. Its hit, and it is taken. */
struct bs_asked *bs_finding_next(const struct bs_finding *finding, const struct bs_find_hit **hit_out);

/* Takes what the request wants to be learnt into asking.learnt: from the best documents; from what hits are to be like. */
enum bs_status bs_finding_learn_from_best(struct bs_finding *finding, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_finding_learn_from_like(struct bs_finding *finding, struct bs_error *err) BS_WARN_UNUSED;

/* Tells of the first few words that no index has, each with one much like it that some index has. */
enum bs_status bs_finding_suggest(struct bs_finding *finding, struct bs_error *err) BS_WARN_UNUSED;

#endif
