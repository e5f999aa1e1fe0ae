/*
 * catalog_find.c: bs_catalog_find. Those that may match are opened and asked, several at a time:
 *
 *     look at stamps -> read the query -> choose by summaries -> open, gather -> find -> merge -> find again, with snippets -> hits
 *
 * The ten best of each are found without snippets, and of those whose hits are among the ten best of all so many again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/value.h"
#include "core/bitsift/catalog.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/program/catalog_find.h"
#include "core/program/find_program.h"
#include "core/system/watch.h"
#include "core/system/workers.h"
#include "query/answer/explain.h"
#include "query/catalog/finding.h"
#include "query/search/finder.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Indexes with so many descriptors stay open between two steps, at most. */
#define MOST_OPEN 1024u
#define MOST_THREADS 64u

/* Lines for the caller, which come on threads that are not his: kept for later. */
enum line_kind { LINE_NOTICE, LINE_EXPLAIN };

static void keep_line(struct bs_asked *asked, enum line_kind kind, const char *text, size_t n_bytes)
{
	uint8_t kind_byte = (uint8_t)kind;
	if (bs_buffer_reserve(&asked->lines, 1 + sizeof(n_bytes) + n_bytes + 1, NULL) != BS_OK)
		return;
	(void)!bs_buffer_append(&asked->lines, &kind_byte, 1, NULL);
	(void)!bs_buffer_append(&asked->lines, &n_bytes, sizeof(n_bytes), NULL);
	(void)!bs_buffer_append(&asked->lines, text, n_bytes, NULL);
	(void)!bs_buffer_append(&asked->lines, "", 1, NULL);
}

static void take_notice(void *context, const char *message)
{
	struct bs_asked *asked = context;
	struct bs_error line;
	(void)bs_fail(&line, BS_OK, "%s: %s", asked->item->name, message);
	keep_line(asked, LINE_NOTICE, line.text, strlen(line.text));
}

/* The query has been read, and what is to be said of it was. */
static void ignore_notice(void *context, const char *message)
{
	(void)context, (void)message;
}

static void take_explain(void *context, const char *text, size_t text_bytes)
{
	keep_line(context, LINE_EXPLAIN, text, text_bytes);
}

static void explain_head(const struct bs_find_request *find, const char *name)
{
	struct bs_error head;
	(void)bs_fail(&head, BS_OK, "%s:", name);
	find->explain(find->context, head.text, strlen(head.text));
	find->explain(find->context, "\n", 1);
}

static void tell_lines(const struct bs_finding *finding, struct bs_asked *asked)
{
	const struct bs_find_request *find = finding->asking.find;
	const uint8_t *at = asked->lines.data;
	bool has_head = false;
	size_t n_bytes;
	for (size_t off = 0; off < asked->lines.used_bytes; off += 1 + sizeof(n_bytes) + n_bytes + 1) {
		memcpy(&n_bytes, at + off + 1, sizeof(n_bytes));
		const char *text = (const char *)at + off + 1 + sizeof(n_bytes);
		if (at[off] == LINE_EXPLAIN) {
			if (!has_head)
				explain_head(find, asked->item->name);
			has_head = true;
			find->explain(find->context, text, n_bytes);
		} else if (find->notice)
			find->notice(find->context, text);
	}
	bs_buffer_clear(&asked->lines);
}

/* Room for what a hit points to, behind it. */
struct room {
	uint8_t *at;
	size_t n_bytes; /* so far */
};

static const char *put(struct room *room, const char *bytes, size_t n_bytes)
{
	uint8_t *to = room->at ? room->at + room->n_bytes : NULL;
	room->n_bytes += n_bytes + 1;
	if (!to || !bytes)
		return bytes ? (const char *)to : NULL;
	memcpy(to, bytes, n_bytes);
	to[n_bytes] = '\0';
	return (const char *)to;
}

static void put_passage(struct room *room, const struct bs_passage *from, struct bs_passage *to)
{
	struct bs_passage copy = *from;
	copy.field = put(room, from->field, from->field_bytes);
	copy.text = put(room, from->text, from->text_bytes);
	if (to)
		*to = copy;
}

/* Twice: with no room it only counts. */
static void put_hit(struct room *room, const struct bs_find_hit *hit, struct bs_find_hit *to, struct bs_passage *passages)
{
	struct bs_find_hit copy = *hit;
	for (size_t i = 0; i < hit->n_passages; i++)
		put_passage(room, &hit->passages[i], passages ? &passages[i] : NULL);
	put_passage(room, &hit->best, &copy.best);
	copy.passages = passages;
	copy.id = put(room, hit->id, hit->id_bytes);
	copy.local_id = put(room, hit->local_id, hit->local_id_bytes);
	copy.path = put(room, hit->path, hit->path ? strlen(hit->path) : 0);
	copy.snippet = put(room, hit->snippet, hit->snippet ? hit->snippet_bytes : 0);
	copy.value = put(room, hit->value, hit->value ? strlen(hit->value) : 0);
	if (to)
		*to = copy;
}

static int take_hit(void *context, const struct bs_find_hit *hit)
{
	struct bs_asked *asked = context;
	struct room room = {NULL, 0};
	size_t head_bytes = sizeof(*hit) + hit->n_passages * sizeof(struct bs_passage);
	put_hit(&room, hit, NULL, NULL);
	struct bs_find_hit *copy = malloc(head_bytes + room.n_bytes);
	asked->status = copy ? BS_OK : bs_fail_memory(&asked->answer->why, "a hit", head_bytes + room.n_bytes);
	if (copy) {
		room = (struct room){(uint8_t *)copy + head_bytes, 0};
		put_hit(&room, hit, copy, (struct bs_passage *)(copy + 1));
		asked->status = bs_vector_append(&asked->hits, &copy, &asked->answer->why);
		if (asked->status)
			free(copy);
	}
	return asked->status != BS_OK;
}

static struct bs_find_hit *hit_at(const struct bs_asked *asked, size_t i)
{
	return asked->hits.items[i];
}

static size_t n_hits_of(const struct bs_asked *asked)
{
	return bs_vector_n(&asked->hits);
}

static void forget_hits(struct bs_hit_copies *hits)
{
	for (size_t i = 0; i < bs_vector_n(hits); i++)
		free(hits->items[i]);
	bs_vector_clear(hits);
}

static void exchange(struct bs_asked *asked)
{
	struct bs_hit_copies found = asked->found;
	asked->found = asked->hits;
	asked->hits = found;
}

/* Of its segments, its directory, the folder that this lies in, and a collection. */
static unsigned n_descriptors(const struct bs_asked *asked)
{
	return asked->index->snapshot.manifest.n_segments + 3;
}

static void close_index(struct bs_finding *finding, struct bs_asked *asked)
{
	if (asked->index)
		atomic_fetch_sub(&finding->n_open, n_descriptors(asked));
	bs_finder_free(asked->finder);
	bs_index_close(asked->index);
	asked->finder = NULL;
	asked->index = NULL;
}

enum bs_status bs_finding_open(struct bs_finding *finding, struct bs_asked *asked)
{
	const struct bs_catalog *catalog = finding->asking.catalog;
	struct bs_open_request request = {.dir = asked->item->place, .kernel = catalog->kernel, .consent = catalog->consent,
	                                  .analyzer = catalog->analyzer, .log = catalog->log};
	struct bs_index_info info;
	if (asked->index)
		return BS_OK;
	request.fresh = finding->asking.is_fresh;
	request.verbose = finding->asking.find->verbose;
	request.notice = asked->generation ? NULL : take_notice; /* opened again, it has told all */
	request.context = asked;
	enum bs_status status = bs_index_open_asked(&request, true, &asked->index, &asked->answer->why);
	if (status)
		return status;
	bs_index_describe(asked->index, &info);
	asked->n_unread = info.n_unread;
	asked->n_unfollowed = info.n_unfollowed;
	atomic_fetch_add(&finding->n_open, n_descriptors(asked));
	/* What is learnt of documents goes by their numbers. */
	if (asked->generation && asked->generation != info.generation && finding->asking.learns)
		return bs_fail(&asked->answer->why, BS_BUSY, "it changed while it was asked: ask again");
	asked->generation = info.generation;
	return bs_finder_new(asked->index, &asked->finder, &asked->answer->why);
}

/* One thread at a time asks the caller, whose word ends all searches. */
static int ask_caller(void *context)
{
	struct bs_finding *finding = context;
	const struct bs_limits *limits = finding->asking.find->limits;
	if (!atomic_load(&finding->is_stopped) && !atomic_flag_test_and_set(&finding->is_asking)) {
		if (limits->stop(limits->context))
			atomic_store(&finding->is_stopped, true);
		atomic_flag_clear(&finding->is_asking);
	}
	return atomic_load(&finding->is_stopped);
}

/* What was found until then is to be the answer. */
static bool is_cut_off(const struct bs_finding *finding, enum bs_status status)
{
	return bs_watch_ended(status) && finding->limits.partial;
}

static enum bs_status gather(struct bs_finding *finding, struct bs_asked *asked)
{
	const struct bs_asking *asking = &finding->asking;
	struct bs_find_request find = *asking->find;
	find.limits = NULL;
	find.feedback_docs = 0;
	find.like_id = find.like_text = NULL;
	enum bs_status status = bs_finding_open(finding, asked);
	if (!status)
		status = bs_statistics_new(&asked->statistics, &asked->answer->why);
	if (!status)
		status = bs_statistics_gather(asked->finder, &find, asked->statistics, &asked->answer->why);
	if (status != BS_INVALID || !asking->learns)
		return status;
	/* A query without words, beside those that are learnt; what else is wrong with it comes up again. */
	bs_statistics_set(asked->statistics, asked->index->snapshot.totals.n_docs,
	                  asked->index->snapshot.totals.n_positions);
	return BS_OK;
}

/* Those of the request that lie in the index: others may lie in others. */
static enum bs_status find_places(struct bs_finding *finding, struct bs_asked *asked)
{
	const char *const *places = finding->asking.find->places;
	enum bs_status status = bs_finding_open(finding, asked);
	if (!status && asked->places)
		asked->is_asked &= *asked->places != NULL;
	if (status || finding->n_places == 0 || asked->places)
		return status;
	asked->places = calloc(finding->n_places + 1, sizeof(*asked->places));
	if (!asked->places)
		return bs_fail_memory(&asked->answer->why, "places", finding->n_places * sizeof(*asked->places));
	size_t n = 0;
	for (size_t i = 0; i < finding->n_places && !status; i++) {
		bool has = false;
		status = bs_finder_has_place(asked->finder, places[i], &has, &asked->answer->why);
		if (has) {
			asked->places[n++] = places[i];
			atomic_store(&finding->is_found[i], true);
		}
	}
	asked->is_asked &= n > 0;
	return status;
}

static bool are_found(const struct bs_finding *finding)
{
	size_t n = 0;
	while (n < finding->n_places && atomic_load(&finding->is_found[n]))
		n++;
	return n == finding->n_places;
}

static enum bs_status find_missing(struct bs_finding *finding, struct bs_asked *asked)
{
	return are_found(finding) ? BS_OK : find_places(finding, asked);
}

static enum bs_status search(struct bs_finding *finding, struct bs_asked *asked)
{
	const struct bs_asking *asking = &finding->asking;
	struct bs_find_request find = *asking->find;
	bool is_first = !finding->shows;
	struct bs_limits limits;
	enum bs_status status = find_places(finding, asked);
	if (status || !asked->is_asked)
		return status;
	status = bs_catalog_limit(&finding->limits, &limits, &asked->answer->why);
	if (status)
		return status;
	/* What is shown of what was found already is no answer if it is not whole, nor is it to learn from. */
	limits.partial &= !finding->shows && !finding->feeds;
	asked->is_searched = true;
	find.statistics = asking->is_scored || asking->has_fields ? asking->statistics : NULL;
	find.limits = find.limits ? &limits : NULL;
	find.strict_query = find.suggest = false;
	find.n_best = finding->shows ? asked->n_best : bs_question_n_wanted(&find);
	if (finding->feeds) {
		find.mode = BS_FIND_TOP;
		find.n_best = find.feedback_docs;
		find.sort_field = NULL;
		find.explain = NULL;
		find.exhaustive = false;
	}
	find.feedback_docs = 0;
	find.like_id = find.like_text = NULL;
	find.offset = 0;
	find.places = asked->places;
	find.snippets &= finding->shows;
	find.passages &= finding->shows;
	find.n_threads = finding->n_list > 1 ? 1 : find.n_threads;
	find.hit = find.mode == BS_FIND_COUNT ? NULL : take_hit;
	find.notice = is_first ? take_notice : NULL;
	find.notice_query = ignore_notice;
	find.explain = find.explain && is_first ? take_explain : NULL;
	find.context = asked;
	struct bs_taught taught = {&asking->learnt, &asked->like};
	bs_finder_teach(asked->finder, asking->learns && !finding->feeds ? &taught : NULL);
	struct bs_find_result before = asked->answer->result;
	status = bs_find_for_program(asked->finder, &find, asking->program, &asked->answer->result, &asked->answer->why);
	if (finding->shows)
		asked->answer->result = before;
	/* A callback that ends it has its reason. */
	return status == BS_STOPPED && asked->status ? asked->status : status;
}

/* What fails is told in the order of the catalog, once all have come so far. */
static enum bs_status work(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct bs_finding *finding = context;
	struct bs_asked *asked = finding->list[task->number];
	(void)err;
	asked->status = BS_OK;
	asked->status = finding->step(finding, asked);
	bool is_searched = finding->step == search && !finding->feeds;
	bool is_done = !asked->is_asked || (is_searched && (finding->shows || finding->asking.find->mode != BS_FIND_TOP));
	if (asked->status || is_done || atomic_load(&finding->n_open) > finding->most_open)
		close_index(finding, asked);
	return BS_OK;
}

static bool is_of_all(enum bs_status status)
{
	return status == BS_NO_MEMORY || bs_watch_ended(status) || status == BS_INVALID;
}

/* An index that cannot be asked. */
static enum bs_status cannot(struct bs_finding *finding, struct bs_asked *asked, enum bs_status status, const struct bs_error *why,
                             struct bs_error *err)
{
	const struct bs_catalog_find_request *request = finding->request;
	struct bs_error line;
	if (is_of_all(status))
		return bs_fail(err, status, "%s", why->text);
	if (!request->partial)
		return bs_fail(err, status, "%s: %s; --partial answers without it", asked->item->name, why->text);
	asked->is_reached = asked->is_asked = asked->is_probed = false;
	finding->result->n_unreachable++;
	(void)bs_fail(&line, status, "%s: not asked: %s", asked->item->name, why->text);
	if (request->find.notice)
		request->find.notice(request->find.context, line.text);
	return BS_OK;
}

static enum bs_status cannot_look(void *context, const struct bs_catalog_item *item, enum bs_status status, const struct bs_error *why,
                                  struct bs_error *err)
{
	struct bs_finding *finding = context;
	return cannot(finding, &finding->asking.asked[item - finding->asking.catalog->file.items], status, why, err);
}

/* Half of the descriptors that the process may have. */
static unsigned most_open(void)
{
	struct rlimit files;
	return getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 2 < MOST_OPEN ? (unsigned)(files.rlim_cur / 2) : MOST_OPEN;
}

/* Whether it can be asked for words at all. */
static enum bs_status check_words(struct bs_finding *finding, struct bs_asked *asked, struct bs_error *err)
{
	struct bs_index_options *options = &asked->item->read.options;
	struct bs_error why = {"an index of grams alone, which knows no words"};
	enum bs_status status = options->words ? bs_index_options_bind(options, finding->asking.catalog->analyzer, asked->item->place, &why)
	                                       : BS_UNSUPPORTED;
	return status ? cannot(finding, asked, status, &why, err) : BS_OK;
}

enum bs_status bs_finding_run(struct bs_finding *finding, struct bs_error *err)
{
	long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t wished = finding->asking.find->n_threads;
	uint32_t n_threads = wished ? wished : n_processors > 0 ? (uint32_t)n_processors : 1;
	struct bs_workers_plan plan = {.n_threads = n_threads < MOST_THREADS ? n_threads : MOST_THREADS, .n_slots = 1, .work = work,
	                               .context = finding};
	enum bs_status status = finding->n_list ? bs_workers_run(&plan, finding->n_list, err) : BS_OK;
	for (size_t i = 0; i < finding->n_list && !status; i++) {
		struct bs_asked *asked = finding->list[i];
		tell_lines(finding, asked);
		if (is_cut_off(finding, asked->status))
			finding->is_cut = true;
		else if (asked->status)
			status = cannot(finding, asked, asked->status, &asked->answer->why, err);
	}
	return status;
}

void bs_finding_list(struct bs_finding *finding, bool with_probed)
{
	finding->n_list = 0;
	for (size_t i = 0; i < finding->asking.n_asked; i++) {
		struct bs_asked *asked = &finding->asking.asked[i];
		if (asked->is_asked || (with_probed && asked->is_probed))
			finding->list[finding->n_list++] = asked;
	}
}

enum bs_status bs_finding_run_whole(struct bs_finding *finding, enum bs_status (*step)(struct bs_finding *, struct bs_asked *),
                                    struct bs_error *err)
{
	finding->step = step;
	enum bs_status status = bs_finding_run(finding, err);
	if (status || !finding->is_cut)
		return status;
	bs_watch_give_up();
	return bs_watch_ask(err);
}

/* Without the word of each there are no scores. */
static enum bs_status gather_all(struct bs_finding *finding, struct bs_error *err)
{
	bs_finding_list(finding, true);
	return bs_finding_run_whole(finding, gather, err);
}

/* Each place of the request must lie in some index; of those that were not asked one after the other is opened until each does. What cannot be
 * reached, or not in time, may have it. */
static enum bs_status check_places(struct bs_finding *finding, struct bs_error *err)
{
	const char *const *places = finding->asking.find->places;
	enum bs_status status = BS_OK;
	finding->n_list = 0;
	for (size_t i = 0; i < finding->asking.n_asked && !are_found(finding); i++) {
		struct bs_asked *asked = &finding->asking.asked[i];
		if (asked->is_reached && !asked->places)
			finding->list[finding->n_list++] = asked;
	}
	finding->step = find_missing;
	status = bs_finding_run(finding, err);
	for (size_t i = 0; i < finding->n_places && !status && finding->result->n_unreachable == 0 && !finding->is_cut; i++)
		if (!atomic_load(&finding->is_found[i]))
			status = bs_fail(err, BS_NOT_FOUND, "%s: not in an index of the catalog", places[i]);
	return status;
}

static enum bs_status find_all(struct bs_finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	bool is_known = asking->is_fresh || asking->is_added_up;
	enum bs_status status = asking->is_scored && !is_known ? gather_all(finding, err) : BS_OK;
	if (!status && (asking->is_scored || asking->has_fields))
		status = bs_asking_add_statistics(asking, err);
	finding->step = search;
	bs_finding_list(finding, false);
	if (!status)
		status = bs_finding_run(finding, err);
	if (!status)
		status = check_places(finding, err);
	bs_finding_list(finding, false);
	return status;
}

/* Of two hits of different indexes, whether the second comes first; of equal ones it does not. */
static bool comes_before(const struct bs_find_request *find, bool is_feeding, const struct bs_find_hit *a, const struct bs_find_hit *b)
{
	struct bs_value x, y;
	if (!find->sort_field || is_feeding)
		return b->score > a->score;
	if (!a->value || !b->value)
		return !a->value && b->value;
	if (!bs_value_parse((const uint8_t *)a->value, strlen(a->value), &x) ||
	    !bs_value_parse((const uint8_t *)b->value, strlen(b->value), &y))
		return false;
	int order = bs_value_compare(&y, &x);
	return find->sort_descending ? order > 0 : order < 0;
}

/* Of all that is not yet taken the first; NULL: nothing is left. */
static struct bs_asked *next_best(const struct bs_finding *finding)
{
	struct bs_asked *best = NULL;
	for (size_t i = 0; i < finding->n_list; i++) {
		struct bs_asked *asked = finding->list[i];
		if (asked->n_taken < n_hits_of(asked) &&
		    (!best || comes_before(finding->asking.find, finding->feeds, hit_at(best, best->n_taken), hit_at(asked, asked->n_taken))))
			best = asked;
	}
	return best;
}

struct bs_asked *bs_finding_next(const struct bs_finding *finding, const struct bs_find_hit **hit_out)
{
	struct bs_asked *best = next_best(finding);
	*hit_out = best ? hit_at(best, best->n_taken++) : NULL;
	return best;
}

/* What came of it is forgotten but for the hits, and the time it took. */
enum bs_status bs_finding_feed(struct bs_finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	bool is_scored = asking->is_scored;
	asking->is_scored = finding->feeds = true;
	enum bs_status status = bs_asking_choose(asking, err);
	if (!status)
		status = find_all(finding, err);
	asking->is_scored = is_scored;
	for (size_t i = 0; i < finding->n_list; i++) {
		struct bs_asked *asked = finding->list[i];
		memcpy(asked->answer->fed.stage_ns, asked->answer->result.stats.stage_ns, sizeof(asked->answer->fed.stage_ns));
		asked->answer->fed.total_ns = asked->answer->result.stats.total_ns;
		asked->answer->fed.verify.verified = asked->answer->result.stats.verify.verified;
		asked->answer->fed.verify.bytes = asked->answer->result.stats.verify.bytes;
		asked->answer->result = (struct bs_find_result){.n_hits = 0};
	}
	return status;
}

static enum bs_status show(struct bs_finding *finding, struct bs_asked *asked, uint64_t rank, struct bs_error *err)
{
	const struct bs_catalog_find_request *request = finding->request;
	struct bs_find_hit *hit = hit_at(asked, asked->n_taken++);
	struct bs_catalog_hit shown = {.hit = hit, .index = asked->item->name, .place = asked->item->place,
	                               .entry = (size_t)(asked->item - finding->asking.catalog->file.items)};
	hit->rank = rank;
	return request->hit(request->find.context, &shown) ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

/* The first of all: those indexes that have some of them find so many again, with snippets, or, if there is no time for that,
 * show them without. */
static enum bs_status show_best(struct bs_finding *finding, struct bs_error *err)
{
	const struct bs_find_request *find = finding->asking.find;
	size_t wanted = bs_question_n_wanted(find), n = 0, n_list = 0;
	struct bs_asked *asked;
	while (n < wanted && (asked = next_best(finding))) {
		asked->n_taken++;
		n++;
	}
	for (size_t i = 0; i < finding->n_list; i++) {
		asked = finding->list[i];
		asked->n_best = asked->n_taken;
		asked->n_taken = 0;
		exchange(asked);
		if (asked->n_best > 0)
			finding->list[n_list++] = asked;
	}
	finding->n_list = n_list;
	finding->shows = true;
	finding->step = search;
	enum bs_status status = bs_finding_run(finding, err);
	for (size_t i = 0; i < n_list; i++)
		if (is_cut_off(finding, finding->list[i]->status))
			exchange(finding->list[i]);
	for (n = 0; n < wanted && !status && (asked = next_best(finding)); n++) {
		if (n < find->offset)
			asked->n_taken++;
		else
			status = show(finding, asked, n + 1, err);
	}
	return status;
}

static enum bs_status show_ids(struct bs_finding *finding, struct bs_error *err)
{
	size_t n = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < finding->n_list && !status; i++) {
		struct bs_asked *asked = finding->list[i];
		for (size_t k = 0; k < n_hits_of(asked) && !status; k++) {
			if (n++ < finding->asking.find->offset)
				asked->n_taken++;
			else
				status = show(finding, asked, 0, err);
		}
	}
	return status;
}

static void add_stats(struct bs_query_stats *to, const struct bs_query_stats *from)
{
	for (int stage = 0; stage < BS_STAGES; stage++)
		to->stage_ns[stage] += from->stage_ns[stage];
	to->total_ns += from->total_ns;
	to->scan.lines_read += from->scan.lines_read;
	to->scan.document_lines += from->scan.document_lines;
	to->scan.asked += from->scan.asked;
	to->scan.blocks_live += from->scan.blocks_live;
	to->scan.candidates += from->scan.candidates;
	to->rank.blocks_skipped += from->rank.blocks_skipped;
	to->rank.blocks_weighed += from->rank.blocks_weighed;
	to->rank.blocks_dropped += from->rank.blocks_dropped;
	to->rank.scored += from->rank.scored;
	to->verify.verified += from->verify.verified;
	to->hits += from->hits;
	to->verify.false_positives += from->verify.false_positives;
	to->verify.bytes += from->verify.bytes;
}

static void add_result(struct bs_find_result *to, const struct bs_find_result *from)
{
	to->n_hits += from->n_hits;
	to->is_at_least |= from->is_at_least;
	to->is_partial |= from->is_partial;
	to->n_unreadable += from->n_unreadable;
	if (to->changes.n_changed + to->changes.n_gone == 0)
		memcpy(to->changes.example, from->changes.example, sizeof(to->changes.example));
	to->changes.n_changed += from->changes.n_changed;
	to->changes.n_gone += from->changes.n_gone;
	add_stats(&to->stats, &from->stats);
}

static void add_up(struct bs_finding *finding)
{
	const struct bs_asking *asking = &finding->asking;
	for (size_t i = 0; i < asking->n_asked; i++) {
		const struct bs_asked *asked = &asking->asked[i];
		finding->result->n_asked += asked->is_asked && asked->is_searched;
		finding->result->n_probed += !asked->is_asked && asked->generation > 0;
		finding->result->n_unread += asked->n_unread;
		finding->result->n_unfollowed += asked->is_searched ? asked->n_unfollowed : 0;
		finding->result->n_skipped += asked->is_reached && !asked->is_asked;
		if (asked->is_asked)
			add_result(&finding->result->find, &asked->answer->result);
		if (asked->generation)
			add_stats(&finding->result->find.stats, &asked->answer->fed);
	}
}

static void tell_query(const struct bs_finding *finding)
{
	const struct bs_find_request *find = finding->asking.find;
	void (*tell)(void *, const char *) = find->notice_query ? find->notice_query : find->notice;
	const struct bs_query_tree *tree = finding->asking.n_groups ? finding->asking.groups[0].tree : NULL;
	for (uint32_t i = 0; tree && i < tree->notices.n && tell; i++)
		tell(find->context, tree->notices.lines[i].text);
}

static enum bs_status learn(struct bs_finding *finding, struct bs_error *err)
{
	const struct bs_find_request *find = finding->asking.find;
	struct bs_buffer text = {.data = NULL};
	enum bs_status status = find->feedback_docs ? bs_finding_learn_from_best(finding, err) : bs_finding_learn_from_like(finding, err);
	finding->feeds = false;
	for (size_t i = 0; i < finding->asking.n_asked; i++) {
		forget_hits(&finding->asking.asked[i].hits);
		finding->asking.asked[i].n_taken = 0;
	}
	if (!status && find->explain && finding->asking.learnt.n_texts > 0)
		status = bs_explain_learnt(&finding->asking.learnt, &text, err);
	if (!status && text.used_bytes > 0)
		find->explain(find->context, (const char *)text.data, text.used_bytes);
	bs_buffer_deinit(&text);
	return status;
}

/* Up to what is to be shown. */
static enum bs_status ask(struct bs_finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	uint64_t n_changed;
	bool *is_reached = calloc(asking->n_asked + 1, sizeof(*is_reached));
	if (!is_reached)
		return bs_fail_memory(err, "a query", asking->n_asked);
	enum bs_status status = bs_catalog_look_at_all(asking->catalog, is_reached, cannot_look, finding, &n_changed, err);
	for (size_t i = 0; i < asking->n_asked; i++)
		asking->asked[i].is_reached = is_reached[i];
	free(is_reached);
	for (size_t i = 0; i < asking->n_asked && !status; i++)
		if (asking->asked[i].is_reached)
			status = check_words(finding, &asking->asked[i], err);
	for (size_t i = 0; i < asking->n_asked && asking->is_fresh; i++)
		asking->asked[i].is_asked = asking->asked[i].is_reached;
	if (!status && asking->is_fresh)
		status = gather_all(finding, err);
	if (!status)
		status = bs_asking_find_fields(asking, err);
	if (!status)
		status = bs_asking_read(asking, err);
	if (!status && asking->learns)
		status = learn(finding, err);
	if (!status)
		status = bs_asking_parse(asking, err);
	if (!status) {
		tell_query(finding);
		status = bs_asking_choose(asking, err);
	}
	return status ? status : find_all(finding, err);
}

static enum bs_status answer(struct bs_finding *finding, struct bs_error *err)
{
	const struct bs_find_request *find = finding->asking.find;
	struct bs_find_result *result = &finding->result->find;
	enum bs_status status = ask(finding, err);
	if (is_cut_off(finding, status)) {
		finding->is_cut = true;
		finding->n_list = 0;
		status = BS_OK;
	}
	if (status)
		return status;
	add_up(finding);
	result->is_partial |= finding->is_cut;
	if (result->is_partial) {
		result->is_at_least = true;
		bs_watch_give_up();
		(void)bs_watch_grace();
	}
	if (find->suggest && result->n_hits == 0 && !result->is_partial && find->notice)
		status = bs_finding_suggest(finding, err);
	/* There was no time for what is told beside hits. */
	if (is_cut_off(finding, status))
		status = BS_OK;
	if (status || find->mode == BS_FIND_COUNT)
		return status;
	return find->mode == BS_FIND_IDS ? show_ids(finding, err) : show_best(finding, err);
}

static enum bs_status check_request(const struct bs_catalog_find_request *request, struct bs_error *err)
{
	struct bs_find_request find = request->find;
	struct bs_question question;
	if (find.hit || find.statistics)
		return bs_fail(err, BS_INVALID, "struct bs_catalog_find_request: find.hit and find.statistics must be NULL");
	find.hit = request->hit ? take_hit : NULL;
	enum bs_status status = bs_check_reserved("struct bs_catalog_find_request", request->reserved, COUNT(request->reserved), err);
	return status ? status : bs_question_make(&find, NULL, &question, err);
}

enum bs_status bs_catalog_find(struct bs_catalog *catalog, const struct bs_catalog_find_request *request,
                               struct bs_catalog_result *result_out, struct bs_error *err)
{
	return bs_catalog_find_for_program(catalog, request, NULL, result_out, err);
}

enum bs_status bs_catalog_find_for_program(struct bs_catalog *catalog, const struct bs_catalog_find_request *request,
                                           const struct bs_find_program *program, struct bs_catalog_result *result_out,
                                           struct bs_error *err)
{
	struct bs_catalog_result own, *result = result_out ? result_out : &own;
	const struct bs_find_request *find = &request->find;
	size_t n = catalog->file.n_items;
	struct bs_finding finding = {.request = request, .asking = {.catalog = catalog, .find = &request->find, .is_fresh = request->fresh, .program = program, .n_asked = n, .error_byte = SIZE_MAX}, .result = result,
	                             .is_asking = ATOMIC_FLAG_INIT, .most_open = most_open()};
	struct bs_watch watch;
	finding.limits = find->limits ? *find->limits : finding.limits;
	finding.limits.stop = finding.limits.stop ? ask_caller : NULL;
	finding.limits.context = &finding;
	*result = (struct bs_catalog_result){.n_indexes = n, .find = {.error_byte = SIZE_MAX}};
	enum bs_status status = check_request(request, err);
	if (!status)
		status = bs_watch_begin(&watch, find->limits ? &finding.limits : NULL, err);
	if (status)
		return status;
	finding.asking.learns = find->feedback_docs || find->like_id || find->like_text;
	finding.asking.is_scored = find->mode == BS_FIND_TOP && !find->sort_field;
	struct bs_asked *asked = finding.asking.asked = calloc(n + 1, sizeof(*asked));
	struct bs_answer *answers = calloc(n + 1, sizeof(*answers));
	finding.list = calloc(n + 1, sizeof(struct bs_asked *));
	while (find->places && find->places[finding.n_places])
		finding.n_places++;
	finding.is_found = calloc(finding.n_places + 1, sizeof(*finding.is_found));
	for (size_t i = 0; i < n && asked && answers; i++) {
		asked[i].item = &catalog->file.items[i];
		asked[i].answer = &answers[i];
	}
	status = asked && answers && finding.list && finding.is_found ? answer(&finding, err) : bs_fail_memory(err, "a query", n * sizeof(*asked));
	bs_watch_end(&watch);
	result->find.error_byte = status == BS_INVALID ? finding.asking.error_byte : SIZE_MAX;
	for (size_t i = 0; i < n && asked && answers; i++) {
		close_index(&finding, &asked[i]);
		forget_hits(&asked[i].hits);
		forget_hits(&asked[i].found);
		bs_statistics_free(asked[i].statistics);
		free(asked[i].places);
		bs_vector_deinit(&asked[i].hits);
		bs_vector_deinit(&asked[i].found);
		bs_vector_deinit(&asked[i].like);
		bs_buffer_deinit(&answers[i].near);
		bs_buffer_deinit(&asked[i].lines);
	}
	free(asked);
	free(answers);
	free(finding.list);
	free(finding.is_found);
	bs_asking_deinit(&finding.asking);
	bs_catalog_keep(catalog);
	return status;
}
