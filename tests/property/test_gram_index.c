/* test_gram_index.c: tests the grams of an index. Every file that contains a literal must be a
 * candidate for it, after refreshes, deletions and compaction, after edits since the last commit,
 * and if the index was built by several threads or with little memory. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctype.h>

#include "core/bitsift/index.h"
#include "core/check/check.h"
#include "core/store/snapshot.h"
#include "core/text/grams.h"
#include "corpus/changes/exclusions.h"
#include "corpus/read/source.h"
#include "corpus/walk/document.h"
#include "indexer/batch/gram_sketch.h"
#include "query/grep/candidate_files.h"
#include "query/regex/gram_filter.h"
#include "query/regex/prefilter/regex_grams.h"
#include "query/regex/regex_read.h"
#include "tests/rigs/clock_rig.h"
#include "tests/rigs/index_rig.h"

#define N_FILES    400u
#define MOST_BYTES 40000u

/* The current content of a file of the tree, as a search sees it. */
struct model_file {
	char path[32]; /* below the folder "t" */
	struct bs_buffer folded;
	bool is_there;
};

struct model {
	uint64_t random;
	struct model_file files[N_FILES];
	uint64_t n_asked, n_both, n_true, n_listed, n_covered_no;
};

/* ---- files ---- */

static void append_words(struct model *model, struct bs_buffer *text, size_t n_bytes)
{
	static const char *const words[] = {"static ", "int ", "return", "struct file", "\n\t",
	                                    "mutex_lock(&", "0x", ";\n", "INCLUDE ",
	                                    /* Letters beyond ASCII, and invalid UTF-8. */
	                                    "Stra\u00dfe ", "\u00c4rger", "\u6771\u4eac",
	                                    "\xff\xc0"};
	while (text->used_bytes < n_bytes) {
		char rare[16];
		const char *word = words[random_below(&model->random, COUNT(words))];
		if (random_below(&model->random, 4) == 0) {
			snprintf(rare, sizeof(rare), "w%x ",
			         (unsigned)random_below(&model->random, 1u << 20));
			word = rare;
		}
		append_string(text, word);
	}
}

static void append_utf16(struct bs_buffer *to, const struct bs_buffer *text)
{
	append_bytes(to, "\xff\xfe", 2);
	for (size_t i = 0; i < text->used_bytes; i++)
		append_bytes(to, (const uint8_t[]){text->data[i] & 0x7f, 0}, 2);
}

static void write_model_file(struct model *model, uint32_t i)
{
	struct model_file *file = &model->files[i];
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0}, raw = {0};
	uint64_t kind = random_below(&model->random, 20);
	size_t n_bytes = (size_t)random_below(&model->random, kind < 12 ? 300 : MOST_BYTES);
	/* Names that sort differently by bytes and by components. */
	snprintf(file->path, sizeof(file->path), "t/d%u%s%u", i % 7, i % 3 ? "/" : "-x/", i);
	append_words(model, &text, kind == 0 ? 0 : n_bytes);
	if (kind == 1 && text.used_bytes > 2)
		/* a NUL: the file is binary and therefore not a document */
		text.data[text.used_bytes / 2] = 0;
	bs_buffer_clear(&file->folded);
	if (kind == 2) {
		append_utf16(&raw, &text);
		for (size_t b = 0; b < text.used_bytes; b++)
			text.data[b] &= 0x7f;
	}
	ok(bs_grams_fold(text.data, text.used_bytes, &file->folded, ERR));
	char folder[32];
	snprintf(folder, sizeof(folder), "t/d%u%s", i % 7, i % 3 ? "" : "-x");
	assert_true(mkdir(folder, 0777) == 0 || errno == EEXIST);
	write_bytes(file->path, kind == 2 ? raw.data : text.data,
	            kind == 2 ? raw.used_bytes : text.used_bytes);
	file->is_there = true;
}

static void remove_model_file(struct model *model, uint32_t i)
{
	if (!model->files[i].is_there)
		return;
	assert_int_equal(unlink(model->files[i].path), 0);
	model->files[i].is_there = false;
}

static void edit_files(struct model *model, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = (uint32_t)random_below(&model->random, N_FILES);
		if (random_below(&model->random, 4) == 0)
			remove_model_file(model, i);
		else
			write_model_file(model, i);
	}
}

/* ---- questions ---- */

/* The name of the file in the index. */
static const char *name_of(const struct model_file *file)
{
	return file->path + strlen("t/");
}

static struct model_file *find_file(struct model *model, const uint8_t *name, size_t name_bytes)
{
	for (uint32_t i = 0; i < N_FILES; i++)
		if (model->files[i].is_there && strlen(name_of(&model->files[i])) == name_bytes &&
		    memcmp(name_of(&model->files[i]), name, name_bytes) == 0)
			return &model->files[i];
	return NULL;
}

static void fingerprint_of(const char *path, uint64_t fingerprint_out[4])
{
	struct bs_fingerprint fingerprint;
	ok(bs_path_fingerprint(path, &fingerprint, ERR));
	bs_fingerprint_record(&fingerprint, fingerprint_out);
}

static bool holds(const struct model_file *file, uint8_t literals[2][32], const size_t n_bytes[2],
                  size_t n_literals)
{
	bool does = file->is_there;
	for (size_t i = 0; i < n_literals && does; i++)
		does = memmem(file->folded.data, file->folded.used_bytes, literals[i], n_bytes[i]);
	return does;
}

/* Draws a piece of a random file. */
static size_t draw_literal(struct model *model, uint8_t literal[32])
{
	for (;;) {
		const struct model_file *file =
			&model->files[random_below(&model->random, N_FILES)];
		size_t n = 1 + (size_t)random_below(&model->random, 30);
		if (!file->is_there || file->folded.used_bytes < n)
			continue;
		memcpy(literal,
		       file->folded.data +
		               random_below(&model->random, file->folded.used_bytes - n + 1),
		       n);
		return n;
	}
}

/* A file that contains all literals must never be ruled out. If the index is up to date (is_fresh),
 * it must list the file. */
static void expect_sound(struct model *model, const struct bs_snapshot *snapshot,
                         const struct bs_doc_bits *candidates, uint8_t literals[2][32],
                         const size_t n_bytes[2], size_t n_literals, bool is_fresh)
{
	struct bs_candidate_files list;
	struct bs_gram_cover cover;
	const uint8_t *name, *before = NULL;
	size_t name_bytes, before_bytes = 0, n_found = 0, n_true = 0;
	ok(bs_gram_cover_init(&cover, snapshot, candidates, 0, 0, ERR));
	for (uint32_t i = 0; i < N_FILES; i++) {
		enum bs_gram_answer answer, trusted;
		uint64_t fingerprint[4];
		struct model_file *file = &model->files[i];
		if (!file->is_there)
			continue;
		bool is_match = holds(file, literals, n_bytes, n_literals);
		name = (const uint8_t *)name_of(file);
		name_bytes = strlen(name_of(file));
		fingerprint_of(file->path, fingerprint);
		ok(bs_gram_cover_ask(&cover, name, name_bytes, fingerprint, &answer, ERR));
		ok(bs_gram_cover_ask(&cover, name, name_bytes, NULL, &trusted, ERR));
		assert_true(!is_match || answer != BS_GRAM_NO_MATCH);
		assert_true(!is_match || !is_fresh || trusted != BS_GRAM_NO_MATCH);
		assert_true(answer == trusted || answer == BS_GRAM_NOT_COVERED);
		model->n_covered_no += answer == BS_GRAM_NO_MATCH;
		n_true += is_match;
	}
	bs_gram_cover_deinit(&cover);
	ok(bs_candidate_files_init(&list, snapshot, candidates, 0, 0, ERR));
	for (;;) {
		ok(bs_candidate_files_next(&list, &name, &name_bytes, ERR));
		if (!name)
			break;
		assert_true(!before ||
		            bs_compare_paths(before, before_bytes, name, name_bytes) < 0);
		before = name;
		before_bytes = name_bytes;
		model->n_listed++;
		struct model_file *file = find_file(model, name, name_bytes);
		assert_true(file || !is_fresh);
		n_found += file && holds(file, literals, n_bytes, n_literals);
	}
	bs_candidate_files_deinit(&list);
	assert_true(!is_fresh || n_found == n_true);
	model->n_true += n_true;
}

/* Makes the gram tree of a pattern: the first literal or, unless `join` is NULL, both, joined. */
static struct bs_gram_tree *tree_of(uint8_t literals[][32], const size_t *n_bytes, const char *join)
{
	AUTO(bs_buffer_deinit) struct bs_buffer pattern = {0};
	AUTO(bs_regex_deinit) struct bs_regex regex = {.root = 0};
	struct bs_gram_tree *tree;
	for (size_t i = 0; i < (join ? 2 : 1); i++) {
		append_string(&pattern, i ? join : "");
		for (size_t k = 0; k < n_bytes[i]; k++) {
			bool is_mark = literals[i][k] < 0x80 && !isalnum(literals[i][k]);
			append_bytes(&pattern, "\\", is_mark);
			append_bytes(&pattern, literals[i] + k, 1);
		}
	}
	ok(bs_regex_read(&regex, pattern.data, pattern.used_bytes, ERR));
	ok(bs_regex_grams(&regex, &tree, ERR));
	return tree;
}

/* Searches for one literal, then for either of two, then for both. */
static void ask(struct model *model, const struct bs_snapshot *snapshot, bool is_fresh)
{
	static const char *const joins[] = {NULL, "|", "(?s:.*)"};
	uint8_t literals[2][32];
	size_t n_bytes[2];
	for (int i = 0; i < 2; i++)
		n_bytes[i] = draw_literal(model, literals[i]);
	for (uint32_t i = 0; i < COUNT(joins); i++) {
		AUTO(bs_doc_bits_deinit) struct bs_doc_bits candidates = {.segments = NULL};
		struct bs_gram_filter_how how = {.n_threads = 3 - i};
		struct bs_gram_filter_stats stats;
		struct bs_gram_tree *tree = tree_of(literals, n_bytes, joins[i]);
		model->n_both += bs_gram_tree_root(tree)->kind == BS_GRAM_AND;
		ok(bs_gram_filter(snapshot, tree, how, &candidates, i ? NULL : &stats, ERR));
		/* A file that has the first literal is also a candidate for either of the two. */
		expect_sound(model, snapshot, &candidates, literals, n_bytes, i < 2 ? 1 : 2,
		             is_fresh);
		bs_gram_tree_free(tree);
	}
	model->n_asked++;
}

static void ask_many(struct model *model, uint32_t n, bool is_fresh)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	/* Sometimes the index summary rules patterns out before the segments do. */
	if (random_below(&model->random, 2))
		ok(bs_snapshot_use_summary(&snapshot, 1, ERR));
	for (uint32_t i = 0; i < n; i++)
		ask(model, &snapshot, is_fresh);
}

/* ---- the life of an index ---- */

static void expect_checked(void)
{
	struct bs_check_sums sum;
	ok(bs_check_dir(dir_at("index"), NULL, &sum, ERR));
}

static void live(struct model *model, uint32_t round)
{
	struct bs_build_tuning tuning = {
		.max_segment_docs = random_below(&model->random, 2) ? 0 : 37,
	};
	struct bs_build_request request = {.dir = "index",
	                                   .index.words = round % 2,
	                                   .index.grams = true,
	                                   .rebuild = round > 0,
	                                   .write.n_threads =
	                                           1 + (uint32_t)random_below(&model->random, 3),
	                                   .write.memory_bytes = 1,
	                                   .tuning = &tuning};
	struct bs_build_report report;
	edit_files(model, N_FILES);
	clock_make_old();
	index_sources(&request, (const char *const[]){"t", NULL}, NULL);
	expect_checked();
	ask_many(model, 30, true);
	edit_files(model, N_FILES / 10);
	ask_many(model, 10, false);
	request.rebuild = false;
	for (int i = 0; i < 4; i++) {
		clock_make_old();
		index_sources(&request, (const char *const[]){NULL}, NULL);
		expect_checked();
		ask_many(model, 10, true);
		edit_files(model, 1 + (uint32_t)random_below(&model->random, 20));
		ask_many(model, 5, false);
	}
	ok(bs_index_compact(&request, &report, ERR));
	expect_checked();
	ask_many(model, 10, false);
}

static void test_sound(void **state)
{
	FREED struct model *model = must_calloc(1, sizeof(*model));
	model->random = 77;
	assert_int_equal(mkdir("t", 0777), 0);
	for (uint32_t round = 0; round < 6; round++)
		live(model, round);
	/* The grams must rule out enough files. */
	assert_true(model->n_covered_no > model->n_asked * N_FILES / 4);
	assert_true(model->n_both > model->n_asked / 2);
	assert_true(model->n_true > 0 && model->n_listed < 20 * model->n_true);
	for (uint32_t i = 0; i < N_FILES; i++)
		bs_buffer_deinit(&model->files[i].folded);
}

/* ---- collections ---- */

/* Checks whether the collection is listed for the literal, and what the grams answer for its
 * current fingerprint. */
static void expect_collection(bool is_listed, enum bs_gram_answer wanted, const char *literal)
{
	struct bs_dir *dir = dir_at("index");
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	AUTO(bs_doc_bits_deinit) struct bs_doc_bits candidates = {.segments = NULL};
	AUTO(bs_candidate_files_deinit) struct bs_candidate_files list;
	AUTO(bs_gram_cover_deinit) struct bs_gram_cover cover;
	enum bs_gram_answer answer;
	uint8_t literals[1][32];
	size_t name_bytes, n_bytes = strlen(literal);
	const uint8_t *name;
	uint64_t now[4];
	memcpy(literals[0], literal, n_bytes);
	struct bs_gram_tree *tree = tree_of(literals, &n_bytes, NULL);
	ok(bs_snapshot_open(dir, &snapshot, ERR));
	assert_int_equal(snapshot.totals.n_docs, 3);
	ok(bs_gram_filter(&snapshot, tree, (struct bs_gram_filter_how){.n_threads = 1}, &candidates,
	                  NULL, ERR));
	ok(bs_candidate_files_init(&list, &snapshot, &candidates, 0, 0, ERR));
	ok(bs_candidate_files_next(&list, &name, &name_bytes, ERR));
	assert_int_equal(name != NULL, is_listed);
	if (name)
		ok(bs_candidate_files_next(&list, &name, &name_bytes, ERR));
	assert_null(name);
	fingerprint_of("c.jsonl", now);
	ok(bs_gram_cover_init(&cover, &snapshot, &candidates, 0, 0, ERR));
	ok(bs_gram_cover_ask(&cover, (const uint8_t *)"", 0, now, &answer, ERR));
	assert_int_equal(answer, wanted);
	bs_gram_tree_free(tree);
}

static void test_collection(void **state)
{
	struct bs_build_request request = {
		.dir = "index", .index.words = true, .write.n_threads = 1};
	write_text("c.jsonl",
	           "{\"text\":\"some needle\"}\n{\"text\":\"hay\"}\n{\"text\":\"more hay\"}\n");
	clock_make_old();
	index_sources(&request, (const char *const[]){"c.jsonl", NULL}, NULL);
	expect_collection(true, BS_GRAM_NOT_COVERED, "needle");
	expect_collection(true, BS_GRAM_NOT_COVERED, "absent");
	request.index.grams = request.rebuild = true;
	index_sources(&request, (const char *const[]){"c.jsonl", NULL}, NULL);
	expect_checked();
	expect_collection(true, BS_GRAM_CANDIDATE, "needle");
	expect_collection(false, BS_GRAM_NO_MATCH, "absent");
	write_text("c.jsonl",
	           "{\"text\":\"absent\"}\n{\"text\":\"hay\"}\n{\"text\":\"more hay\"}\n");
	expect_collection(false, BS_GRAM_NOT_COVERED, "absent");
	clock_make_old();
	index_sources(&(struct bs_build_request){.dir = "index", .write.n_threads = 1},
	              (const char *const[]){NULL}, NULL);
	expect_checked();
	expect_collection(true, BS_GRAM_CANDIDATE, "absent");
	expect_collection(false, BS_GRAM_NO_MATCH, "needle");
}

/* ---- classes ---- */

static void test_classes(void **state)
{
	assert_int_equal(bs_gram_size_class_of(0), 0);
	assert_int_equal(bs_gram_size_class_of(1), 1);
	assert_int_equal(bs_gram_size_class_columns(0), 0);
	uint32_t last = 1;
	for (uint64_t n = 1; n < 100000; n++) {
		uint32_t class = bs_gram_size_class_of(n);
		assert_true(class >= last);
		/* The share of set bits is between 0.53 and 0.62, except in the class with the
		 * fewest columns. */
		assert_true((double)bs_gram_size_class_columns(class) >= (double)n * 1.04 - 1);
		assert_true(class == 1 ||
		            (double)bs_gram_size_class_columns(class) <= (double)n * 1.31 + 8);
		last = class;
	}
	assert_int_equal(bs_gram_size_class_of(UINT64_MAX), BS_GRAM_SIZE_CLASSES - 1);
	for (uint32_t class = 1; class < BS_GRAM_SIZE_CLASSES; class ++)
		assert_true(bs_gram_size_class_columns(class) >
		            bs_gram_size_class_columns(class - 1));
}

RUN_FOLDER_TESTS(test_classes, test_sound, test_collection)
