/* pg_view.c: see pg_view.h. */
#include "bindings/postgresql/storage/pg_view.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/storage/pg_cache.h"
#include "bindings/postgresql/storage/pg_page.h"
#include "bindings/postgresql/storage/pg_pending.h"
#include "bindings/postgresql/storage/pg_store.h"
#include "bindings/postgresql/storage/pg_texts.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"

/* Folding adds pending rows to an in-memory copy of the index. A caller must check each unfolded
 * row in the table. A check costs a twelfth of folding a row, and each fold has a fixed cost in
 * addition, as much as folding some hundred rows. Up to MOST_UNFOLDED rows are not folded, unless
 * the caller needs all rows in the index (BSP_FOLD_ALL). More rows are folded after LEAST_LOOKS
 * checks plus LOOKS_PER_ROW checks for each row. So a session with few queries does not fold, and
 * one with many folds soon. */
#define MOST_UNFOLDED 64
#define LEAST_LOOKS   1000
#define LOOKS_PER_ROW 4
/* The maximum number of folds that each add a small segment. The next fold copies the files anew
 * and adds all pending rows as one segment. */
#define MOST_PARTS 8
/* The number of unused searchers that each open index keeps. A statement may use two at once: a
 * scan by score holds a view, and gathering statistics for the scores of its rows takes another. */
#define MOST_SEARCHERS 2
/* The number of indexes that a backend keeps open while no query uses them. */
#define MOST_IDLE 16
/* A reader that finds its files removed starts again, at most this many times. */
#define MOST_ATTEMPTS 1000

/* The rows of a chain of pending rows that were read so far. */
struct waiting {
	struct bsp_name chain;
	struct bsp_place place; /* up to here the chain was read */
	StringInfoData bytes;   /* the rows, in the format of pg_pending.h */
	size_t folded;          /* the rows of `bytes` before this offset are folded */
};

/* An open index at one point in time. It does not change while a view uses it. */
struct state {
	dlist_node node;
	unsigned n_users;
	bool is_stale; /* new views do not use it */
	/* The relation was invalidated; drop_idle must check whether it still exists. */
	bool is_doubtful;
	Oid relid;
	Oid filenumber;
	/* The chain of the first file in the metapage. It detects a relation that was truncated in
	 * place, which keeps its file number. */
	struct bsp_name first;
	uint64 generation; /* of the metapage */
	MemoryContext context;
	/* [0]: the closing chain; [1]: the chain that inserts append to */
	struct waiting waiting[2];
	ItemPointerData *unfolded; /* the pending rows that are not folded */
	/* n_looks: checks of unfolded rows by callers since the last fold */
	size_t n_unfolded, n_looks;
	unsigned n_parts; /* folds since `folded` was copied from `base` */
	/* base: the files without pending rows. folded: a copy with pending rows, or NULL if none
	 * are folded. */
	struct bs_memory_index *base, *folded;
	int n_descriptors; /* file descriptors that base and folded hold */
	struct bs_index *index;
	/* Unused searchers, kept for new views. */
	struct bs_searcher *searchers[MOST_SEARCHERS];
	unsigned n_searchers;
	struct bs_text_provider provider;
	/* The view whose searcher was requested last; texts are read on its behalf. */
	struct bsp_view *searching;
};

struct bsp_view {
	dlist_node node;
	struct state *state;
	struct bs_searcher *searcher; /* NULL until it is requested */
	Relation relation;
	ResourceOwner owner;
	MemoryContext context;
	struct bsp_reader *reader; /* NULL until the first text is requested */
};

static dlist_head states = DLIST_STATIC_INIT(states);
static dlist_head views = DLIST_STATIC_INIT(views);

static bool begin_reader(struct bsp_view *view)
{
	ResourceOwner before_owner = CurrentResourceOwner;
	MemoryContext before = CurrentMemoryContext;
	volatile bool is_good = true;
	CurrentResourceOwner = view->owner;
	PG_TRY();
	{
		MemoryContextSwitchTo(view->context);
		view->reader = bsp_reader_begin(view->relation, BSP_READER_OF_QUERY);
		MemoryContextSwitchTo(before);
	}
	PG_CATCH();
	{
		bsp_save_error(before);
		is_good = false;
	}
	PG_END_TRY();
	CurrentResourceOwner = before_owner;
	return is_good;
}

/* The callback of a text provider. */
static int provide(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	struct state *state = context;
	struct bsp_view *view = state->searching;
	if (!view || (!view->reader && !begin_reader(view)))
		return 2;
	return bsp_reader_texts(view->reader, id, id_bytes, texts_out, n_texts_out);
}

/* Reports the file descriptors of the memory indexes to PostgreSQL, which then keeps fewer files of
 * its own open. is_end: reports that all are closed. */
static void count_descriptors(struct state *state, bool is_end)
{
	size_t n = is_end ? 0
	                  : bs_memory_index_n_files(state->base) +
	                            (state->folded ? bs_memory_index_n_files(state->folded) : 0);
	for (; state->n_descriptors < (int)n; state->n_descriptors++)
		ReserveExternalFD();
	for (; state->n_descriptors > (int)n; state->n_descriptors--)
		ReleaseExternalFD();
}

/* Closes the index and its unused searchers. No view may hold a searcher of the index. */
static void close_index(struct state *state)
{
	while (state->n_searchers > 0)
		bs_searcher_free(state->searchers[--state->n_searchers]);
	bs_index_close(state->index);
	state->index = NULL;
}

static void free_state(struct state *state)
{
	if (state->node.next)
		dlist_delete(&state->node);
	close_index(state);
	bs_memory_index_free(state->folded);
	bs_memory_index_free(state->base);
	count_descriptors(state, true);
	MemoryContextDelete(state->context);
}

static struct state *new_state(Relation index)
{
	MemoryContext context =
		AllocSetContextCreate(TopMemoryContext, "bitsift index", ALLOCSET_DEFAULT_SIZES);
	struct state *state = MemoryContextAllocZero(context, sizeof(*state));
	state->context = context;
	state->relid = RelationGetRelid(index);
	state->filenumber = BSP_FILENUMBER(index);
	state->provider = (struct bs_text_provider){.texts = provide, .context = state};
	return state;
}

/* Called when a relation was invalidated; it may have been dropped. InvalidOid: all relations. */
static void on_relation_change(Datum arg, Oid relid)
{
	dlist_iter iter;
	dlist_foreach(iter, &states)
	{
		struct state *state = dlist_container(struct state, node, iter.cur);
		if (relid == InvalidOid || relid == state->relid)
			state->is_doubtful = true;
	}
}

void bsp_view_forget(Relation index)
{
	dlist_iter iter;
	dlist_foreach(iter, &states)
	{
		struct state *state = dlist_container(struct state, node, iter.cur);
		state->is_stale |= state->relid == RelationGetRelid(index);
	}
	bsp_cache_forget(index);
}

/* Frees unused states that are stale or belong to dropped relations, and the least recently used
 * ones beyond MOST_IDLE. */
static void drop_idle(void)
{
	dlist_mutable_iter iter;
	unsigned n_idle = 0;
	/* The list begins with the most recently used state. */
	dlist_foreach_modify(iter, &states)
	{
		struct state *state = dlist_container(struct state, node, iter.cur);
		if (state->n_users > 0)
			continue;
		if (state->is_doubtful && !state->is_stale && IsTransactionState()) {
			state->is_doubtful = false;
			state->is_stale =
				!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(state->relid));
		}
		if (state->is_stale || ++n_idle > MOST_IDLE)
			free_state(state);
	}
}

/* Warns once a session. */
static void warn_of_other_rules(Relation index, const struct bs_index *handle)
{
	static bool has_warned;
	struct bs_index_info info;
	bs_index_describe(handle, &info);
	if (!info.is_other_unicode || has_warned)
		return;
	has_warned = true;
	ereport(WARNING, (errmsg("index \"%s\" was made by another version of the tokenizer, so "
	                         "queries of words read all rows",
	                         RelationGetRelationName(index)),
	                  errhint("REINDEX indexes it again.")));
}

static void open_state(Relation index, struct state *state)
{
	struct bs_error err;
	struct bs_open_request request = {.memory = state->folded ? state->folded : state->base,
	                                  .host.texts = &state->provider};
	close_index(state);
	bsp_check(bs_index_open_with(&request, &state->index, &err), &err, index);
	count_descriptors(state, false);
	warn_of_other_rules(index, state->index);
}

/* Reads the rows of the chain that were added since the last call. Does nothing unless *is_good,
 * and sets it to false if pages no longer exist. */
static void read_waiting(Relation index, struct waiting *waiting, const struct bsp_pending *chain,
                         MemoryContext context, bool *is_good)
{
	bool is_same = waiting->bytes.data && bsp_name_equals(&waiting->chain, &chain->chain);
	if (!*is_good || chain->head == InvalidBlockNumber)
		return;
	if (!is_same) {
		MemoryContext before = MemoryContextSwitchTo(context);
		*waiting = (struct waiting){.chain = chain->chain};
		initStringInfo(&waiting->bytes);
		MemoryContextSwitchTo(before);
	}
	bool is_end;
	*is_good =
		bsp_pending_read(index, chain, &waiting->place, &waiting->bytes, SIZE_MAX, &is_end);
}

/* Counts the rows that are not folded, and stores their TIDs in unfolded_out unless it is NULL. */
static size_t count_unfolded(Relation index, struct state *state, ItemPointerData *unfolded_out)
{
	struct bsp_row *row = palloc(sizeof(*row));
	size_t n = 0;
	for (int i = 0; i < 2; i++) {
		struct waiting *waiting = &state->waiting[i];
		size_t at = waiting->folded;
		while (waiting->bytes.data &&
		       bsp_pending_next(index, &waiting->bytes, true, &at, row)) {
			if (unfolded_out)
				unfolded_out[n] = row->tid;
			n++;
		}
	}
	pfree(row);
	return n;
}

/* The options of the request apply only if the memory index has no files yet; otherwise the writer
 * takes them from the files. n_bytes: the size of the rows that will be added. */
static struct bs_writer *begin_writer(Relation index, const struct bsp_meta *meta,
                                      struct bs_memory_index *memory, size_t n_bytes)
{
	struct bs_writer_request request = {
		.memory = memory,
		.index.stem_language = meta->stemmer[0] ? meta->stemmer : NULL,
		.index.fold_accents = meta->fold_accents,
		.index.split_identifiers = meta->split_identifiers,
		.index.grams = meta->grams,
		.index.summary_rate = -1,
		.not_stored = true,
		.no_checksums = true,
		.write.n_threads = 1,
		/* Indexing takes many times the size of the rows, even of a single large one. */
		.write.memory_bytes = Max((uint64_t)n_bytes * 16, (uint64_t)256 << 20),
		.document_memory_bytes = UINT64_MAX,
		.limits = bsp_limits(),
	};
	struct bs_writer *writer;
	struct bs_error err;
	bsp_check(bs_writer_open(&request, &writer, &err), &err, index);
	return writer;
}

static void write_waiting(Relation index, struct bs_writer *writer, struct waiting *waiting)
{
	struct bsp_row *row = palloc(sizeof(*row));
	size_t at = waiting->folded;
	while (waiting->bytes.data && bsp_pending_next(index, &waiting->bytes, true, &at, row)) {
		char id[BSP_ID_BYTES + 1];
		struct bs_error err;
		size_t id_bytes = bsp_id_of_tid(&row->tid, row->texts.has_null, id);
		bsp_check(bs_writer_add(writer, id, id_bytes, row->texts.texts, row->texts.n, &err),
		          &err, index);
	}
	waiting->folded = at;
	pfree(row);
}

/* Adds the pending rows that are not folded yet to the in-memory copy of the index. */
static void write_folded(Relation index, const struct bsp_meta *meta, struct state *state)
{
	struct bs_error err;
	size_t n_bytes = (size_t)(state->waiting[0].bytes.len + state->waiting[1].bytes.len);
	struct bs_writer *writer = begin_writer(index, meta, state->folded, n_bytes);
	PG_TRY();
	{
		for (int i = 0; i < 2; i++)
			write_waiting(index, writer, &state->waiting[i]);
		bsp_check(bs_writer_commit(writer, NULL, &err), &err, index);
	}
	PG_FINALLY();
	{
		bs_writer_close(writer);
	}
	PG_END_TRY();
}

static void fold(Relation index, const struct bsp_meta *meta, struct state *state)
{
	struct bs_error err;
	if (state->n_parts >= MOST_PARTS || !state->folded) {
		close_index(state);
		bs_memory_index_free(state->folded);
		state->folded = NULL;
		bsp_check(bs_memory_index_copy(state->base, &state->folded, &err), &err, index);
		state->waiting[0].folded = state->waiting[1].folded = 0;
		state->n_parts = 0;
	}
	state->n_parts++;
	state->n_looks = 0;
	write_folded(index, meta, state);
	open_state(index, state);
}

/* If the metapage lists no files, as in an unlogged index after a crash, makes an index without
 * rows. */
static void complete_base(Relation index, const struct bsp_meta *meta, struct state *state)
{
	struct bs_error err;
	if (meta->n_files == 0) {
		struct bs_writer *writer = begin_writer(index, meta, state->base, 0);
		enum bs_status status = bs_writer_commit(writer, NULL, &err);
		bs_writer_close(writer);
		bsp_check(status, &err, index);
	}
}

static void note_unfolded(Relation index, struct state *state)
{
	if (state->unfolded)
		pfree(state->unfolded);
	state->unfolded = NULL;
	state->n_unfolded = count_unfolded(index, state, NULL);
	if (state->n_unfolded == 0)
		return;
	state->unfolded =
		MemoryContextAlloc(state->context, state->n_unfolded * sizeof(*state->unfolded));
	(void)count_unfolded(index, state, state->unfolded);
}

static bool wants_fold(const struct state *state, enum bsp_fold how)
{
	size_t n = state->n_unfolded;
	return how == BSP_FOLD_ALL
	               ? n > 0
	               : n > MOST_UNFOLDED && state->n_looks > LEAST_LOOKS + n * LOOKS_PER_ROW;
}

static int waiting_bytes(const struct state *state)
{
	return state->waiting[0].bytes.len + state->waiting[1].bytes.len;
}

/* Reads all pending rows, folds them or lists them in `unfolded`, and opens the index. False if
 * pages no longer exist. */
static bool bring_up(Relation index, const struct bsp_meta *meta, struct state *state,
                     enum bsp_fold how)
{
	bool is_good = true;
	int n_bytes = waiting_bytes(state);
	read_waiting(index, &state->waiting[0], &meta->closing, state->context, &is_good);
	read_waiting(index, &state->waiting[1], &meta->pending, state->context, &is_good);
	if (!is_good)
		return false;
	if (waiting_bytes(state) != n_bytes)
		note_unfolded(index, state);
	if (wants_fold(state, how)) {
		fold(index, meta, state);
		note_unfolded(index, state);
	} else if (!state->index) {
		open_state(index, state);
	}
	return true;
}

/* The chain of the first file; all zero if there are no files. */
static struct bsp_name first_of(const struct bsp_meta *meta)
{
	return meta->n_files > 0 ? meta->files[0].chain : (struct bsp_name){.bytes = {0}};
}

/* Opens the index. Returns NULL if files or pending pages no longer exist. */
static struct state *make_state(Relation index, const struct bsp_meta *meta, enum bsp_fold how)
{
	struct state *state = new_state(index);
	bool is_good;
	PG_TRY();
	{
		state->generation = meta->generation;
		state->first = first_of(meta);
		is_good = bsp_cache_load(index, meta, &state->base);
		if (is_good) {
			complete_base(index, meta, state);
			is_good = bring_up(index, meta, state, how);
		}
	}
	PG_CATCH();
	{
		free_state(state);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!is_good) {
		free_state(state);
		return NULL;
	}
	dlist_push_head(&states, &state->node);
	return state;
}

/* True if the state has every pending row, folded if `how` requires it. Leaves the state unchanged,
 * because it may be in use. */
static bool has_all(Relation index, const struct bsp_meta *meta, const struct state *state,
                    enum bsp_fold how)
{
	if (how == BSP_FOLD_ALL && state->n_unfolded > 0)
		return false;
	for (int i = 0; i < 2; i++) {
		const struct bsp_pending *chain = i == 0 ? &meta->closing : &meta->pending;
		const struct waiting *waiting = &state->waiting[i];
		bool is_same =
			waiting->bytes.data && bsp_name_equals(&waiting->chain, &chain->chain);
		if (chain->head == InvalidBlockNumber)
			continue;
		if (!is_same || waiting->place.block != chain->tail)
			return false;
		struct bsp_place place = waiting->place;
		StringInfoData bytes;
		initStringInfo(&bytes);
		bool is_end, is_there = bsp_pending_read(index, chain, &place, &bytes, 1, &is_end);
		bool is_more = bytes.len > 0;
		pfree(bytes.data);
		if (!is_there || is_more)
			return false;
	}
	return true;
}

static bool is_of(const struct state *state, Relation index, const struct bsp_meta *meta)
{
	struct bsp_name first = first_of(meta);
	return state->filenumber == BSP_FILENUMBER(index) &&
	       state->generation == meta->generation && bsp_name_equals(&state->first, &first);
}

/* Returns an open state that matches the metapage, or NULL. If views use it, it has every pending
 * row already. Marks states that do not match as stale. */
static struct state *find_state(Relation index, const struct bsp_meta *meta, enum bsp_fold how)
{
	struct state *found = NULL;
	dlist_mutable_iter iter;
	dlist_foreach_modify(iter, &states)
	{
		struct state *state = dlist_container(struct state, node, iter.cur);
		if (state->relid != RelationGetRelid(index) || state->is_stale)
			continue;
		if (!is_of(state, index, meta))
			state->is_stale = true;
		else if (state->n_users > 0 ? has_all(index, meta, state, how) : !found)
			found = state;
	}
	return found;
}

/* Adds pending rows to an open state, unless views use it. Returns NULL if pages no longer exist;
 * the state is then freed. */
static struct state *bring_state(Relation index, const struct bsp_meta *meta, struct state *state,
                                 enum bsp_fold how)
{
	volatile bool is_good = false;
	if (state->n_users > 0)
		return state;
	PG_TRY();
	{
		is_good = bring_up(index, meta, state, how);
	}
	PG_CATCH();
	{
		free_state(state);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!is_good)
		free_state(state);
	else
		dlist_move_head(&states, &state->node);
	return is_good ? state : NULL;
}

static struct state *acquire_state(Relation index, enum bsp_fold how)
{
	union bsp_meta_copy *copy = palloc(sizeof(*copy));
	struct state *state = NULL;
	for (unsigned i = 0; !state && i < MOST_ATTEMPTS; i++) {
		CHECK_FOR_INTERRUPTS();
		bsp_meta_read(index, copy);
		state = find_state(index, &copy->meta, how);
		state = state ? bring_state(index, &copy->meta, state, how)
		              : make_state(index, &copy->meta, how);
	}
	pfree(copy);
	if (!state)
		bsp_fail_lost_pages(index);
	return state;
}

/* is_abort: the resource owner has already released the reader's resources. */
static void release(struct bsp_view *view, bool is_abort)
{
	struct state *state = view->state;
	ResourceOwner before = CurrentResourceOwner;
	dlist_delete(&view->node);
	if (view->reader && !is_abort) {
		CurrentResourceOwner = view->owner;
		bsp_reader_end(view->reader);
		CurrentResourceOwner = before;
	}
	if (state->searching == view)
		state->searching = NULL;
	if (view->searcher && state->n_searchers < MOST_SEARCHERS)
		state->searchers[state->n_searchers++] = view->searcher;
	else
		bs_searcher_free(view->searcher);
	state->n_users--;
	MemoryContextDelete(view->context);
}

static void on_resource_release(ResourceReleasePhase phase, bool is_commit, bool is_top_level,
                                void *arg)
{
	dlist_mutable_iter iter;
	if (phase != RESOURCE_RELEASE_BEFORE_LOCKS)
		return;
	dlist_foreach_modify(iter, &views)
	{
		struct bsp_view *view = dlist_container(struct bsp_view, node, iter.cur);
		if (view->owner == CurrentResourceOwner)
			release(view, true);
	}
}

static void register_once(void)
{
	static bool is_registered;
	if (is_registered)
		return;
	RegisterResourceReleaseCallback(on_resource_release, NULL);
	CacheRegisterRelcacheCallback(on_relation_change, (Datum)0);
	is_registered = true;
}

struct bsp_view *bsp_view_acquire(Relation index, enum bsp_fold fold)
{
	register_once();
	drop_idle();
	struct state *state = acquire_state(index, fold);
	/* Not a child of the caller's context, which may be deleted before the resource owner
	 * releases the view. */
	MemoryContext context =
		AllocSetContextCreate(TopMemoryContext, "bitsift view", ALLOCSET_SMALL_SIZES);
	struct bsp_view *view = MemoryContextAllocZero(context, sizeof(*view));
	view->context = context;
	view->state = state;
	view->relation = index;
	view->owner = CurrentResourceOwner;
	state->n_users++;
	dlist_push_head(&views, &view->node);
	return view;
}

void bsp_view_release(struct bsp_view *view)
{
	if (view)
		release(view, false);
}

struct bs_index *bsp_view_index(struct bsp_view *view)
{
	return view->state->index;
}

struct bs_searcher *bsp_view_searcher(struct bsp_view *view)
{
	struct state *state = view->state;
	struct bs_error err;
	if (!view->searcher && state->n_searchers > 0)
		view->searcher = state->searchers[--state->n_searchers];
	if (!view->searcher)
		bsp_check(bs_searcher_new(state->index, &view->searcher, &err), &err,
		          view->relation);
	state->searching = view;
	return view->searcher;
}

const ItemPointerData *bsp_view_pending(struct bsp_view *view, size_t *n_out)
{
	*n_out = view->state->n_unfolded;
	view->state->n_looks += *n_out;
	return view->state->unfolded;
}
