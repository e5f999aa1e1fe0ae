/* verify_many.c: see verify_many.h. Worker threads only verify documents that exist and are
 * unchanged. Everything with side effects (a notice, a changed file, a failure) is left to the
 * caller's thread, which handles it in document order. */
#include "query/verify/verify_many.h"

#include <stdlib.h>

#include "core/bitsift/limits.h"
#include "core/system/workers.h"

/* A task has this many adjacent candidates, so that their records are read together, and locks are
 * taken rarely. */
#define TASK_CANDIDATES 16u
/* How many tasks per thread may be done before results of earlier tasks are taken, so that one
 * large file does not hold up the other threads. */
#define TASKS_AHEAD 8u

/* Estimated costs of verifying a file and a record, and the least work for which an additional
 * thread pays. */
#define FILE_NS   8000u
#define LINE_NS   1200u
#define THREAD_NS 200000u

/* A worker thread. It makes its own state when it gets its first task. */
struct hand {
	struct bs_tokenizer *tokenizer;
	struct bs_loader *loader;
	struct bs_verifier verifier;
	/* The documents of the current task whose texts will be read. */
	uint32_t documents[TASK_CANDIDATES];
	bool has_begun; /* The thread is set up for the current query. */
	/* Setting up failed, so the thread leaves all candidates undecided (is_open). */
	bool is_unfit;
};

struct bs_verify_crew {
	const struct bs_snapshot_list *snapshots;
	struct bs_prefix_checks *const *prefix_checks;
	struct bs_loader *own;
	struct bs_u32s expected; /* The documents that the caller's thread may have to read. */
	uint32_t n_hands;
	struct hand *hands;
	struct bs_workers *workers;
	uint64_t n_slots;
	struct bs_verified *verified; /* The results of n_slots tasks, as a ring. */
	/* The members below describe the current list. */
	const struct bs_verify_request *request;
	const struct bs_verify_list *list;
};

static enum bs_status make_hand(const struct bs_verify_crew *crew, struct hand *hand)
{
	struct bs_tokenizer_options words =
		bs_index_words_options(&crew->snapshots->entries[0].snapshot->manifest.options);
	enum bs_status status =
		hand->tokenizer ? BS_OK : bs_tokenizer_new(&words, &hand->tokenizer, NULL);
	if (!status && !hand->loader)
		status = bs_loader_new(crew->snapshots, crew->prefix_checks, NULL, NULL,
		                       &hand->loader, NULL);
	return status;
}

static void begin_hand(const struct bs_verify_crew *crew, struct hand *hand)
{
	hand->has_begun = true;
	hand->is_unfit = make_hand(crew, hand) != BS_OK;
	if (hand->is_unfit)
		return;
	bs_loader_begin(hand->loader, false, crew->request->no_stat);
	bs_loader_leave_changed(hand->loader);
	hand->verifier = (struct bs_verifier){.request = crew->request,
	                                      .tokenizer = hand->tokenizer,
	                                      .loader = hand->loader,
	                                      .leaves_changed = true};
	hand->is_unfit = bs_verifier_begin(&hand->verifier, NULL) != BS_OK;
}

/* Whether every candidate must be read or checked for changes. Otherwise, only candidates that are
 * not sure must. */
static bool needs_all(const struct bs_verify_request *request)
{
	return (request->is_scored && !request->is_zero) || !request->no_stat;
}

/* Finds the candidates of a task and the place for their results, and returns their number. */
static size_t task_candidates(const struct bs_verify_crew *crew, uint64_t task,
                              const struct bs_candidate **candidates_out,
                              struct bs_verified **verified_out)
{
	size_t first = (size_t)task * TASK_CANDIDATES, n = crew->list->n - first;
	*candidates_out = crew->list->candidates + first;
	*verified_out = crew->verified + task % crew->n_slots * TASK_CANDIDATES;
	return n < TASK_CANDIDATES ? n : TASK_CANDIDATES;
}

/* Announces to the loader the documents whose texts will be read, so that adjacent records are read
 * together. */
static void expect(const struct bs_verify_crew *crew, struct bs_loader *loader,
                   const struct bs_candidate *candidates, size_t n, uint32_t *documents)
{
	size_t n_expected = 0;
	for (size_t i = 0; i < n; i++)
		if (crew->request->is_scored || !candidates[i].is_sure)
			documents[n_expected++] = candidates[i].document;
	bs_loader_expect(loader, crew->list->segment, documents, n_expected);
}

static enum bs_status do_task(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct bs_verify_crew *crew = context;
	struct hand *hand = &crew->hands[task->worker];
	const struct bs_candidate *candidates;
	struct bs_verified *verified;
	size_t n = task_candidates(crew, task->number, &candidates, &verified);
	const bool looks_at_all = needs_all(crew->request);
	struct bs_error why;
	(void)err;
	if (!hand->has_begun)
		begin_hand(crew, hand);
	if (!hand->is_unfit)
		expect(crew, hand->loader, candidates, n, hand->documents);
	for (size_t i = 0; i < n; i++) {
		struct bs_doc_ref ref = {crew->list->segment, candidates[i].document};
		bool is_asked = !hand->is_unfit && (looks_at_all || !candidates[i].is_sure);
		/* A failure leaves the candidate undecided. It occurs again when the caller's
		 * thread verifies the candidate in its turn. */
		if (!is_asked || bs_verify(&hand->verifier, ref, candidates[i].is_sure,
		                           &verified[i], &why) != BS_OK)
			verified[i] = (struct bs_verified){.is_open = true};
	}
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

enum bs_status bs_verify_crew_new(const struct bs_snapshot_list *snapshots,
                                  struct bs_prefix_checks *const *prefix_checks,
                                  struct bs_loader *own, struct bs_verify_crew **crew_out,
                                  struct bs_error *err)
{
	struct bs_verify_crew *crew = calloc(1, sizeof(*crew));
	*crew_out = crew;
	if (!crew)
		return bs_fail_memory(err, "threads", sizeof(*crew));
	crew->snapshots = snapshots;
	crew->prefix_checks = prefix_checks;
	crew->own = own;
	return BS_OK;
}

void bs_verify_crew_end(struct bs_verify_crew *crew)
{
	for (uint32_t i = 0; i < crew->n_hands; i++) {
		bs_verifier_end(&crew->hands[i].verifier);
		crew->hands[i].has_begun = false;
	}
}

static void free_hands(struct bs_verify_crew *crew)
{
	bs_verify_crew_end(crew);
	bs_workers_free(crew->workers);
	for (uint32_t i = 0; i < crew->n_hands; i++) {
		bs_loader_free(crew->hands[i].loader);
		bs_tokenizer_free(crew->hands[i].tokenizer);
	}
	free(crew->hands);
	free(crew->verified);
	crew->workers = NULL;
	crew->hands = NULL;
	crew->verified = NULL;
	crew->n_hands = 0;
}

void bs_verify_crew_free(struct bs_verify_crew *crew)
{
	if (!crew)
		return;
	free_hands(crew);
	bs_vector_deinit(&crew->expected);
	free(crew);
}

/* Makes sure that there are at least n worker threads. */
static enum bs_status need_hands(struct bs_verify_crew *crew, uint32_t n, struct bs_error *err)
{
	struct bs_workers_plan plan = {.n_threads = n,
	                               .n_slots = (uint64_t)n * TASKS_AHEAD,
	                               .work = do_task,
	                               .put = take_task,
	                               .puts_on_caller = true,
	                               .context = crew};
	size_t ring = (size_t)plan.n_slots * TASK_CANDIDATES;
	if (n <= crew->n_hands)
		return BS_OK;
	free_hands(crew);
	enum bs_status status = bs_workers_new(&plan, &crew->workers, err);
	if (status)
		return status;
	crew->hands = calloc(n, sizeof(*crew->hands));
	crew->verified = calloc(ring, sizeof(*crew->verified));
	crew->n_slots = plan.n_slots;
	crew->n_hands = crew->hands ? n : 0;
	if (crew->hands && crew->verified)
		return BS_OK;
	free_hands(crew);
	return bs_fail_memory(err, "threads", ring * sizeof(struct bs_verified));
}

/* The number of threads that pays for the list. Judges by one document, because the documents of a
 * segment are similar. */
static uint32_t threads_for(const struct bs_verify_crew *crew, uint32_t n_threads)
{
	const struct bs_verify_list *list = crew->list;
	const bool looks_at_all = needs_all(crew->request);
	uint64_t n_looks = looks_at_all ? list->n : 0;
	/* Only the caller's thread can match file names. */
	if (n_threads == 1 || list->n * FILE_NS < 2 * THREAD_NS ||
	    crew->request->plan->names->n_leaves > 0)
		return 1;
	for (size_t i = 0; i < list->n && !looks_at_all; i++)
		n_looks += !list->candidates[i].is_sure;
	bool are_lines = bs_loader_is_of_line(
		crew->own,
		(struct bs_doc_ref){list->segment, list->candidates[list->n / 2].document});
	uint64_t n_worth = n_looks * (are_lines ? LINE_NS : FILE_NS) / THREAD_NS;
	if (n_worth < 2)
		return 1;
	uint32_t most = bs_workers_n_threads(n_threads, BS_MAX_THREADS);
	return n_worth < most ? (uint32_t)n_worth : most;
}

static enum bs_status verify_by_threads(struct bs_verify_crew *crew, uint32_t n_threads,
                                        struct bs_error *err)
{
	uint64_t n_tasks = (crew->list->n + TASK_CANDIDATES - 1) / TASK_CANDIDATES;
	enum bs_status status = need_hands(crew, n_threads, err);
	if (status)
		return status;
	bs_workers_renew(crew->workers);
	for (uint32_t i = 1; i < n_threads && bs_workers_start(crew->workers); i++)
		continue;
	for (uint64_t i = 0; i < n_tasks && bs_workers_wait_room(crew->workers); i++)
		(void)bs_workers_add(crew->workers, 1);
	return bs_workers_finish(crew->workers, err);
}

enum bs_status bs_verify_many(struct bs_verify_crew *crew, const struct bs_verify_request *request,
                              const struct bs_verify_list *list, uint32_t n_threads,
                              struct bs_error *err)
{
	static const struct bs_verified open = {.is_open = true};
	if (list->n == 0)
		return BS_OK;
	crew->request = request;
	crew->list = list;
	bs_vector_clear(&crew->expected);
	enum bs_status status = bs_vector_reserve(&crew->expected, list->n, err);
	if (status)
		return status;
	expect(crew, crew->own, list->candidates, list->n, crew->expected.items);
	n_threads = threads_for(crew, n_threads);
	if (n_threads > 1)
		return verify_by_threads(crew, n_threads, err);
	for (size_t i = 0; i < list->n && !status; i++)
		status = list->take(list->context, &list->candidates[i], &open, err);
	return status;
}
