/*
 * test_model.c: compares an index with a model (model.h) over its life. Random operations change
 * files, collections and standard input, keep readers open, delete documents, and refresh, rebuild
 * and compact the index; some of these runs are killed or disturbed. After most operations on
 * it, the index must answer like the model; after many of them, it must pass `bitsift check`.
 *
 * Arguments: [N_OPERATIONS [SEED [WITHOUT [SCRIPT]]]]. Operations run in worlds of a hundred each,
 * seeded SEED, SEED + 1 and so on. WITHOUT: names of operations to leave out, such as "kill,link".
 * SCRIPT: the file to which the operations of a world that differed are written, as a shell script.
 */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/bitsift/grep.h"
#include "core/bitsift/index.h"
#include "core/check/check.h"
#include "corpus/changes/stored_text.h"
#include "tests/property/model/model.h"
#include "tests/property/model/model_run.h"
#include "tests/rigs/clock_rig.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_index, bs_index_close)

#define MAX_READERS 2
#define MAX_WEIGHT  24
#define MAX_TOLD    5

static const char *without = "", *script;
static uint64_t n_done, n_compared, n_refreshes, n_killed, n_differences;

struct reader {
	struct bs_index *index;
	struct model_state state;
};

/* The files, the last commit, and its readers. */
struct world {
	struct model_files files;
	struct model_state state;
	bool is_known; /* state is that of the last commit */
	/* is_known, and the files have not changed since the commit */
	bool is_clean;
	const char *dir;                        /* the index's folder */
	const char *sources[MODEL_MAX_SOURCES]; /* all sources that may be indexed */
	size_t n_sources;
	struct reader readers[MAX_READERS];
	bool is_same;
};

/* ---- operations on the index ---- */

static void note(struct world *world, bool is_same)
{
	world->is_same &= is_same;
	n_compared++;
}

BS_PRINTF(2, 3) static void difference(struct world *world, const char *format, ...)
{
	va_list args;
	fprintf(stderr, "difference: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	world->is_same = false;
}

static struct bs_index *open_index(struct world *world)
{
	struct bs_index *index = NULL;
	if (bs_index_open(world->dir, &index, ERR))
		difference(world, "open: %s", said.text);
	return index;
}

static int take_output(void *context, const void *bytes, size_t n_bytes)
{
	return bs_buffer_append(context, bytes, n_bytes, ERR) != BS_OK;
}

/* Compares the output of grep with the index and without it, when files may have changed or
 * vanished since the commit. */
static void compare_grep(struct world *world)
{
	static const char *const forms[] = {"w%u", "w1%u w", "\"id\": ?\"r%u", "absent%u",
	                                    "w%u w[0-9]+ w1"};
	char pattern[64];
	struct bs_buffer found[2] = {{0}, {0}};
	struct bs_grep_result results[2] = {{0}, {0}};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	size_t n =
		(size_t)snprintf(pattern, sizeof(pattern), forms[below(COUNT(forms))], below(20));
#pragma GCC diagnostic pop
	const char *patterns[] = {pattern};
	struct bs_grep_request request = {
		.pattern = {.patterns = patterns, .pattern_bytes = &n, .n_patterns = 1},
		.files = {.paths = world->files.content, .n_paths = world->files.n_content},
		.output = {.with_path = true, .line_numbers = true},
		/* With no_stat, grep may list only files of the index, not those deleted by id. */
		.index.no_stat = world->is_clean && world->is_known &&
	                         world->state.excluded.n == 0 && by_chance(50),
		.n_threads = 1 + below(2),
		.callbacks.write = take_output,
	};
	if (strcmp(world->dir, "index") != 0 && by_chance(30))
		request.files.n_paths = 0;
	for (int i = 0; i < 2 && world->is_same; i++) {
		request.index.dir = i ? world->dir : NULL;
		request.callbacks.context = &found[i];
		if (bs_grep(&request, &results[i], ERR))
			difference(world, "grep: %s", said.text);
	}
	if (results[0].has_match != results[1].has_match || !bs_buffer_equals(&found[0], &found[1]))
		difference(world, "grep%s '%s': by the index\n%.*s---\nwithout\n%.*s",
		           request.index.no_stat ? " --no-stat" : "", pattern,
		           (int)found[1].used_bytes, (const char *)found[1].data,
		           (int)found[0].used_bytes, (const char *)found[0].data);
	n_compared++;
	bs_buffer_deinit(&found[0]);
	bs_buffer_deinit(&found[1]);
}

/* Compares the index at the last commit, and the open readers of earlier commits, with the
 * model. */
static void compare(struct world *world, unsigned n_queries)
{
	struct bs_index *index = world->is_known ? open_index(world) : NULL;
	if (index) {
		note(world,
		     model_compare(index, &world->state, &world->files.disk,
		                   world->is_clean ? MODEL_CLEAN : MODEL_CHANGED, n_queries));
		bs_index_close(index);
	}
	if (index && world->is_same && by_chance(60))
		compare_grep(world);
	for (size_t i = 0; i < MAX_READERS && world->is_same; i++)
		if (world->readers[i].index && by_chance(50)) {
			note(world, model_compare(world->readers[i].index, &world->readers[i].state,
			                          &world->files.disk, MODEL_CHANGED, 3));
			if (!world->is_same)
				fprintf(stderr, "  (a reader opened earlier)\n");
		}
}

static void check_index(struct world *world)
{
	struct bs_check_report sum;
	struct bs_check_request request = {.dir = world->dir};
	if (bs_index_check(&request, &sum, ERR))
		difference(world, "check: %s", said.text);
}

/* Computes the state that a run should lead to, or the error that it should return. */
static enum bs_status expect_run(struct world *world, const struct run *run,
                                 struct model_state *after)
{
	const struct bs_build_request *request = &run->request;
	struct model_refresh refresh = {request->sources, request->n_sources, request->rebuild,
	                                run->input, false};
	return state_refresh(&world->state, &world->files.disk, &refresh, after);
}

/* Returns whether the run reads all sources. If it does not, its report says nothing about the
 * other sources. */
static bool looks_at_all(const struct world *world, const struct run *run)
{
	return run->request.n_sources == 0 || world->state.n_sources == 0;
}

static void take_state(struct world *world, struct model_state *after)
{
	state_deinit(&world->state);
	world->state = *after;
}

static void finish_refresh(struct world *world, struct run *run, enum bs_status status)
{
	struct model_state after;
	enum bs_status expected = expect_run(world, run, &after);
	bool is_possible = expected == BS_OK, is_all = looks_at_all(world, run);
	take_state(world, &after);
	if (status != expected) {
		difference(world, "refresh: %s, not %s: %s", bs_status_name(status),
		           bs_status_name(expected), run->err.text);
		return;
	}
	/* If a source with documents is missing, an undo may have restored documents of it that
	 * the model does not know. */
	bool has_away = state_has_away(&world->state, &world->files.disk);
	world->is_known |= is_possible && is_all && !has_away;
	world->is_clean |= is_possible && is_all && !has_away;
	/* An undone deletion may have restored a document whose file is gone. Such a document stays
	 * until its source is read, so the numbers are compared only in a known state. */
	if (is_possible && world->is_known && run->report.n_docs != world->state.docs.n)
		difference(world, "%" PRIu64 " documents reported, not %zu", run->report.n_docs,
		           world->state.docs.n);
	n_refreshes++;
}

/* With this probability, moves the clock, so that fingerprints are not racy in the operation. */
static void pause_some(uint32_t percent)
{
	if (by_chance(percent)) {
		trace("sleep 0.03");
		clock_make_old();
	}
}

static void refresh(struct world *world, struct run *run)
{
	run_trace(run, "index");
	finish_refresh(world, run, run_do_any(run));
	free(run->input);
	if (world->is_same && by_chance(40))
		check_index(world);
	if (world->is_same)
		compare(world, 6);
}

static void op_refresh(struct world *world)
{
	struct run run;
	run_draw(&run, world->dir);
	if (by_chance(25))
		run_draw_sources(&run, world->sources, world->n_sources);
	pause_some(30);
	refresh(world, &run);
}

static void op_rebuild(struct world *world)
{
	struct run run;
	run_draw(&run, world->dir);
	run.request.rebuild = true;
	if (by_chance(60))
		run_draw_sources(&run, world->sources, world->n_sources);
	refresh(world, &run);
}

/* Refreshes twice, long enough after the edits: the second refresh must do nothing. */
static void op_idle(struct world *world)
{
	struct run run;
	pause_some(100);
	run_draw(&run, world->dir);
	refresh(world, &run);
	if (!world->is_same)
		return;
	run_draw(&run, world->dir);
	run_trace(&run, "index");
	enum bs_status status = run_do(&run);
	finish_refresh(world, &run, status);
	if (status == BS_OK && (run.report.is_committed || run.report.n_indexed > 0))
		difference(world, "nothing changed, but %" PRIu64 " documents were indexed%s",
		           run.report.n_indexed, run.report.is_committed ? " and committed" : "");
}

static struct bs_index_info describe(struct world *world)
{
	struct bs_index_info info = {0};
	AUTO(bs_index_close_at) struct bs_index *index = open_index(world);
	if (index)
		bs_index_describe(index, &info);
	return info;
}

static void op_compact(struct world *world)
{
	struct run run;
	run_draw(&run, world->dir);
	pause_some(20);
	run_trace(&run, "compact");
	if (bs_index_compact(&run.request, &run.report, &run.err)) {
		difference(world, "compact: %s", run.err.text);
		return;
	}
	if (world->is_known && run.report.n_docs != world->state.docs.n)
		difference(world, "%" PRIu64 " documents reported, not %zu", run.report.n_docs,
		           world->state.docs.n);
	uint64_t n_deleted = describe(world).n_deleted;
	if (world->is_clean && n_deleted > 0)
		difference(world, "%" PRIu64 " deleted documents after compaction", n_deleted);
	check_index(world);
	if (world->is_same)
		compare(world, 6);
}

/* Deletes by ids, some of which may not exist or may be repeated. */
static void op_delete(struct world *world)
{
	char *ids[3];
	size_t n = 1 + below(3);
	if (!world->is_known)
		return;
	size_t n_before = world->state.docs.n;
	for (size_t i = 0; i < n; i++) {
		bool is_there = n_before > 0 && by_chance(90);
		ids[i] = strdup(is_there ? world->state.docs.at[below(n_before)].id : "r1");
		trace("bitsift delete --index %s -- '%s'", world->dir, ids[i]);
	}
	for (size_t i = 0; i < n; i++)
		state_delete(&world->state, ids[i]);
	struct bs_delete_request request = {
		.dir = world->dir, .ids = (const char *const *)ids, .n_ids = n};
	struct bs_delete_result result;
	if (bs_index_delete(&request, &result, ERR))
		difference(world, "delete: %s", said.text);
	else if (result.n_deleted != n_before - world->state.docs.n)
		difference(world, "%" PRIu64 " deleted, not %zu", result.n_deleted,
		           n_before - world->state.docs.n);
	for (size_t i = 0; i < n; i++)
		free(ids[i]);
	if (by_chance(40))
		check_index(world);
	if (world->is_same)
		compare(world, 4);
}

/* Undoes the deletion of an id; the next refresh restores the document. Ids whose text can no
 * longer be read, such as those of standard input, are left alone. */
static void op_undo(struct world *world)
{
	const struct model_docs *excluded = &world->state.excluded;
	struct bs_delete_result result;
	struct run run;
	if (!world->is_known || excluded->n == 0)
		return;
	const struct model_doc *doc = &excluded->at[below(excluded->n)];
	FREED char *id = strdup(doc->id);
	bool may_stay_lost = false;
	for (size_t i = 0; i < excluded->n; i++) {
		const char *label = world->state.sources[excluded->at[i].source];
		bool can_be_read =
			strcmp(label, "-") != 0 && source_stands(&world->files.disk, label);
		may_stay_lost |= strcmp(excluded->at[i].id, id) == 0 && !can_be_read;
	}
	if (may_stay_lost)
		return;
	size_t n = state_undo(&world->state, id);
	trace("bitsift delete --undo --index %s -- '%s'", world->dir, id);
	struct bs_delete_request request = {.dir = world->dir,
	                                    .ids = &(const char *){id},
	                                    .n_ids = 1,
	                                    .undo = true,
	                                    .dry_run = by_chance(30)};
	if (bs_index_delete(&request, &result, ERR))
		difference(world, "undo: %s", said.text);
	else if (result.n_deleted < n || result.n_lost > 0)
		difference(world, "%" PRIu64 " restored, not %zu", result.n_deleted, n);
	request.dry_run = false;
	if (world->is_same && bs_index_delete(&request, NULL, ERR))
		difference(world, "undo: %s", said.text);
	if (world->is_same)
		check_index(world);
	/* The state is unknown until a refresh has read all sources. */
	world->is_known = world->is_clean = false;
	run_draw(&run, world->dir);
	refresh(world, &run);
}

/* A run that was killed must have changed everything if it had committed, otherwise nothing. */
static void finish_killed(struct world *world, struct model_state *after, bool is_refresh,
                          uint64_t generation, int how)
{
	check_index(world);
	bool is_committed = describe(world).generation > generation;
	trace("# ... %s, %s", WIFSIGNALED(how) ? "killed" : "done",
	      is_committed ? "committed" : "not committed");
	if (is_committed || (WIFEXITED(how) && WEXITSTATUS(how) == BS_OK)) {
		take_state(world, after);
		world->is_known |= is_refresh;
		world->is_clean |= is_refresh;
	} else {
		state_deinit(after);
	}
}

static void op_kill(struct world *world)
{
	struct run run;
	struct model_state after;
	const char *id = NULL;
	bool is_compaction = by_chance(30), is_possible = false;
	uint64_t generation = describe(world).generation;
	uint32_t patience_us = below(by_chance(50) ? 8000 : 1500);
	int how = 0;
	run_draw(&run, world->dir);
	if (!is_compaction && world->is_known && world->state.docs.n > 0 && by_chance(20)) {
		id = world->state.docs.at[below(world->state.docs.n)].id;
		trace("bitsift delete --index %s -- '%s'", world->dir, id);
		state_copy(&world->state, &after);
		state_delete(&after, id);
	} else if (is_compaction) {
		run_trace(&run, "compact");
		state_copy(&world->state, &after);
	} else {
		if (by_chance(25))
			run_draw_sources(&run, world->sources, world->n_sources);
		run.request.rebuild = by_chance(15);
		run_trace(&run, "index");
		is_possible = expect_run(world, &run, &after) == BS_OK &&
		              !state_has_away(&after, &world->files.disk);
	}
	trace("# ... killed after %u us", patience_us);
	pid_t child = fork();
	assert_true(child >= 0);
	struct bs_delete_request request = {.dir = world->dir, .ids = &id, .n_ids = 1};
	if (child == 0)
		_exit((int)(id              ? bs_index_delete(&request, NULL, &run.err)
		            : is_compaction ? bs_index_compact(&run.request, &run.report, &run.err)
		                            : run_do(&run)));
	usleep(patience_us);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &how, 0), child);
	n_killed += WIFSIGNALED(how);
	finish_killed(world, &after, is_possible && looks_at_all(world, &run), generation, how);
	free(run.input);
	if (world->is_same)
		compare(world, 4);
}

static int disturb(void *context, const struct bs_build_report *so_far);

/* Changes files while a run reads them. The model then does not know what was committed; the next
 * refresh must repair the index. */
static void op_disturb(struct world *world)
{
	struct run run;
	/* The model could not know whether a deleted document changed before it was read. */
	if (world->state.excluded.n > 0)
		return;
	run_draw(&run, world->dir);
	run.world = world;
	run.countdown = below(4);
	run.request.callbacks.progress = disturb;
	run.request.callbacks.context = &run;
	run_trace(&run, "index");
	world->is_known = world->is_clean = false;
	enum bs_status status = run_do(&run);
	if (status && status != BS_NOT_FOUND && status != BS_IO)
		difference(world, "disturbed: %s: %s", bs_status_name(status), run.err.text);
	check_index(world);
	if (!world->is_same)
		return;
	run_draw(&run, world->dir);
	refresh(world, &run);
}

static void op_open(struct world *world)
{
	if (!world->is_known)
		return;
	struct reader *reader = &world->readers[below(MAX_READERS)];
	bs_index_close(reader->index);
	state_deinit(&reader->state);
	reader->index = open_index(world);
	state_copy(&world->state, &reader->state);
}

/* Compares a fresh view, as of `query --fresh`, with the result of a refresh. */
static void compare_fresh(struct world *world)
{
	AUTO(bs_index_close_at) struct bs_index *index = NULL;
	AUTO(state_deinit) struct model_state now;
	struct model_refresh refresh = {.is_fresh = true};
	bool is_possible =
		state_refresh(&world->state, &world->files.disk, &refresh, &now) == BS_OK;
	struct bs_open_request request = {.dir = world->dir, .fresh = true};
	if (bs_index_open_with(&request, &index, ERR))
		difference(world, "fresh: %s", said.text);
	else if (is_possible)
		note(world, model_compare(index, &now, &world->files.disk, MODEL_FRESH, 5));
}

static void op_query(struct world *world)
{
	compare(world, 5);
	if (world->is_same && world->is_known)
		compare_fresh(world);
}

/* ---- worlds ---- */

static const struct operation {
	const char *name;
	unsigned weight;
	void (*run)(struct world *world);
} operations[] = {
	{"refresh", 24, op_refresh}, {"rebuild", 5, op_rebuild}, {"idle", 2, op_idle},
	{"compact", 4, op_compact},  {"kill", 6, op_kill},       {"disturb", 3, op_disturb},
	{"delete", 4, op_delete},    {"undo", 3, op_undo},       {"open", 3, op_open},
	{"query", 6, op_query},
};

static bool is_left_out(const char *name)
{
	const char *at = strstr(without, name);
	return at && (at[strlen(name)] == ',' || at[strlen(name)] == '\0');
}

static void run_edit(struct world *world, const struct model_edit *edit)
{
	world->is_clean = false;
	edit->run(&world->files);
}

static const struct model_edit *draw_edit(void)
{
	for (;;) {
		const struct model_edit *edit = &model_edits[below(n_model_edits)];
		if (below(MAX_WEIGHT) < edit->weight && !is_left_out(edit->name))
			return edit;
	}
}

static int disturb(void *context, const struct bs_build_report *so_far)
{
	struct run *run = context;
	if (run->countdown-- != 0)
		return 0;
	trace("# ... meanwhile:");
	run_edit(run->world, draw_edit());
	trace("# ... so far");
	return 0;
}

static void run_operation(struct world *world, unsigned number)
{
	for (;;) {
		size_t i = below(COUNT(operations) + n_model_edits);
		const struct model_edit *edit = i < n_model_edits ? &model_edits[i] : NULL;
		const struct operation *operation = edit ? NULL : &operations[i - n_model_edits];
		const char *name = edit ? edit->name : operation->name;
		if (below(MAX_WEIGHT) >= (edit ? edit->weight : operation->weight) ||
		    is_left_out(name))
			continue;
		trace_start(number, name);
		if (edit)
			run_edit(world, edit);
		else
			operation->run(world);
		clock_make_young();
		return;
	}
}

static void draw_world(struct world *world)
{
	static const char *const content[] = {"s0", "s1", "f.txt", "c.jsonl", "d.ndjson"};
	*world = (struct world){.is_same = true, .dir = by_chance(50) ? "index" : "../index"};
	while (world->files.n_content == 0)
		for (size_t i = 0; i < COUNT(content); i++)
			if (world->files.n_content < 3 && by_chance(40))
				world->files.content[world->files.n_content++] = content[i];
	for (size_t i = 0; i < world->files.n_content; i++)
		world->sources[world->n_sources++] = world->files.content[i];
	if (by_chance(35))
		world->sources[world->n_sources++] = "-";
	for (size_t i = world->n_sources; i-- > 1;) {
		size_t k = below(i + 1);
		const char *kept = world->sources[i];
		world->sources[i] = world->sources[k];
		world->sources[k] = kept;
	}
}

static void start_world(struct world *world)
{
	struct run run;
	struct model_state after;
	for (size_t i = 0; i < world->files.n_content; i++)
		model_make(&world->files, world->files.content[i]);
	bool is_possible = false;
	while (!is_possible) {
		run_draw(&run, world->dir);
		run_draw_sources(&run, world->sources, world->n_sources);
		is_possible = run.request.n_sources > 0 && expect_run(world, &run, &after) == BS_OK;
		if (is_possible)
			state_deinit(&after);
		else
			free(run.input);
	}
	refresh(world, &run);
}

static void end_world(struct world *world)
{
	for (size_t i = 0; i < MAX_READERS; i++) {
		bs_index_close(world->readers[i].index);
		state_deinit(&world->readers[i].state);
	}
	state_deinit(&world->state);
	disk_deinit(&world->files.disk);
	trace_start(0, "");
}

/* Runs up to a hundred operations in a new folder. False: there was a difference. */
static bool run_world(uint64_t seed)
{
	struct world world;
	random_state = seed * UINT64_C(0xd1342543de82ef95);
	trace_start(0, "");
	trace_start(1, "start");
	assert_int_equal(enter_folder(NULL), 0);
	assert_int_equal(mkdir("work", 0755) || chdir("work"), 0);
	draw_world(&world);
	run_with_grams(by_chance(60));
	start_world(&world);
	for (unsigned i = 2; i <= MODEL_OPERATIONS && world.is_same; i++) {
		run_operation(&world, i);
		n_done++;
		if (!world.is_same)
			fprintf(stderr, "  seed %" PRIu64 ", operation %u; what was done before:\n",
			        seed, i);
	}
	if (!world.is_same)
		trace_print(10, script);
	bool is_same = world.is_same;
	end_world(&world);
	assert_int_equal(leave_folder(NULL), 0);
	return is_same;
}

static void test_lives_of_indexes(void **state)
{
	for (uint64_t seed = rounds.seed; n_done < rounds.n && n_differences < MAX_TOLD; seed++)
		n_differences += !run_world(seed);
	print_message("%" PRIu64 " operations, %" PRIu64 " comparisons, %" PRIu64
	              " refreshes, %" PRIu64 " killed runs, %" PRIu64 " differences\n",
	              n_done, n_compared, n_refreshes, n_killed, n_differences);
	assert_true(n_differences == 0);
}

int main(int argc, char **argv)
{
	random_rounds(argc, argv, 600, 1);
	if (argc > 3)
		without = argv[3];
	if (argc > 4)
		script = argv[4];
	return RUN_NAMES(NULL, NULL, NULL, NULL, test_lives_of_indexes);
}
