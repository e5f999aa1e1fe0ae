/*
 * catalog_search.c: bs_catalog_search: opens the indexes that may match, several at a time, and
 * searches them as one list.
 *
 *     check fingerprints -> choose by the catalog (catalog_query.h) -> open -> search
 *       (search_question.h) -> hits
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/bitsift/catalog.h"
#include "core/bitsift/index.h"
#include "core/program/catalog_search.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"
#include "query/catalog/catalog_query.h"
#include "query/search/search_question.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* If all open indexes together have more file descriptors than this, or than half of the process's
 * limit, all of these descriptors are closed. */
#define MOST_DESCRIPTORS 1024u
#define MOST_THREADS     64u

struct finding {
	struct bs_catalog_query query;
	const struct bs_catalog_search_request *request;
	struct bs_unavailable_policy absence;
	struct bs_question question;
	struct bs_limits limits;          /* The request's limits, minus the time used. */
	struct bs_catalog_part **opening; /* The indexes to open now. */
	struct bs_catalog_part **opened;  /* The indexes of the searcher's list, in its order. */
	/* The request's places that some open index contains; NULL-terminated. */
	const char **places;
	size_t n_opening, n_opened;
	struct bs_searcher *searcher; /* Searches the open indexes; NULL: none is open. */
	struct bs_catalog_search_result *result;
	uint64_t n_shown; /* The number of hits passed to the caller. */
};

static bool is_cut_off(const struct finding *finding, enum bs_status status)
{
	const struct bs_limits *limits = finding->request->search.limits;
	return bs_deadline_ended(status) && limits && limits->partial;
}

/* Leaves an index out of the search. Fails like bs_catalog_leave_out. */
static enum bs_status leave_out(struct finding *finding, struct bs_catalog_part *part,
                                enum bs_status status, const struct bs_error *why,
                                struct bs_error *err)
{
	status = bs_catalog_leave_out(finding->query.catalog, &finding->absence, part->item, status,
	                              why, err);
	if (status)
		return status;
	part->is_reached = part->is_asked = part->is_probed = false;
	bs_index_close(part->index);
	part->index = NULL;
	return BS_OK;
}

/* Leaves an index out if it has no words, or if its analyzer is missing. */
static enum bs_status check_words(struct finding *finding, struct bs_catalog_part *part,
                                  struct bs_error *err)
{
	const struct bs_catalog *catalog = finding->query.catalog;
	struct bs_recorded_options *options = &part->item->read.options;
	struct bs_error why = {"this index has only grams, no words"};
	enum bs_status status = options->words
	                                ? bs_recorded_options_bind(options, catalog->analyzer,
	                                                           part->item->place, &why)
	                                : BS_UNSUPPORTED;
	return status ? leave_out(finding, part, status, &why, err) : BS_OK;
}

static enum bs_status look(struct finding *finding, struct bs_error *err)
{
	struct bs_catalog_query *query = &finding->query;
	uint64_t n_changed;
	enum bs_status status =
		bs_catalog_look_at_all(query->catalog, &finding->absence, &n_changed, err);
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		query->parts[i].is_reached = !finding->absence.is_absent[i];
		if (query->parts[i].is_reached)
			status = check_words(finding, &query->parts[i], err);
	}
	return status;
}

/* Stores a notice until the indexes in `opening` are open, because it arrives on any thread. */
static void keep_notice(void *context, const char *message)
{
	struct bs_catalog_part *part = context;
	struct bs_error line;
	(void)bs_fail(&line, BS_OK, "%s: %s", part->item->name, message);
	(void)!bs_buffer_append(&part->notices, line.text, strlen(line.text) + 1, NULL);
}

static void report_notices(const struct finding *finding, struct bs_catalog_part *part)
{
	const struct bs_search_request *find = &finding->request->search;
	const char *line = (const char *)part->notices.data;
	for (size_t at = 0; at < part->notices.used_bytes && find->callbacks.notice;
	     at += strlen(line + at) + 1)
		find->callbacks.notice(find->callbacks.context, line + at);
	bs_buffer_clear(&part->notices);
}

static enum bs_status open_part(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct finding *finding = context;
	struct bs_catalog_part *part = finding->opening[task->number];
	const struct bs_catalog *catalog = finding->query.catalog;
	const struct bs_open_request request = {.dir = part->item->place,
	                                        .kernel = catalog->kernel,
	                                        .host.consent = catalog->consent,
	                                        .host.analyzer = catalog->analyzer,
	                                        .host.log = catalog->log,
	                                        .fresh = finding->request->fresh,
	                                        .verbose =
	                                                finding->request->search.callbacks.verbose,
	                                        .notice = keep_notice,
	                                        .context = part};
	(void)err;
	part->status =
		bs_index_open_asked(&request, !finding->query.opens_all, &part->index, &part->why);
	return BS_OK;
}

/* Closes the descriptors of all open indexes if they are too many. Their files stay mapped. */
static void spare_descriptors(const struct finding *finding)
{
	struct rlimit files;
	const struct bs_catalog_query *query = &finding->query;
	bool is_known =
		getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 2 < MOST_DESCRIPTORS;
	uint64_t most = is_known ? files.rlim_cur / 2 : MOST_DESCRIPTORS, n = 0;
	for (size_t i = 0; i < query->n_parts; i++)
		n += query->parts[i].index
		             ? query->parts[i].index->snapshot.manifest.n_segments + (uint64_t)3
		             : 0;
	for (size_t i = 0; i < query->n_parts && n > most; i++)
		if (query->parts[i].index)
			bs_index_close_files(query->parts[i].index);
}

/* Opens the indexes in `opening`. */
static enum bs_status open_some(struct finding *finding, struct bs_error *err)
{
	uint32_t n_threads = finding->request->search.method.n_threads;
	const struct bs_workers_plan plan = {.n_threads =
	                                             bs_workers_n_threads(n_threads, MOST_THREADS),
	                                     .n_slots = 1,
	                                     .work = open_part,
	                                     .context = finding};
	enum bs_status status =
		finding->n_opening ? bs_workers_run(&plan, finding->n_opening, err) : BS_OK;
	for (size_t i = 0; i < finding->n_opening && !status; i++) {
		struct bs_catalog_part *part = finding->opening[i];
		report_notices(finding, part);
		if (part->status)
			status = leave_out(finding, part, part->status, &part->why, err);
	}
	spare_descriptors(finding);
	return status;
}

/* Opens the selected indexes (is_asked or is_probed) in groups, so that the descriptors of one
 * group can be closed before the next is opened. */
static enum bs_status open_parts(struct finding *finding, struct bs_error *err)
{
	enum {
		AT_ONCE = 256
	};
	struct rlimit files;
	const struct bs_catalog_query *query = &finding->query;
	size_t most = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 16 < AT_ONCE
	                      ? (size_t)files.rlim_cur / 16 + 1
	                      : AT_ONCE;
	enum bs_status status = BS_OK;
	finding->n_opening = 0;
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		struct bs_catalog_part *part = &query->parts[i];
		if ((part->is_asked || part->is_probed) && !part->index)
			finding->opening[finding->n_opening++] = part;
		if (finding->n_opening < most && i + 1 < query->n_parts)
			continue;
		status = open_some(finding, err);
		finding->n_opening = 0;
	}
	return status;
}

/* Creates a searcher of all open indexes. */
static enum bs_status make_searcher(struct finding *finding, struct bs_error *err)
{
	const struct bs_catalog_query *query = &finding->query;
	struct bs_searcher_index *indexes = calloc(query->n_parts + 1, sizeof(*indexes));
	if (!indexes)
		return bs_fail_memory(err, "a searcher", query->n_parts * sizeof(*indexes));
	finding->n_opened = 0;
	for (size_t i = 0; i < query->n_parts; i++) {
		struct bs_catalog_part *part = &query->parts[i];
		if (!part->index)
			continue;
		indexes[finding->n_opened] =
			(struct bs_searcher_index){.index = part->index,
		                                   .name = part->item->name,
		                                   .is_passed_over = !part->is_asked};
		finding->opened[finding->n_opened++] = part;
	}
	bs_searcher_free(finding->searcher);
	finding->searcher = NULL;
	enum bs_status status = finding->n_opened
	                                ? bs_searcher_make(indexes, (uint32_t)finding->n_opened,
	                                                   &finding->searcher, err)
	                                : BS_OK;
	free(indexes);
	return status;
}

/* Opens the indexes chosen since the last call, and creates a searcher of all open indexes. */
static enum bs_status open_chosen(struct finding *finding, struct bs_error *err)
{
	enum bs_status status = open_parts(finding, err);
	return status ? status : make_searcher(finding, err);
}

/* Sets finding->places to the request's places that are in open indexes. An index without any of
 * them has no hits. *missing_out: a place that is in no open index; NULL: no such place. */
static enum bs_status find_places(struct finding *finding, const char **missing_out,
                                  struct bs_error *err)
{
	const char *const *places = finding->request->search.filter.places;
	bool *has_some = calloc(finding->n_opened + 1, sizeof(*has_some));
	size_t n = 0;
	enum bs_status status = has_some ? BS_OK : bs_fail_memory(err, "places", finding->n_opened);
	*missing_out = NULL;
	if (!status && finding->searcher)
		status = bs_searcher_need_filter(finding->searcher, err);
	for (size_t p = 0; places[p] && !status; p++) {
		bool is_found = false;
		for (uint32_t i = 0; i < finding->n_opened && !status; i++) {
			bool has = false;
			status = bs_filter_has_place(finding->searcher->filter, places[p], i, &has,
			                             err);
			has_some[i] |= has;
			is_found |= has;
		}
		if (is_found)
			finding->places[n++] = places[p];
		else
			*missing_out = places[p];
	}
	finding->places[n] = NULL;
	for (size_t i = 0; i < finding->n_opened && !status; i++) {
		finding->opened[i]->is_asked &= has_some[i];
		finding->searcher->list.entries[i].is_passed_over = !finding->opened[i]->is_asked;
	}
	free(has_some);
	return status;
}

/* Checks that each place of the request is in some index, and opens all indexes if necessary. If an
 * index is unavailable, a missing place is no error, because that index may have it. */
static enum bs_status check_places(struct finding *finding, struct bs_error *err)
{
	const char *missing;
	enum bs_status status = find_places(finding, &missing, err);
	for (size_t i = 0; i < finding->query.n_parts && missing && !status; i++)
		finding->query.parts[i].is_probed |= finding->query.parts[i].is_reached;
	if (missing && !status)
		status = open_chosen(finding, err);
	if (missing && !status)
		status = find_places(finding, &missing, err);
	if (missing && !status && finding->absence.n == 0)
		status = bs_fail(err, BS_NOT_FOUND, "%s: in no index of the catalog", missing);
	finding->question.selection.places = finding->places;
	return status;
}

static int show(void *context, const struct bs_hit *hit)
{
	struct finding *finding = context;
	const struct bs_catalog_search_request *request = finding->request;
	const struct bs_snapshot_list *list = &finding->searcher->list;
	const struct bs_doc_ref ref = bs_find_hit_ref(hit), own = bs_list_own_ref(list, ref);
	const struct bs_catalog_item *item =
		finding->opened[bs_list_segment(list, ref.segment)->entry]->item;
	struct bs_hit shown = *hit;
	const struct bs_catalog_hit of_catalog = {
		.hit = &shown,
		.index = item->name,
		.place = item->place,
		.entry = (size_t)(item - finding->query.catalog->file.items)};
	shown.document = bs_document_number(own);
	finding->n_shown++;
	return request->hit(request->search.callbacks.context, &of_catalog);
}

static void notice(void *context, const char *message)
{
	const struct bs_search_request *find = &((const struct finding *)context)->request->search;
	find->callbacks.notice(find->callbacks.context, message);
}

static void notice_query(void *context, const char *message)
{
	const struct bs_search_request *find = &((const struct finding *)context)->request->search;
	find->callbacks.notice_query(find->callbacks.context, message);
}

static void explain(void *context, const char *text, size_t text_bytes)
{
	const struct bs_search_request *find = &((const struct finding *)context)->request->search;
	find->callbacks.explain(find->callbacks.context, text, text_bytes);
}

/* Makes the question that the searcher of the open indexes is asked. */
static enum bs_status make_question(struct finding *finding,
                                    const struct bs_search_program *program, struct bs_error *err)
{
	struct bs_search_request find = finding->request->search;
	if (find.callbacks.hit || find.callbacks.batch || find.query.statistics)
		return bs_fail(err, BS_INVALID,
		               "struct bs_catalog_search_request: search.callbacks.hit, "
		               "search.callbacks.batch and search.query.statistics must be NULL");
	find.callbacks.hit = finding->request->hit ? show : NULL;
	enum bs_status status = bs_question_make(&find, program, &finding->question, err);
	finding->question.adds_statistics = true;
	finding->question.listener = (struct bs_search_callbacks){
		.hit = find.callbacks.hit,
		.notice = find.callbacks.notice ? notice : NULL,
		.notice_query = find.callbacks.notice_query ? notice_query : NULL,
		.explain = find.callbacks.explain ? explain : NULL,
		.context = finding};
	return status;
}

static enum bs_status search(struct finding *finding, struct bs_error *err)
{
	const struct bs_limits *limits = finding->request->search.limits;
	enum bs_status status = limits ? bs_catalog_limit(limits, &finding->limits, err) : BS_OK;
	if (!status)
		status = bs_searcher_find(finding->searcher, &finding->question,
		                          limits ? &finding->limits : NULL,
		                          &finding->result->search, err);
	finding->query.error_byte = finding->result->search.error_byte;
	return status;
}

/* Whether a status means that an index could not be read. */
static bool is_of_index(enum bs_status status)
{
	return status == BS_CORRUPT || status == BS_IO || status == BS_UNTRUSTED ||
	       status == BS_UNSUPPORTED;
}

static int ignore_hit(void *context, const struct bs_hit *hit)
{
	(void)context, (void)hit;
	return 0;
}

/* Searches each open index separately and leaves out those that cannot be read. *is_any_out: there
 * are such indexes. */
static enum bs_status find_faulty(struct finding *finding, bool *is_any_out, struct bs_error *err)
{
	struct bs_question question = finding->question;
	enum bs_status status = BS_OK;
	*is_any_out = false;
	question.listener =
		(struct bs_search_callbacks){.hit = question.listener.hit ? ignore_hit : NULL};
	question.selection.places = NULL;
	for (size_t i = 0; i < finding->n_opened && !status; i++) {
		const struct bs_searcher_index only = {.index = finding->opened[i]->index};
		struct bs_search_result result;
		struct bs_searcher *searcher;
		struct bs_error why;
		enum bs_status here = bs_searcher_make(&only, 1, &searcher, &why);
		if (!here)
			here = bs_searcher_find(searcher, &question, NULL, &result, &why);
		bs_searcher_free(searcher);
		if (!is_of_index(here))
			continue;
		*is_any_out = true;
		bs_searcher_free(finding->searcher);
		finding->searcher = NULL;
		status = leave_out(finding, finding->opened[i], here, &why, err);
	}
	return status;
}

/* Searches the open indexes. If one cannot be read, searches again without it, unless a hit was
 * passed on or the query needs an example document by its id. */
static enum bs_status search_sound(struct finding *finding, struct bs_error *err)
{
	bool is_any = true;
	enum bs_status status = BS_OK;
	while (finding->searcher) {
		struct bs_error why;
		if (finding->query.others &&
		    (finding->query.is_scored || finding->query.has_fields))
			status = bs_catalog_query_count_others(&finding->query, &why);
		finding->question.statistics = status ? NULL : finding->query.others;
		if (!status)
			status = search(finding, &why);
		if (!is_of_index(status) || finding->n_shown > 0 || finding->question.like.id)
			return status ? bs_fail(err, status, "%s", why.text) : BS_OK;
		enum bs_status others = find_faulty(finding, &is_any, err);
		if (others || !is_any)
			return others ? others : bs_fail(err, status, "%s", why.text);
		status = make_searcher(finding, err);
	}
	return status;
}

/* Reports words of the query that no index has, each with a similar word, if there is one. First
 * opens some indexes that may have the words or similar ones. */
static enum bs_status suggest(struct finding *finding, struct bs_error *err)
{
	enum bs_status status = bs_catalog_query_count_others(&finding->query, err);
	if (!status)
		status = bs_catalog_query_choose_like(&finding->query, err);
	if (!status)
		status = open_chosen(finding, err);
	finding->question.statistics = finding->query.others;
	return status || !finding->searcher
	               ? status
	               : bs_searcher_suggest(finding->searcher, &finding->question, err);
}

static void count_parts(const struct finding *finding)
{
	struct bs_catalog_search_result *result = finding->result;
	for (size_t i = 0; i < finding->query.n_parts; i++) {
		const struct bs_catalog_part *part = &finding->query.parts[i];
		result->n_asked += part->is_asked && part->index;
		result->n_probed += !part->is_asked && part->index;
		result->n_skipped += part->is_reached && !part->is_asked;
		result->n_unread += part->index ? part->index->n_unread : 0;
		result->n_unfollowed += part->index ? part->index->n_unfollowed : 0;
	}
}

/* Chooses and opens the indexes to search. */
static enum bs_status prepare(struct finding *finding, struct bs_error *err)
{
	struct bs_catalog_query *query = &finding->query;
	enum bs_status status = look(finding, err);
	if (!status)
		status = bs_catalog_query_check(query, err);
	if (!status && !query->opens_all)
		status = bs_catalog_query_choose(query, err);
	for (size_t i = 0; i < query->n_parts && query->opens_all; i++)
		query->parts[i].is_asked = query->parts[i].is_reached;
	if (!status)
		status = open_chosen(finding, err);
	return status || !finding->request->search.filter.places ? status
	                                                         : check_places(finding, err);
}

static enum bs_status answer(struct finding *finding, struct bs_error *err)
{
	const struct bs_search_request *find = &finding->request->search;
	struct bs_search_result *result = &finding->result->search;
	enum bs_status status = prepare(finding, err);
	if (!status)
		status = search_sound(finding, err);
	if (is_cut_off(finding, status)) {
		*result = (struct bs_search_result){
			.error_byte = SIZE_MAX, .is_partial = true, .is_at_least = true};
		status = BS_OK;
	}
	if (status)
		return status;
	if (finding->n_opened == 0 && finding->query.analyses)
		bs_catalog_query_notices(&finding->query);
	count_parts(finding);
	if (find->callbacks.suggest && find->callbacks.notice && result->n_hits == 0 &&
	    !result->is_partial && !finding->query.opens_all)
		status = suggest(finding, err);
	/* No time was left for reports other than the hits. */
	return is_cut_off(finding, status) ? BS_OK : status;
}

static enum bs_status make_room(struct finding *finding, struct bs_error *err)
{
	struct bs_catalog_query *query = &finding->query;
	const char *const *places = finding->request->search.filter.places;
	size_t n_places = 0, n = query->n_parts;
	while (places && places[n_places])
		n_places++;
	query->parts = calloc(n + 1, sizeof(*query->parts));
	finding->opening = calloc(n + 1, sizeof(struct bs_catalog_part *));
	finding->opened = calloc(n + 1, sizeof(struct bs_catalog_part *));
	finding->places = calloc(n_places + 1, sizeof(*finding->places));
	finding->absence = (struct bs_unavailable_policy){
		.partial = finding->request->partial,
		.without = "answers",
		.not_done = "not searched: ",
		.notice = finding->request->search.callbacks.notice,
		.context = finding->request->search.callbacks.context,
		.is_absent = calloc(n + 1, sizeof(bool))};
	if (!query->parts || !finding->absence.is_absent || !finding->opening || !finding->opened ||
	    !finding->places)
		return bs_fail_memory(err, "a query", n * sizeof(*query->parts));
	for (size_t i = 0; i < n; i++)
		query->parts[i].item = &query->catalog->file.items[i];
	return BS_OK;
}

static void end(struct finding *finding)
{
	struct bs_catalog_query *query = &finding->query;
	bs_searcher_free(finding->searcher);
	for (size_t i = 0; query->parts && i < query->n_parts; i++) {
		bs_index_close(query->parts[i].index);
		bs_buffer_deinit(&query->parts[i].notices);
	}
	free(query->parts);
	free(finding->opening);
	free(finding->opened);
	free(finding->places);
	free(finding->absence.is_absent);
	bs_catalog_query_deinit(query);
	bs_catalog_keep(query->catalog);
}

enum bs_status bs_catalog_search(struct bs_catalog *catalog,
                                 const struct bs_catalog_search_request *request,
                                 struct bs_catalog_search_result *result_out, struct bs_error *err)
{
	return bs_catalog_search_for_program(catalog, request, NULL, result_out, err);
}

enum bs_status bs_catalog_search_for_program(struct bs_catalog *catalog,
                                             const struct bs_catalog_search_request *request,
                                             const struct bs_search_program *program,
                                             struct bs_catalog_search_result *result_out,
                                             struct bs_error *err)
{
	struct bs_catalog_search_result own, *result = result_out ? result_out : &own;
	const struct bs_search_request *find = &request->search;
	const size_t n = catalog->file.n_items;
	const bool learns =
		find->query.feedback_docs || find->query.like_id || find->query.like_text;
	struct finding finding = {
		.request = request,
		.result = result,
		.query = {.catalog = catalog,
	                  .find = find,
	                  .n_parts = n,
	                  .error_byte = SIZE_MAX,
	                  .is_scored =
	                          find->output.mode == BS_SEARCH_TOP && !find->output.sort_field,
	                  .opens_all = learns || request->fresh || find->method.brute || n == 1}};
	struct bs_deadline deadline;
	*result = (struct bs_catalog_search_result){.n_indexes = n,
	                                            .search = {.error_byte = SIZE_MAX}};
	enum bs_status status =
		BS_CHECK_RESERVED(err, BS_RESERVED(bs_catalog_search_request, *request));
	if (!status)
		status = make_question(&finding, program, err);
	if (!status)
		status = bs_deadline_begin(&deadline, find->limits, err);
	if (status)
		return status;
	finding.question.suggest &= finding.query.opens_all;
	status = make_room(&finding, err);
	if (!status)
		status = answer(&finding, err);
	bs_deadline_end(&deadline);
	result->n_unreachable = finding.absence.n;
	result->search.error_byte = status == BS_INVALID ? finding.query.error_byte : SIZE_MAX;
	end(&finding);
	return status;
}
