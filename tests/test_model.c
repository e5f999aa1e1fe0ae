/*
 * test_model.c: an index through its life, against a model of it (model.h). Random operations on files, collections and
 * standard input; refreshes, rebuilds, compactions, some of them killed or disturbed; readers that stay open. After
 * each, what the index answers must be what the model answers, and it must pass `bitsift check`.
 *
 * test_model [N_OPERATIONS [SEED [WITHOUT [SCRIPT]]]] runs longer: worlds of a hundred operations, seeded SEED, SEED + 1
 * and so on. WITHOUT: names of operations to leave out, "kill,link". SCRIPT: where to write all that was done in the
 * world that differed, as a shell script.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/check.h"
#include "corpus/stored_text.h"
#include "indexer/indexer.h"
#include "tests/core_rig.h"
#include "tests/model.h"

#define WORLD_OPERATIONS 100
#define MAX_READERS      2
#define MAX_TOLD         50
#define INPUT_BYTES      4096

static unsigned n_operations = 1200;
static uint64_t main_seed = 1;
static const char *without = "", *script;
static uint64_t n_done, n_compared, n_refreshes, n_killed, n_differences;

struct reader {
	struct bs_index *index;
	struct model_state state;
};

/* The files, the last commit, and what looks at it. */
struct world {
	struct model_disk disk;
	struct model_state state;
	bool is_known;      /* state is what was committed */
	bool is_clean;      /* and the disk is that, too */
	bool has_folder;    /* s0 */
	const char *dir;    /* of the index */
	const char *content[MODEL_MAX_SOURCES]; /* what there is to edit: labels */
	size_t n_content;
	const char *sources[MODEL_MAX_SOURCES]; /* what there is to index */
	size_t n_sources;
	struct reader readers[MAX_READERS];
	char rest[128];     /* of a line half of which was appended */
	bool is_same;
};

/* ---- random things ---- */

static const char *random_of(const char *const *names, size_t n)
{
	return names[roll((uint32_t)n)];
}

static const char *random_text(char *text, size_t text_bytes)
{
	uint32_t n = chance(3) ? 60 + roll(60) : roll(9);
	char *at = text;
	*at = '\0';
	for (uint32_t i = 0; i < n && at + 8 < text + text_bytes; i++)
		at += sprintf(at, "%sw%u", i ? " " : "", chance(40) ? roll(4) : roll(20));
	return text;
}

static const char *random_name(void)
{
	static const char *const names[] = {"a", "b", "a-b", "a.b", "c"};
	return random_of(names, COUNT(names));
}

/* Below a folder, up to three deep. */
static const char *random_path(const char *folder)
{
	static char path[128];
	int n = snprintf(path, sizeof(path), "%s", folder);
	for (uint32_t depth = 1 + roll(3); depth > 0; depth--)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "/%s", random_name());
	return path;
}

static enum model_time random_time(void)
{
	return chance(50) ? MODEL_TIME_NOW : chance(70) ? MODEL_TIME_KEPT : chance(70) ? MODEL_TIME_PAST : MODEL_TIME_FUTURE;
}

/* A line of a collection, mostly a record; without its end. */
static void random_line(char *line, size_t line_bytes)
{
	char text[1024], id[64] = "";
	random_text(text, sizeof(text));
	switch (roll(8)) {
	case 0:
		break;
	case 1:
		snprintf(id, sizeof(id), "\"id\":%u,", roll(4));
		break;
	case 2:
		snprintf(id, sizeof(id), "\"id\":\"%s:%u\",", chance(50) ? "c.jsonl" : "-", 1 + roll(6));
		break;
	default:
		snprintf(id, sizeof(id), "\"id\":\"%s%u\",", chance(85) ? "r" : "", roll(12));
		break;
	}
	switch (roll(20)) {
	case 0:
		snprintf(line, line_bytes, "%s", chance(50) ? "" : "  ");
		break;
	case 1:
		snprintf(line, line_bytes, "%s", chance(50) ? "no record" : "{\"id\":true,\"text\":\"w1\"}");
		break;
	case 2:
		snprintf(line, line_bytes, "{%s\"n\":3}", id);
		break;
	case 3:
		snprintf(line, line_bytes, "{\"id\":\"\",\"text\":\"%s\"}", text);
		break;
	case 4:
	case 5:
		snprintf(line, line_bytes, "{%s\"title\":\"w1 w2\",\"text\":\"%s\"}", id, text);
		break;
	default:
		snprintf(line, line_bytes, "{%s\"text\":\"%s\"}", id, text);
		break;
	}
}

/* Some lines, the last one perhaps without end. To be freed. */
static char *random_lines(uint32_t n)
{
	char *lines = calloc(n + 1, 1200), *at = lines;
	assert_non_null(lines);
	for (uint32_t i = 0; i < n; i++) {
		random_line(at, 1100);
		at += strlen(at);
		if (i + 1 < n || chance(80))
			at += sprintf(at, "%s", chance(10) ? "\r\n" : "\n");
	}
	return lines;
}

static char *random_collection(void)
{
	char *lines = random_lines(chance(4) ? 60 + roll(60) : roll(10));
	if (chance(95))
		return lines;
	char *marked = NULL;
	assert_true(asprintf(&marked, "\xef\xbb\xbf%s", lines) > 0);
	free(lines);
	return marked;
}

static bool is_collection(const char *label)
{
	return strstr(label, "json") != NULL;
}

static bool is_folder(const struct world *world, const char *path)
{
	const struct model_node *node = disk_find(&world->disk, path);
	return node && node->kind == MODEL_FOLDER;
}

static const char *random_content(const struct world *world)
{
	return random_of(world->content, world->n_content);
}

/* Something of what there is to edit, at any depth; NULL if there is nothing. */
static const struct model_node *random_node(const struct world *world, bool only_files)
{
	for (int tries = 0; tries < 20 && world->disk.n_nodes > 0; tries++) {
		const struct model_node *node = &world->disk.nodes[roll((uint32_t)world->disk.n_nodes)];
		if (node->kind == MODEL_FILE || !only_files)
			return node;
	}
	return NULL;
}

/* ---- operations on files ---- */

static void write_text_at(struct world *world, const char *path, enum model_time time)
{
	char text[1024];
	random_text(text, sizeof(text));
	disk_write(&world->disk, path, text, strlen(text), chance(60), time);
}

static void op_create(struct world *world)
{
	const char *label = random_content(world);
	if (is_folder(world, label))
		write_text_at(world, random_path(label), random_time());
}

/* Another word of the same length, somewhere. */
static bool change_digit(char *bytes, size_t n_bytes)
{
	for (int tries = 0; tries < 10 && n_bytes > 1; tries++) {
		size_t at = roll((uint32_t)n_bytes - 1);
		if (bytes[at] != 'w' || bytes[at + 1] < '0' || bytes[at + 1] > '9')
			continue;
		bytes[at + 1] = (char)('1' + (bytes[at + 1] - '0') % 9);
		return true;
	}
	return false;
}

static void op_edit(struct world *world)
{
	const struct model_node *node = random_node(world, true);
	char path[256];
	if (!node)
		return;
	snprintf(path, sizeof(path), "%s", node->path);
	size_t n_bytes = node->n_bytes;
	char *bytes = memcpy(malloc(n_bytes + 1), node->bytes, n_bytes + 1);
	if (chance(70) && change_digit(bytes, n_bytes))
		disk_write(&world->disk, path, bytes, n_bytes, chance(60), random_time());
	else if (chance(20)) /* the same bytes */
		disk_write(&world->disk, path, bytes, n_bytes, chance(60), random_time());
	else if (!is_collection(path) && !strstr(path, ".ignore"))
		write_text_at(world, path, random_time());
	free(bytes);
}

static void op_remove(struct world *world)
{
	const struct model_node *node = random_node(world, chance(80));
	char path[256];
	if (!node)
		return;
	snprintf(path, sizeof(path), "%s", node->path);
	disk_remove(&world->disk, path);
}

static void op_rename(struct world *world)
{
	const char *label = random_content(world);
	const struct model_node *node = random_node(world, chance(70));
	char from[256];
	if (!node || !is_folder(world, label) || strstr(node->path, ".ignore") || !strchr(node->path, '/'))
		return;
	snprintf(from, sizeof(from), "%s", node->path);
	disk_rename(&world->disk, from, random_path(label));
}

static void op_swap(struct world *world)
{
	const struct model_node *a = random_node(world, true), *b = random_node(world, true);
	char from[256], to[256];
	if (!a || !b || a == b || strstr(a->path, ".ignore") || strstr(b->path, ".ignore"))
		return;
	if (is_collection(a->path) != is_collection(b->path))
		return;
	snprintf(from, sizeof(from), "%s", a->path);
	snprintf(to, sizeof(to), "%s", b->path);
	disk_rename(&world->disk, from, "../swap");
	disk_rename(&world->disk, to, from);
	disk_rename(&world->disk, "../swap", to);
}

static void op_link(struct world *world)
{
	if (is_folder(world, "s0"))
		disk_link(&world->disk, random_path("s0"), random_name());
}

static void op_binary(struct world *world)
{
	if (is_folder(world, "s0"))
		disk_write(&world->disk, random_path("s0"), "w1\0w2", 5, chance(60), random_time());
}

static void op_ignore(struct world *world)
{
	const char *name = random_name();
	const char *path = chance(60) ? "s0/.ignore" : "s0/a/.ignore";
	if (!is_folder(world, "s0") || (strlen(path) > 10 && !is_folder(world, "s0/a")))
		return;
	if (disk_find(&world->disk, path) && chance(60))
		disk_remove(&world->disk, path);
	else
		disk_write(&world->disk, path, name, strlen(name), true, MODEL_TIME_NOW);
}

/* ---- operations on collections ---- */

static const char *random_collection_label(const struct world *world)
{
	const char *label = random_content(world);
	for (int tries = 0; tries < 5 && !is_collection(label); tries++)
		label = random_content(world);
	return is_collection(label) && !is_folder(world, label) ? label : NULL;
}

/* Lines, or one half of a line and later the other. */
static void op_append(struct world *world)
{
	const char *label = random_collection_label(world);
	if (!label)
		return;
	if (world->rest[0] && chance(70)) {
		disk_append(&world->disk, label, world->rest, strlen(world->rest));
		world->rest[0] = '\0';
	} else if (chance(30)) {
		char line[1100];
		random_line(line, sizeof(line));
		size_t half = roll((uint32_t)strlen(line) + 1);
		snprintf(world->rest, sizeof(world->rest), "%.100s%s", line + half, chance(70) ? "\n" : "");
		disk_append(&world->disk, label, line, half);
	} else {
		char *lines = random_lines(1 + roll(4));
		disk_append(&world->disk, label, lines, strlen(lines));
		free(lines);
	}
}

static void op_end_line(struct world *world)
{
	const char *label = random_collection_label(world);
	if (label)
		disk_append(&world->disk, label, "\r\n" + roll(2), 1 + (size_t)chance(20));
}

static void op_rewrite(struct world *world)
{
	const char *label = random_collection_label(world);
	if (!label)
		return;
	char *lines = random_collection();
	disk_write(&world->disk, label, lines, strlen(lines), chance(60), random_time());
	free(lines);
}

static void op_truncate(struct world *world)
{
	const char *label = random_collection_label(world);
	const struct model_node *node = label ? disk_find(&world->disk, label) : NULL;
	if (!node || node->n_bytes == 0)
		return;
	size_t n_bytes = roll((uint32_t)node->n_bytes + 1);
	char *bytes = memcpy(malloc(n_bytes + 1), node->bytes, n_bytes);
	const char *feed = memrchr(bytes, '\n', n_bytes);
	if (feed && chance(70))
		n_bytes = (size_t)(feed - bytes) + 1;
	disk_write(&world->disk, label, bytes, n_bytes, chance(70), random_time());
	free(bytes);
}

/* ---- operations on whole sources ---- */

static void make_content(struct world *world, const char *label, bool is_file)
{
	char *lines;
	if (is_collection(label) && is_file) {
		lines = random_collection();
		disk_write(&world->disk, label, lines, strlen(lines), false, random_time());
		free(lines);
	} else if (is_file) {
		write_text_at(world, label, random_time());
	} else {
		disk_make_folder(&world->disk, label);
		for (uint32_t n = chance(4) ? 70 : roll(8); n > 0; n--)
			write_text_at(world, random_path(label), random_time());
	}
}

static bool is_file_by_name(const char *label)
{
	return strchr(label, '.') != NULL;
}

/* Away, and later back as it was, or made anew. */
static void op_vanish(struct world *world)
{
	const char *label = random_content(world);
	char away[64];
	snprintf(away, sizeof(away), "../away-%s", label);
	if (disk_find(&world->disk, label) && chance(70))
		disk_rename(&world->disk, label, away);
	else if (disk_find(&world->disk, label))
		disk_remove(&world->disk, label);
	else if (disk_find(&world->disk, away))
		disk_rename(&world->disk, away, label);
	else
		make_content(world, label, is_file_by_name(label));
}

static void op_return(struct world *world)
{
	for (size_t i = 0; i < world->n_content; i++)
		if (!disk_find(&world->disk, world->content[i]))
			make_content(world, world->content[i], is_file_by_name(world->content[i]));
}

/* A folder where a file was, or the other way. */
static void op_morph(struct world *world)
{
	const char *label = random_content(world);
	if (disk_find(&world->disk, label))
		make_content(world, label, is_folder(world, label));
}

/* ---- operations on the index ---- */

static void note(struct world *world, bool is_same)
{
	world->is_same &= is_same;
	n_compared++;
}

static void difference(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void difference(struct world *world, const char *format, ...)
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
	struct bs_error err = {""};
	if (bs_index_open(world->dir, NULL, &index, &err))
		difference(world, "open: %s", err.text);
	return index;
}

/* The last commit and the readers of earlier ones. */
static void compare(struct world *world, unsigned n_queries)
{
	struct bs_index *index = world->is_known ? open_index(world) : NULL;
	if (index) {
		note(world, model_compare(index, &world->state, &world->disk, world->is_clean, n_queries));
		bs_index_close(index);
	}
	for (size_t i = 0; i < MAX_READERS && world->is_same; i++)
		if (world->readers[i].index && chance(50)) {
			note(world, model_compare(world->readers[i].index, &world->readers[i].state, &world->disk, false, 3));
			if (!world->is_same)
				fprintf(stderr, "  (a reader opened earlier)\n");
		}
}

static void check_index(struct world *world)
{
	struct bs_error err = {""};
	struct bs_check_sum sum;
	struct bs_check_request request = {.stored_text = bs_stored_text_check};
	if (bs_index_check(world->dir, &request, &sum, &err))
		difference(world, "check: %s", err.text);
}

/* A run of the indexer, as drawn. */
struct run {
	struct bs_index_job job;
	const char *sources[MODEL_MAX_SOURCES];
	char *input; /* of "-", or NULL */
	struct bs_index_report report;
	struct bs_error err;
	struct world *world;  /* disturbed in the middle, if it is not NULL */
	unsigned countdown;
};

static void draw_run(const struct world *world, struct run *run)
{
	*run = (struct run){.job = {
		.dir = world->dir,
		.options = {.words = true, .density = BS_DEFAULT_DENSITY},
		.use_recorded_options = true,
		.memory_bytes = chance(30) ? 1 : 0,
		.n_threads = 1 + roll(2),
		.max_segment_docs = chance(60) ? 0 : 1 + roll(9),
		.max_slab_blocks = chance(50),
		.list_mode = (enum bs_list_mode)roll(3),
	}};
}

static void draw_sources(const struct world *world, struct run *run)
{
	run->job.sources = run->sources;
	for (size_t i = 0; i < world->n_sources; i++)
		if (chance(40))
			run->sources[run->job.n_sources++] = world->sources[i];
	for (size_t i = 0; i < run->job.n_sources; i++)
		if (strcmp(run->sources[i], "-") == 0)
			run->input = random_lines(roll(5));
}

static void trace_run(const struct run *run, const char *what)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "bitsift %s --index %s -j%u%s%s", what, run->job.dir, run->job.n_threads,
	                 run->job.memory_bytes ? " --memory 1" : "", run->job.rebuild ? " --rebuild" : "");
	for (size_t i = 0; i < run->job.n_sources; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", run->sources[i]);
	trace("%s # segments of %u, slabs of %u, lists %d", text, run->job.max_segment_docs, run->job.max_slab_blocks,
	      (int)run->job.list_mode);
	if (run->input)
		trace("# ... its input: %s", run->input);
}

static enum bs_status do_run(struct run *run)
{
	int kept = dup(STDIN_FILENO);
	if (run->input) {
		write_text("../input", run->input);
		int fd = open("../input", O_RDONLY);
		assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
		close(fd);
	}
	enum bs_status status = bs_index_run(&run->job, &run->report, &run->err);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
	return status;
}

/* The state that a run should lead to becomes that of the world, if it may. */
static bool expect_run(struct world *world, const struct run *run, struct model_state *after)
{
	return state_refresh(&world->state, &world->disk, run->job.sources, run->job.n_sources, run->input, after);
}

static void take_state(struct world *world, struct model_state *after)
{
	state_deinit(&world->state);
	world->state = *after;
}

static void finish_refresh(struct world *world, struct run *run, enum bs_status status)
{
	struct model_state after;
	bool is_possible = expect_run(world, run, &after);
	take_state(world, &after);
	if (is_possible != (status == BS_OK) || (status && status != BS_NOT_FOUND)) {
		difference(world, "refresh: %s: %s", bs_status_name(status), run->err.text);
		return;
	}
	world->is_known |= is_possible;
	world->is_clean |= is_possible;
	if (is_possible && run->report.n_docs != world->state.docs.n)
		difference(world, "%" PRIu64 " documents reported, not %zu", run->report.n_docs, world->state.docs.n);
	n_refreshes++;
}

/* Longer than the time for which a file is too young to be trusted. */
static void pause_some(uint32_t percent)
{
	if (chance(percent)) {
		trace("sleep 0.03");
		usleep(30000);
	}
}

/* Sometimes by the public function, which knows less. */
static enum bs_status do_refresh(struct run *run)
{
	struct bs_build_report report;
	struct bs_build_request request = {
		.dir = run->job.dir,
		.sources = run->job.sources,
		.n_sources = run->job.n_sources,
		.n_threads = run->job.n_threads,
	};
	if (run->job.rebuild || run->input || chance(70))
		return do_run(run);
	enum bs_status status = bs_index_build(&request, &report, &run->err);
	run->report.n_docs = report.n_docs;
	return status;
}

static void refresh(struct world *world, struct run *run)
{
	trace_run(run, "index");
	finish_refresh(world, run, do_refresh(run));
	free(run->input);
	if (world->is_same && chance(40))
		check_index(world);
	if (world->is_same)
		compare(world, 6);
}

static void op_refresh(struct world *world)
{
	struct run run;
	draw_run(world, &run);
	if (chance(25))
		draw_sources(world, &run);
	pause_some(30);
	refresh(world, &run);
}

static void op_rebuild(struct world *world)
{
	struct run run;
	draw_run(world, &run);
	run.job.rebuild = true;
	if (chance(25))
		draw_sources(world, &run);
	refresh(world, &run);
}

/* Twice, with time enough between edits and it: the second time there is nothing to do. */
static void op_idle(struct world *world)
{
	struct run run;
	pause_some(100);
	draw_run(world, &run);
	refresh(world, &run);
	if (!world->is_same)
		return;
	draw_run(world, &run);
	trace_run(&run, "index");
	enum bs_status status = do_run(&run);
	finish_refresh(world, &run, status);
	if (status == BS_OK && (run.report.is_committed || run.report.n_indexed > 0))
		difference(world, "nothing changed, but %" PRIu64 " documents were indexed%s", run.report.n_indexed,
		           run.report.is_committed ? " and committed" : "");
}

static uint64_t count_deleted(struct world *world)
{
	struct bs_index_info info = {0};
	struct bs_index *index = open_index(world);
	if (index)
		bs_index_describe(index, &info);
	bs_index_close(index);
	return info.n_deleted;
}

static void op_compact(struct world *world)
{
	struct run run;
	draw_run(world, &run);
	pause_some(20);
	trace_run(&run, "compact");
	if (bs_compact_run(&run.job, &run.report, &run.err)) {
		difference(world, "compact: %s", run.err.text);
		return;
	}
	if (world->is_known && run.report.n_docs != world->state.docs.n)
		difference(world, "%" PRIu64 " documents reported, not %zu", run.report.n_docs, world->state.docs.n);
	if (world->is_clean && count_deleted(world) > 0)
		difference(world, "%" PRIu64 " deleted documents after compaction", count_deleted(world));
	check_index(world);
	if (world->is_same)
		compare(world, 6);
}

/* By ids, some of which there may not be, or twice. */
static void op_delete(struct world *world)
{
	const char *ids[3];
	char *copies[3];
	size_t n = 1 + roll(3);
	uint64_t n_deleted = 0;
	struct bs_error err = {""};
	if (!world->is_known)
		return;
	size_t n_before = world->state.docs.n;
	for (size_t i = 0; i < n; i++) {
		bool is_there = n_before > 0 && chance(90);
		ids[i] = copies[i] = strdup(is_there ? world->state.docs.at[roll((uint32_t)n_before)].id : "r1");
		trace("bitsift delete --index %s -- '%s'", world->dir, ids[i]);
	}
	for (size_t i = 0; i < n; i++)
		state_delete(&world->state, ids[i]);
	if (bs_index_delete(world->dir, ids, n, false, &n_deleted, &err))
		difference(world, "delete: %s", err.text);
	else if (n_deleted != n_before - world->state.docs.n)
		difference(world, "%" PRIu64 " deleted, not %zu", n_deleted, n_before - world->state.docs.n);
	for (size_t i = 0; i < n; i++)
		free(copies[i]);
	if (chance(40))
		check_index(world);
	if (world->is_same)
		compare(world, 4);
}

static uint64_t generation_of(struct world *world)
{
	struct bs_index_info info = {0};
	struct bs_index *index = open_index(world);
	if (index)
		bs_index_describe(index, &info);
	bs_index_close(index);
	return info.generation;
}

/* What a killed refresh left: if it came to commit, all of it, else nothing. */
static void finish_killed(struct world *world, struct run *run, uint64_t generation, int how)
{
	struct model_state after;
	check_index(world);
	bool is_committed = generation_of(world) > generation;
	trace("# ... %s, %s", WIFSIGNALED(how) ? "killed" : "done", is_committed ? "committed" : "not committed");
	bool is_possible = expect_run(world, run, &after);
	if (is_committed || (WIFEXITED(how) && WEXITSTATUS(how) == BS_OK)) {
		take_state(world, &after);
		world->is_known |= is_possible;
		world->is_clean |= is_possible;
	} else {
		state_deinit(&after);
	}
}

static void op_kill(struct world *world)
{
	struct run run;
	bool is_compaction = chance(30);
	uint64_t generation = generation_of(world);
	uint32_t patience_us = roll(chance(50) ? 8000 : 1500);
	int how = 0;
	draw_run(world, &run);
	if (!is_compaction && chance(25))
		draw_sources(world, &run);
	run.job.rebuild = !is_compaction && chance(15);
	trace_run(&run, is_compaction ? "compact" : "index");
	trace("# ... killed after %u us", patience_us);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit((int)(is_compaction ? bs_compact_run(&run.job, &run.report, &run.err) : do_run(&run)));
	usleep(patience_us);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &how, 0), child);
	n_killed += WIFSIGNALED(how);
	if (is_compaction)
		check_index(world);
	else
		finish_killed(world, &run, generation, how);
	free(run.input);
	if (world->is_same)
		compare(world, 4);
}

static int disturb(void *context, const struct bs_index_report *so_far);

/* Files change while they are read: what of it is indexed is not known, but the next refresh mends it. */
static void op_disturb(struct world *world)
{
	struct run run;
	draw_run(world, &run);
	run.world = world;
	run.countdown = roll(4);
	run.job.progress = disturb;
	run.job.context = &run;
	trace_run(&run, "index");
	world->is_known = world->is_clean = false;
	enum bs_status status = do_run(&run);
	if (status && status != BS_NOT_FOUND && status != BS_IO)
		difference(world, "disturbed: %s: %s", bs_status_name(status), run.err.text);
	check_index(world);
	if (!world->is_same)
		return;
	draw_run(world, &run);
	refresh(world, &run);
}

static void op_open(struct world *world)
{
	if (!world->is_known)
		return;
	struct reader *reader = &world->readers[roll(MAX_READERS)];
	bs_index_close(reader->index);
	state_deinit(&reader->state);
	reader->index = open_index(world);
	state_copy(&world->state, &reader->state);
}

static void op_query(struct world *world)
{
	compare(world, 5);
}

/* ---- worlds ---- */

static const struct operation {
	const char *name;
	unsigned weight;
	void (*run)(struct world *world);
	bool is_edit;
} operations[] = {
	{"edit", 16, op_edit, true},      {"create", 8, op_create, true},      {"remove", 4, op_remove, true},
	{"rename", 4, op_rename, true},   {"swap", 2, op_swap, true},          {"link", 1, op_link, true},
	{"binary", 1, op_binary, true},   {"ignore", 2, op_ignore, true},      {"append", 14, op_append, true},
	{"endline", 3, op_end_line, true}, {"rewrite", 4, op_rewrite, true},   {"truncate", 3, op_truncate, true},
	{"vanish", 3, op_vanish, true},   {"return", 2, op_return, true},      {"morph", 2, op_morph, true},
	{"refresh", 24, op_refresh, false}, {"rebuild", 2, op_rebuild, false}, {"idle", 2, op_idle, false},
	{"compact", 4, op_compact, false}, {"kill", 6, op_kill, false},        {"disturb", 3, op_disturb, false},
	{"delete", 4, op_delete, false},   {"open", 3, op_open, false},        {"query", 6, op_query, false},
};

static bool is_left_out(const char *name)
{
	const char *at = strstr(without, name);
	return at && (at[strlen(name)] == ',' || at[strlen(name)] == '\0');
}

static const struct operation *draw_operation(bool only_edits)
{
	for (;;) {
		const struct operation *operation = &operations[roll(COUNT(operations))];
		if (roll(24) < operation->weight && (operation->is_edit || !only_edits) && !is_left_out(operation->name))
			return operation;
	}
}

static void run_operation(struct world *world, const struct operation *operation)
{
	world->is_clean &= !operation->is_edit;
	operation->run(world);
}

static int disturb(void *context, const struct bs_index_report *so_far)
{
	struct run *run = context;
	(void)so_far;
	if (run->countdown-- != 0)
		return 0;
	trace("# ... meanwhile:");
	run_operation(run->world, draw_operation(true));
	trace("# ... so far");
	return 0;
}

static void draw_world(struct world *world)
{
	static const char *const content[] = {"s0", "s1", "f.txt", "c.jsonl", "d.ndjson"};
	static const char *const more[] = {"-", "s0/a", "."};
	*world = (struct world){.is_same = true, .dir = chance(50) ? "index" : "../index"};
	while (world->n_content == 0)
		for (size_t i = 0; i < COUNT(content); i++)
			if (world->n_content < 3 && chance(40))
				world->content[world->n_content++] = content[i];
	for (size_t i = 0; i < world->n_content; i++)
		world->sources[world->n_sources++] = world->content[i];
	for (size_t i = 0; i < COUNT(more); i++)
		if (chance(i ? 12 : 35))
			world->sources[world->n_sources++] = more[i];
	for (size_t i = world->n_sources; i-- > 1;) {
		size_t k = roll((uint32_t)i + 1);
		const char *kept = world->sources[i];
		world->sources[i] = world->sources[k];
		world->sources[k] = kept;
	}
}

static void start_world(struct world *world)
{
	struct run run;
	struct model_state after;
	for (size_t i = 0; i < world->n_content; i++)
		make_content(world, world->content[i], is_file_by_name(world->content[i]));
	bool is_possible = false;
	while (!is_possible) {
		draw_run(world, &run);
		draw_sources(world, &run);
		is_possible = run.job.n_sources > 0 && expect_run(world, &run, &after);
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
	disk_deinit(&world->disk);
	trace_start(0, "");
}

/* A hundred operations in a folder of their own. */
static bool run_world(uint64_t seed)
{
	struct world world;
	model_seed(seed);
	trace_start(0, "");
	trace_start(1, "start");
	assert_int_equal(enter_folder(NULL), 0);
	assert_int_equal(mkdir("work", 0755) || chdir("work"), 0);
	draw_world(&world);
	start_world(&world);
	for (unsigned i = 2; i <= WORLD_OPERATIONS && world.is_same; i++) {
		const struct operation *operation = draw_operation(false);
		trace_start(i, operation->name);
		run_operation(&world, operation);
		n_done++;
		if (!world.is_same)
			fprintf(stderr, "  seed %" PRIu64 ", operation %u (%s); before:\n", seed, i, operation->name);
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
	(void)state;
	for (uint64_t seed = main_seed; n_done < n_operations && n_differences < MAX_TOLD; seed++)
		n_differences += !run_world(seed);
	print_message("%" PRIu64 " operations, %" PRIu64 " comparisons, %" PRIu64 " refreshes, %" PRIu64
	              " killed runs, %" PRIu64 " differences\n",
	              n_done, n_compared, n_refreshes, n_killed, n_differences);
	assert_true(n_differences == 0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		n_operations = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		main_seed = strtoull(argv[2], NULL, 10);
	if (argc > 3)
		without = argv[3];
	if (argc > 4)
		script = argv[4];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives_of_indexes),
	};
	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
