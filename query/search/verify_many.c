/*
 * verify_many.c: see verify_many.h. Threads only read: what is there and is what was indexed. All that has consequences (a
 * notice, a changed file, a failure) is left open for the caller's thread, which comes to it in document order.
 */
#include "query/search/verify_many.h"

#include <stdlib.h>

#include "core/base/workers.h"

/* Neighbours are one task: records are read together, and a lock costs nothing beside the texts. */
#define TASK_CANDIDATES 16u
/* So many tasks may be done before their turn, for each thread: one large file holds nobody up. */
#define TASKS_AHEAD 8u

/* One thread's. Made by the thread itself, when it first has something to do. */
struct hand {
	struct bs_words *words;
	struct bs_fetcher *fetcher;
	struct bs_verifier verifier;
	uint32_t documents[TASK_CANDIDATES]; /* those of its task whose texts are read */
	bool has_begun;                      /* with this query */
	bool is_unfit;                       /* something could not be made: all it is given comes open */
};

struct bs_verify_crew {
	const struct bs_snapshot *snapshot;
	struct bs_proofs *proofs;
	uint32_t n_hands;
	struct hand *hands;
	struct bs_workers *workers;
	uint64_t n_slots;
	struct bs_verified *verified; /* of n_slots tasks, a ring */
	/* The list under way. */
	const struct bs_verify_request *request;
	const struct bs_verify_list *list;
};

static enum bs_status make_hand(const struct bs_verify_crew *crew, struct hand *hand)
{
	struct bs_words_options words = bs_index_words_options(&crew->snapshot->manifest.options);
	enum bs_status status = hand->words ? BS_OK : bs_words_new(&words, &hand->words, NULL);
	if (!status && !hand->fetcher)
		status = bs_fetcher_new(crew->snapshot, crew->proofs, NULL, NULL, &hand->fetcher, NULL);
	return status;
}

/* With the query under way. */
static void begin_hand(const struct bs_verify_crew *crew, struct hand *hand)
{
	hand->has_begun = true;
	hand->is_unfit = make_hand(crew, hand) != BS_OK;
	if (hand->is_unfit)
		return;
	bs_fetch_begin(hand->fetcher, false, crew->request->no_stat);
	bs_fetch_leave_changed(hand->fetcher);
	hand->verifier = (struct bs_verifier){
		.request = crew->request, .words = hand->words, .fetcher = hand->fetcher, .leaves_changed = true};
	hand->is_unfit = bs_verifier_begin(&hand->verifier, NULL) != BS_OK;
}

bool bs_verify_needs_look(const struct bs_verify_request *request, const struct bs_candidate *candidate)
{
	bool needs_score = request->is_scored && !request->is_zero;
	return needs_score || !candidate->is_sure || !request->no_stat;
}

static void do_candidate(struct bs_verify_crew *crew, struct hand *hand, const struct bs_candidate *candidate,
                         struct bs_verified *verified)
{
	struct bs_doc_ref ref = {crew->list->segment, candidate->document};
	struct bs_error why;
	*verified = (struct bs_verified){.is_open = true};
	/* A failure will come again, in its turn. */
	if (bs_verify_needs_look(crew->request, candidate) && !hand->is_unfit &&
	    bs_verify(&hand->verifier, ref, candidate->is_sure, verified, &why) != BS_OK)
		verified->is_open = true;
}

/* The candidates of a task, and where what comes of them stands. */
static size_t task_candidates(const struct bs_verify_crew *crew, uint64_t task, const struct bs_candidate **candidates_out,
                              struct bs_verified **verified_out)
{
	size_t first = (size_t)task * TASK_CANDIDATES, n = crew->list->n - first;
	*candidates_out = crew->list->candidates + first;
	*verified_out = crew->verified + task % crew->n_slots * TASK_CANDIDATES;
	return n < TASK_CANDIDATES ? n : TASK_CANDIDATES;
}

static enum bs_status do_task(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct bs_verify_crew *crew = context;
	struct hand *hand = &crew->hands[task->worker];
	const struct bs_candidate *candidates;
	struct bs_verified *verified;
	size_t n = task_candidates(crew, task->number, &candidates, &verified), n_expected = 0;
	(void)err;
	if (!hand->has_begun)
		begin_hand(crew, hand);
	for (size_t i = 0; i < n && !hand->is_unfit; i++)
		if (crew->request->is_scored || !candidates[i].is_sure)
			hand->documents[n_expected++] = candidates[i].document;
	if (!hand->is_unfit)
		bs_fetch_expect(hand->fetcher, crew->list->segment, hand->documents, n_expected);
	for (size_t i = 0; i < n; i++)
		do_candidate(crew, hand, &candidates[i], &verified[i]);
	return BS_OK;
}

static enum bs_status take_task(void *context, uint64_t task, struct bs_error *err)
{
	struct bs_verify_crew *crew = context;
	const struct bs_candidate *candidates;
	struct bs_verified *verified;
	size_t n = task_candidates(crew, task, &candidates, &verified);
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n && !status; i++)
		status = crew->list->take(crew->list->context, &candidates[i], &verified[i], err);
	return status;
}

enum bs_status bs_verify_crew_new(const struct bs_snapshot *snapshot, struct bs_proofs *proofs, uint32_t n_threads,
                                  struct bs_verify_crew **crew_out, struct bs_error *err)
{
	struct bs_verify_crew *crew = calloc(1, sizeof(*crew));
	struct bs_workers_plan plan = {.n_threads = n_threads, .n_slots = (uint64_t)n_threads * TASKS_AHEAD,
	                               .work = do_task, .put = take_task, .puts_on_caller = true, .context = crew};
	size_t ring = (size_t)plan.n_slots * TASK_CANDIDATES;
	*crew_out = NULL;
	if (!crew)
		return bs_fail_memory(err, "threads", sizeof(*crew));
	crew->snapshot = snapshot;
	crew->proofs = proofs;
	crew->n_hands = n_threads;
	crew->n_slots = plan.n_slots;
	crew->hands = calloc(n_threads, sizeof(*crew->hands));
	crew->verified = calloc(ring, sizeof(*crew->verified));
	enum bs_status status = BS_OK;
	if (!crew->hands || !crew->verified)
		status = bs_fail_memory(err, "threads", ring * sizeof(struct bs_verified));
	if (!status)
		status = bs_workers_new(&plan, &crew->workers, err);
	if (status)
		bs_verify_crew_free(crew);
	else
		*crew_out = crew;
	return status;
}

void bs_verify_crew_end(struct bs_verify_crew *crew)
{
	for (uint32_t i = 0; crew && crew->hands && i < crew->n_hands; i++) {
		bs_verifier_end(&crew->hands[i].verifier);
		crew->hands[i].has_begun = false;
	}
}

void bs_verify_crew_free(struct bs_verify_crew *crew)
{
	if (!crew)
		return;
	bs_verify_crew_end(crew);
	bs_workers_free(crew->workers);
	for (uint32_t i = 0; crew->hands && i < crew->n_hands; i++) {
		bs_fetcher_free(crew->hands[i].fetcher);
		bs_words_free(crew->hands[i].words);
	}
	free(crew->hands);
	free(crew->verified);
	free(crew);
}

enum bs_status bs_verify_many(struct bs_verify_crew *crew, const struct bs_verify_request *request,
                              const struct bs_verify_list *list, uint32_t n_threads, struct bs_error *err)
{
	struct bs_workers *workers = crew->workers;
	uint64_t n_tasks = (list->n + TASK_CANDIDATES - 1) / TASK_CANDIDATES;
	crew->request = request;
	crew->list = list;
	bs_workers_renew(workers);
	for (uint32_t i = 1; i < n_threads && i < crew->n_hands && bs_workers_start(workers); i++)
		continue;
	for (uint64_t i = 0; i < n_tasks && bs_workers_wait_room(workers); i++)
		(void)bs_workers_add(workers, 1);
	return bs_workers_finish(workers, err);
}
