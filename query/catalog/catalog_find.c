/*
 * catalog_find.c: bs_catalog_find. Those that may match are opened and asked, several at a time:
 *
 *     look at stamps -> read the query -> choose by summaries -> open, gather -> find -> merge -> find again, with snippets -> hits
 *
 * The ten best of each are found without snippets, and of those whose hits are among the ten best of all so many again.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/value.h"
#include "core/base/watch.h"
#include "core/base/workers.h"
#include "query/catalog/asking.h"
#include "query/search/find_request.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* So many indexes stay open between two steps: each has a descriptor or two. */
#define MOST_OPEN 256u
#define MOST_THREADS 64u

struct finding {
	struct bs_asking asking;
	struct bs_asked **list; /* who has a task now */
	size_t n_list;
	atomic_uint n_open;
	bool gathers, searches, shows; /* what is done now */
	struct bs_limits limits;       /* of each search */
	struct bs_catalog_result *result;
	uint64_t n_places_missed;
};

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

static void tell_lines(const struct finding *finding, struct bs_asked *asked)
{
	const struct bs_find_request *find = &finding->asking.request->find;
	const uint8_t *at = asked->lines.data;
	struct bs_error head;
	size_t n_bytes;
	if (find->explain && asked->is_asked) {
		(void)bs_fail(&head, BS_OK, "%s:", asked->item->name);
		find->explain(find->context, head.text, strlen(head.text));
		find->explain(find->context, "\n", 1);
	}
	for (size_t off = 0; off < asked->lines.used_bytes; off += 1 + sizeof(n_bytes) + n_bytes + 1) {
		memcpy(&n_bytes, at + off + 1, sizeof(n_bytes));
		const char *text = (const char *)at + off + 1 + sizeof(n_bytes);
		if (at[off] == LINE_EXPLAIN)
			find->explain(find->context, text, n_bytes);
		else if (find->notice)
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
	asked->status = copy ? BS_OK : bs_fail_memory(&asked->why, "a hit", head_bytes + room.n_bytes);
	if (copy) {
		room = (struct room){(uint8_t *)copy + head_bytes, 0};
		put_hit(&room, hit, copy, (struct bs_passage *)(copy + 1));
		asked->status = bs_buffer_append(&asked->hits, &copy, sizeof(copy), &asked->why);
		if (asked->status)
			free(copy);
	}
	return asked->status != BS_OK;
}

static struct bs_find_hit *hit_at(const struct bs_asked *asked, size_t i)
{
	return ((struct bs_find_hit **)(void *)asked->hits.data)[i];
}

static size_t n_hits_of(const struct bs_asked *asked)
{
	return asked->hits.used_bytes / sizeof(struct bs_find_hit *);
}

static void forget_hits(struct bs_asked *asked)
{
	for (size_t i = 0; i < n_hits_of(asked); i++)
		free(hit_at(asked, i));
	bs_buffer_clear(&asked->hits);
	asked->n_taken = 0;
}

static void close_index(struct finding *finding, struct bs_asked *asked)
{
	if (asked->index)
		atomic_fetch_sub(&finding->n_open, 1);
	bs_finder_free(asked->finder);
	bs_index_close(asked->index);
	asked->finder = NULL;
	asked->index = NULL;
}

static enum bs_status open_index(struct finding *finding, struct bs_asked *asked)
{
	const struct bs_catalog_request *catalog = &finding->asking.catalog->request;
	struct bs_open_request request = {.dir = asked->item->place, .kernel = catalog->kernel, .consent = catalog->consent,
	                                  .analyzer = catalog->analyzer, .log = catalog->log};
	if (asked->index)
		return BS_OK;
	enum bs_status status = bs_index_open_with(&request, &asked->index, &asked->why);
	if (status)
		return status;
	atomic_fetch_add(&finding->n_open, 1);
	return bs_finder_new(asked->index, &asked->finder, &asked->why);
}

static enum bs_status gather(struct finding *finding, struct bs_asked *asked)
{
	struct bs_find_request find = finding->asking.request->find;
	find.limits = NULL;
	enum bs_status status = bs_statistics_new(&asked->statistics, &asked->why);
	return status ? status : bs_statistics_gather(asked->finder, &find, asked->statistics, &asked->why);
}

static enum bs_status search(struct finding *finding, struct bs_asked *asked)
{
	const struct bs_asking *asking = &finding->asking;
	struct bs_find_request find = asking->request->find;
	bool is_first = !finding->shows;
	find.statistics = asking->is_scored || asking->has_fields ? asking->statistics : NULL;
	find.limits = finding->limits.memory_bytes ? &finding->limits : NULL;
	find.strict_query = find.suggest = false;
	find.n_best = finding->shows ? asked->n_best : bs_find_request_wanted(&find);
	find.offset = 0;
	find.snippets &= finding->shows;
	find.passages &= finding->shows;
	find.n_threads = finding->n_list > 1 ? 1 : find.n_threads;
	find.hit = find.mode == BS_FIND_COUNT ? NULL : take_hit;
	find.notice = is_first ? take_notice : NULL;
	find.notice_query = ignore_notice;
	find.explain = find.explain && is_first ? take_explain : NULL;
	find.context = asked;
	struct bs_find_result before = asked->result;
	enum bs_status status = bs_find(asked->finder, &find, &asked->result, &asked->why);
	if (finding->shows)
		asked->result = before;
	/* A callback that ends it has its reason. */
	return status == BS_STOPPED && asked->status ? asked->status : status;
}

/* What fails is told in the order of the catalog, once all have come so far. */
static enum bs_status work(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct finding *finding = context;
	struct bs_asked *asked = finding->list[task->number];
	(void)err;
	asked->status = BS_OK;
	asked->status = open_index(finding, asked);
	if (!asked->status && finding->gathers)
		asked->status = gather(finding, asked);
	if (!asked->status && finding->searches)
		asked->status = search(finding, asked);
	bool is_done = finding->shows || !asked->is_asked || (finding->searches && finding->asking.request->find.mode != BS_FIND_TOP);
	if (asked->status || is_done || atomic_load(&finding->n_open) > MOST_OPEN)
		close_index(finding, asked);
	return BS_OK;
}

static bool is_of_all(enum bs_status status)
{
	return status == BS_NO_MEMORY || bs_watch_ended(status) || status == BS_INVALID;
}

/* An index that cannot be asked. */
static enum bs_status cannot(struct finding *finding, struct bs_asked *asked, enum bs_status status, const struct bs_error *why,
                             struct bs_error *err)
{
	const struct bs_catalog_find_request *request = finding->asking.request;
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
	struct finding *finding = context;
	return cannot(finding, &finding->asking.asked[item - finding->asking.catalog->file.items], status, why, err);
}

/* Does the step with all of the list. */
static enum bs_status run(struct finding *finding, struct bs_error *err)
{
	long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t wished = finding->asking.request->find.n_threads;
	uint32_t n_threads = wished ? wished : n_processors > 0 ? (uint32_t)n_processors : 1;
	struct bs_workers_plan plan = {.n_threads = n_threads < MOST_THREADS ? n_threads : MOST_THREADS, .n_slots = 1, .work = work,
	                               .context = finding};
	enum bs_status status = finding->n_list ? bs_workers_run(&plan, finding->n_list, err) : BS_OK;
	for (size_t i = 0; i < finding->n_list && !status; i++) {
		struct bs_asked *asked = finding->list[i];
		const struct bs_find_request *find = &finding->asking.request->find;
		tell_lines(finding, asked);
		if (asked->status == BS_NOT_FOUND && find->places && finding->searches)
			finding->n_places_missed++;
		else if (asked->status)
			status = cannot(finding, asked, asked->status, &asked->why, err);
	}
	return status;
}

static void make_list(struct finding *finding, bool with_probed)
{
	finding->n_list = 0;
	for (size_t i = 0; i < finding->asking.n_asked; i++) {
		struct bs_asked *asked = &finding->asking.asked[i];
		if (asked->is_asked || (with_probed && asked->is_probed))
			finding->list[finding->n_list++] = asked;
	}
}

static enum bs_status find_all(struct finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	enum bs_status status = BS_OK;
	make_list(finding, true);
	if (asking->is_scored) {
		finding->gathers = true;
		status = run(finding, err);
		finding->gathers = false;
	}
	if (!status && (asking->is_scored || asking->has_fields))
		status = bs_asking_add_statistics(asking, err);
	finding->searches = true;
	make_list(finding, false);
	if (!status)
		status = run(finding, err);
	if (!status && finding->n_places_missed && finding->n_places_missed == asking->n_asked)
		status = bs_fail(err, BS_NOT_FOUND, "%s", asking->asked[0].why.text);
	return status;
}

/* Of two hits of different indexes, whether the second comes first; of equal ones it does not. */
static bool comes_before(const struct bs_find_request *find, const struct bs_find_hit *a, const struct bs_find_hit *b)
{
	struct bs_value x, y;
	if (!find->sort_field)
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
static struct bs_asked *next_best(const struct finding *finding)
{
	struct bs_asked *best = NULL;
	for (size_t i = 0; i < finding->n_list; i++) {
		struct bs_asked *asked = finding->list[i];
		if (asked->n_taken < n_hits_of(asked) &&
		    (!best || comes_before(&finding->asking.request->find, hit_at(best, best->n_taken), hit_at(asked, asked->n_taken))))
			best = asked;
	}
	return best;
}

static enum bs_status show(struct finding *finding, struct bs_asked *asked, uint64_t rank, struct bs_error *err)
{
	const struct bs_catalog_find_request *request = finding->asking.request;
	struct bs_find_hit *hit = hit_at(asked, asked->n_taken++);
	struct bs_catalog_hit shown = {.hit = hit, .index = asked->item->name, .place = asked->item->place,
	                               .entry = (size_t)(asked->item - finding->asking.catalog->file.items)};
	hit->rank = rank;
	return request->hit(request->find.context, &shown) ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

/* The first of all, and then those indexes again that have some of them. */
static enum bs_status show_best(struct finding *finding, struct bs_error *err)
{
	const struct bs_find_request *find = &finding->asking.request->find;
	size_t wanted = bs_find_request_wanted(find), n = 0, n_list = 0;
	struct bs_asked *asked;
	enum bs_status status = BS_OK;
	while (n < wanted && (asked = next_best(finding))) {
		asked->n_taken++;
		n++;
	}
	for (size_t i = 0; i < finding->n_list; i++) {
		asked = finding->list[i];
		asked->n_best = asked->n_taken;
		forget_hits(asked);
		if (asked->n_best > 0)
			finding->list[n_list++] = asked;
	}
	finding->n_list = n_list;
	finding->shows = true;
	status = run(finding, err);
	for (n = 0; n < wanted && !status && (asked = next_best(finding)); n++) {
		if (n < find->offset)
			asked->n_taken++;
		else
			status = show(finding, asked, n + 1, err);
	}
	return status;
}

static enum bs_status show_ids(struct finding *finding, struct bs_error *err)
{
	size_t n = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < finding->n_list && !status; i++) {
		struct bs_asked *asked = finding->list[i];
		for (size_t k = 0; k < n_hits_of(asked) && !status; k++) {
			if (n++ < finding->asking.request->find.offset)
				asked->n_taken++;
			else
				status = show(finding, asked, 0, err);
		}
		forget_hits(asked);
	}
	return status;
}

static void add_stats(struct bs_query_stats *to, const struct bs_query_stats *from)
{
	for (int stage = 0; stage < BS_STAGES; stage++)
		to->stage_ns[stage] += from->stage_ns[stage];
	to->total_ns += from->total_ns;
	to->lines_read += from->lines_read;
	to->document_lines += from->document_lines;
	to->asked += from->asked;
	to->blocks_live += from->blocks_live;
	to->candidates += from->candidates;
	to->blocks_skipped += from->blocks_skipped;
	to->blocks_weighed += from->blocks_weighed;
	to->blocks_dropped += from->blocks_dropped;
	to->scored += from->scored;
	to->verified += from->verified;
	to->hits += from->hits;
	to->false_positives += from->false_positives;
	to->bytes_verified += from->bytes_verified;
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

static void add_up(struct finding *finding)
{
	const struct bs_asking *asking = &finding->asking;
	for (size_t i = 0; i < asking->n_asked; i++) {
		const struct bs_asked *asked = &asking->asked[i];
		finding->result->n_asked += asked->is_asked;
		finding->result->n_probed += !asked->is_asked && asked->is_probed;
		finding->result->n_skipped += asked->is_reached && !asked->is_asked;
		if (asked->is_asked)
			add_result(&finding->result->find, &asked->result);
	}
}

static void tell_query(const struct finding *finding)
{
	const struct bs_find_request *find = &finding->asking.request->find;
	void (*tell)(void *, const char *) = find->notice_query ? find->notice_query : find->notice;
	const struct bs_query_tree *tree = finding->asking.n_groups ? finding->asking.groups[0].tree : NULL;
	for (uint32_t i = 0; tree && i < tree->n_notices && tell; i++)
		tell(find->context, tree->notices[i].text);
}

static enum bs_status ask(struct finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	const struct bs_find_request *find = &asking->request->find;
	uint64_t n_changed;
	bool *is_reached = calloc(asking->n_asked + 1, sizeof(*is_reached));
	if (!is_reached)
		return bs_fail_memory(err, "a query", asking->n_asked);
	enum bs_status status = bs_catalog_look_at_all(asking->catalog, is_reached, cannot_look, finding, &n_changed, err);
	for (size_t i = 0; i < asking->n_asked; i++)
		asking->asked[i].is_reached = is_reached[i];
	free(is_reached);
	for (size_t i = 0; i < asking->n_asked && !status; i++)
		if (asking->asked[i].is_reached && !asking->asked[i].item->read.options.words)
			status = cannot(finding, &asking->asked[i], BS_UNSUPPORTED, &(struct bs_error){"an index of grams alone, which knows no words"}, err);
	if (!status)
		status = bs_asking_find_fields(asking, err);
	if (!status)
		status = bs_asking_read(asking, err);
	if (!status) {
		tell_query(finding);
		status = bs_asking_choose(asking, err);
	}
	if (!status)
		status = find_all(finding, err);
	if (status)
		return status;
	add_up(finding);
	if (find->suggest && finding->result->find.n_hits == 0 && find->notice)
		status = bs_asking_suggest(asking, err);
	if (status || find->mode == BS_FIND_COUNT)
		return status;
	return find->mode == BS_FIND_IDS ? show_ids(finding, err) : show_best(finding, err);
}

static enum bs_status check_request(const struct bs_catalog_find_request *request, struct bs_error *err)
{
	struct bs_find_request find = request->find;
	if (find.feedback_docs || find.like_id || find.like_text)
		return bs_fail(err, BS_INVALID, "words like those of documents are chosen by one index, not by a catalog");
	if (find.hit || find.statistics)
		return bs_fail(err, BS_INVALID, "struct bs_catalog_find_request: find.hit and find.statistics must be NULL");
	find.hit = request->hit ? take_hit : NULL;
	enum bs_status status = bs_check_reserved("struct bs_catalog_find_request", request->reserved, COUNT(request->reserved), err);
	return status ? status : bs_find_request_check(&find, err);
}

enum bs_status bs_catalog_find(struct bs_catalog *catalog, const struct bs_catalog_find_request *request,
                               struct bs_catalog_result *result_out, struct bs_error *err)
{
	struct bs_catalog_result own, *result = result_out ? result_out : &own;
	const struct bs_find_request *find = &request->find;
	size_t n = catalog->file.n_items;
	struct finding finding = {.asking = {.catalog = catalog, .request = request, .n_asked = n, .error_byte = SIZE_MAX}, .result = result};
	struct bs_watch watch;
	*result = (struct bs_catalog_result){.n_indexes = n, .find = {.error_byte = SIZE_MAX}};
	enum bs_status status = check_request(request, err);
	if (!status)
		status = bs_watch_begin(&watch, find->limits, err);
	if (status)
		return status;
	finding.asking.is_scored = find->mode == BS_FIND_TOP && !find->sort_field;
	finding.limits = (struct bs_limits){.memory_bytes = find->limits ? find->limits->memory_bytes : 0,
	                                    .cancel = find->limits ? find->limits->cancel : NULL};
	struct bs_asked *asked = finding.asking.asked = calloc(n + 1, sizeof(*asked));
	finding.list = calloc(n + 1, sizeof(struct bs_asked *));
	for (size_t i = 0; i < n && asked; i++)
		asked[i].item = &catalog->file.items[i];
	status = asked && finding.list ? ask(&finding, err) : bs_fail_memory(err, "a query", n * sizeof(*asked));
	bs_watch_end(&watch);
	result->find.error_byte = status == BS_INVALID ? finding.asking.error_byte : SIZE_MAX;
	for (size_t i = 0; i < n && asked; i++) {
		close_index(&finding, &asked[i]);
		forget_hits(&asked[i]);
		bs_statistics_free(asked[i].statistics);
		bs_buffer_deinit(&asked[i].hits);
		bs_buffer_deinit(&asked[i].lines);
	}
	free(asked);
	free(finding.list);
	bs_asking_deinit(&finding.asking);
	bs_catalog_keep(catalog);
	return status;
}
