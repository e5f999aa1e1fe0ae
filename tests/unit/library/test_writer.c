/* test_writer.c: bitsift/writer.h as programs use it, with an index in a directory and one in
 * memory; its errors. Linked with the library, not with its modules. */
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "tests/rigs/writer_rig.h"

static bool del(struct bs_writer *writer, const char *id)
{
	bool was_there;
	ok(bs_writer_delete(writer, id, strlen(id), &was_there, ERR));
	return was_there;
}

static struct bs_build_report compact(const struct bs_text_provider *texts)
{
	struct bs_build_report report;
	struct bs_build_request request = {.dir = rig_dir(),
	                                   .memory = rig.memory,
	                                   .host.texts = texts,
	                                   .host.consent = &everything,
	                                   .write.n_threads = 1};
	ok(bs_index_compact(&request, &report, ERR));
	check();
	return report;
}

static void test_add_and_replace(void **state)
{
	AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer();
	add(writer, "a", "Cats", "a cat and a dog");
	add(writer, "b", "Dogs", "the \"quick\" dog\n\tof \xf0\x9f\x90\x95 the cat\x01");
	struct bs_build_report report = commit(writer);
	assert_int_equal(report.n_docs, 2);
	assert_int_equal(report.n_indexed, 2);
	assert_true(report.is_committed);
	expect("cat", "a b");
	expect("\"quick dog of\"", "b");
	expect("title:dogs", "b");
	/* A document is added twice in a transaction, after it was added in an earlier one. The
	 * last text counts. */
	add(writer, "a", "Horses", "first");
	add(writer, "a", "Horses", "second");
	report = commit(writer);
	assert_int_equal(report.n_docs, 2);
	assert_int_equal(report.n_replaced, 1);
	assert_int_equal(report.n_changed, 1);
	expect("cat", "b");
	expect("horses", "a");
	expect("first", "");
	expect("second", "a");
	/* A document added again with the same texts is replaced, but not counted as changed. */
	add(writer, "b", "Dogs", "the \"quick\" dog\n\tof \xf0\x9f\x90\x95 the cat\x01");
	report = commit(writer);
	assert_int_equal(report.n_changed, 0);
	assert_int_equal(report.n_renewed, 1);
	expect("NOT nothing", "a b");
	struct bs_text text = {"title", 5, "Mice", 4};
	assert_int_equal(bs_writer_replace(writer, "c", 1, &text, 1, NULL), BS_NOT_FOUND);
	ok(bs_writer_replace(writer, "a", 1, &text, 1, ERR));
	add(writer, "c", "Rats", NULL);
	ok(bs_writer_replace(writer, "c", 1, &text, 1, ERR));
	commit(writer);
	expect("mice", "a c");
	expect("rats OR second", "");
	check();
}

static void test_delete(void **state)
{
	AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer();
	for (int i = 0; i < 600; i++) {
		char id[16];
		snprintf(id, sizeof(id), "n%d", i);
		add(writer, id, i % 2 ? "odd" : "even", "number");
	}
	assert_false(del(writer, "x"));
	assert_true(del(writer, "n1"));
	assert_false(del(writer, "n1"));
	struct bs_build_report report = commit(writer);
	assert_int_equal(report.n_docs, 599);
	assert_int_equal(report.n_indexed, 599);
	assert_true(del(writer, "n3"));
	assert_false(del(writer, "n3"));
	add(writer, "n3", "again", NULL);
	assert_true(del(writer, "n5"));
	add(writer, "n700", "new", NULL);
	assert_true(del(writer, "n700"));
	report = commit(writer);
	assert_int_equal(report.n_docs, 598);
	assert_int_equal(report.n_removed, 2);
	expect("again", "n3");
	expect("new", "");
	/* Deletes committed and uncommitted documents. */
	uint64_t n;
	add(writer, "m1", "even", "more");
	add(writer, "m2", "odd", "more");
	ok(bs_writer_delete_query(writer, "even", 4, &n, ERR));
	assert_int_equal(n, 301);
	assert_int_equal(bs_writer_delete_query(writer, "AND AND", 7, &n, ERR), BS_INVALID);
	/* Documents that are already deleted, before or in this transaction, are not counted
	 * again. */
	ok(bs_writer_delete_query(writer, "even OR zzz", 11, &n, ERR));
	assert_int_equal(n, 0);
	report = commit(writer);
	assert_int_equal(report.n_docs, 299);
	expect("more", "m2");
	expect("even", "");
	check();
	report = compact(NULL);
	assert_int_equal(report.n_docs, 299);
	assert_int_equal(report.n_segments, 1);
	expect("more", "m2");
}

static void test_rollback(void **state)
{
	struct bs_writer *writer = open_writer();
	add(writer, "a", "one", NULL);
	bs_writer_rollback(writer);
	if (!rig.memory)
		assert_int_not_equal(access("index", F_OK), 0);
	struct bs_text text = {"title", 5, "none", 4};
	assert_int_equal(bs_writer_replace(writer, "a", 1, &text, 1, NULL), BS_NOT_FOUND);
	struct bs_build_report report = commit(writer);
	assert_int_equal(report.n_docs, 0);
	expect("one", "");
	add(writer, "a", "two", NULL);
	commit(writer);
	add(writer, "b", "three", NULL);
	assert_true(del(writer, "a"));
	uint64_t n;
	ok(bs_writer_delete_query(writer, "three", 5, &n, ERR));
	assert_int_equal(n, 1);
	bs_writer_rollback(writer);
	expect("two OR three", "a");
	add(writer, "b", "three", NULL);
	bs_writer_close(writer);
	expect("two OR three", "a");
	check();
	/* Nothing remains of a transaction that was rolled back. */
	for (size_t i = 0; rig.memory && i < bs_memory_index_n_files(rig.memory); i++) {
		struct bs_memory_index_file file;
		ok(bs_memory_index_file_at(rig.memory, i, &file, ERR));
		assert_true(strcmp(file.name, "manifest") == 0 ||
		            strncmp(file.name, "seg-", 4) == 0 ||
		            strncmp(file.name, "summary-", 8) == 0 ||
		            strncmp(file.name, "counts-", 7) == 0);
	}
}

/* Cuts each text into one word, itself. Fails if the text begins with x. */
static int cut_whole(void *context, const uint8_t *text, size_t text_bytes,
                     int (*emit)(void *emit_context, const uint8_t *term, size_t term_bytes,
                                 size_t start, size_t stop),
                     void *emit_context)
{
	return text_bytes > 0 && *text == 'x' ? 5
	                                      : emit(emit_context, text, text_bytes, 0, text_bytes);
}

/* A change that fails invalidates its whole transaction; the error is repeated until the
 * transaction ends. */
static void test_failure(void **state)
{
	static const struct bs_analyzer analyzer = {.name = "whole", .cut = cut_whole};
	AUTO(bs_writer_close_at)
	struct bs_writer *writer = OPEN_WITH(.host.analyzer = &analyzer);
	struct bs_text text = {"title", 5, "any", 3};
	uint64_t n;
	add(writer, "a", "one", NULL);
	commit(writer);
	for (int round = 0; round < 4; round++) {
		add(writer, "b", "two", NULL);
		add(writer, "c", "x", NULL);
		/* Before a document is deleted, the added documents are analysed; this fails
		 * here. */
		expect_error(bs_writer_delete(writer, "b", 1, NULL, ERR), BS_IO, "whole");
		for (int again = 0; again < 2; again++) {
			expect_error(try_add(writer, "d", "three", NULL, ERR), BS_IO, "whole");
			assert_int_equal(bs_writer_replace(writer, "a", 1, &text, 1, ERR), BS_IO);
			assert_int_equal(bs_writer_delete(writer, "a", 1, NULL, ERR), BS_IO);
			assert_int_equal(bs_writer_delete_query(writer, "one", 3, &n, ERR), BS_IO);
		}
		if (round % 2)
			assert_int_equal(bs_writer_commit(writer, NULL, ERR), BS_IO);
		else
			bs_writer_rollback(writer);
		assert_int_equal(commit(writer).n_docs, 1 + round / 2);
		if (round % 2)
			add(writer, round == 1 ? "e" : "f", "four", NULL);
		assert_int_equal(commit(writer).n_docs, 1 + (round + 1) / 2);
	}
	/* A failing commit reports its own error. */
	add(writer, "c", "x", NULL);
	assert_int_equal(bs_writer_commit(writer, NULL, ERR), BS_IO);
	assert_int_equal(commit(writer).n_docs, 3);
	check();
}

static bool lacks_zstd;

/* Replaces dlopen of the C library; bitsift calls it to load zstd. */
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags)
{
	static void *(*real)(const char *, int);
	void *found = dlsym(RTLD_NEXT, "dlopen");
	memcpy(&real, &found, sizeof(found));
	return lacks_zstd && name && strstr(name, "zstd") ? NULL : real(name, flags);
}

static void add_without_zstd(void)
{
	struct bs_writer *writer = open_writer();
	uint64_t n_taken = 0;
	char *body = must_malloc(300000), id[16];
	for (size_t i = 0; i < 299999; i++)
		body[i] = i % 6 ? (char)('a' + i % 7) : ' ';
	body[299999] = '\0';
	enum bs_status status = BS_OK;
	for (int i = 0; i < 60 && !status; i++) {
		sprintf(id, "%d", i);
		status = try_add(writer, id, "one", body, ERR);
		n_taken += !status;
	}
	struct bs_build_report report;
	if (!status)
		_exit(1);
	status = bs_writer_commit(writer, &report, ERR);
	_exit(status || report.n_docs == n_taken ? 0 : 2);
}

/* If texts cannot be stored, the commit fails, or it has every document whose addition succeeded.
 * Must be the first test, before zstd is loaded. */
static void test_no_zstd(void **state)
{
	int result = -1;
	pid_t child = fork();
	if (child == 0) {
		lacks_zstd = true;
		add_without_zstd();
	}
	assert_true(child > 0 && waitpid(child, &result, 0) == child);
	assert_true(WIFEXITED(result));
	assert_int_equal(WEXITSTATUS(result), 0);
}

/* Each call obeys the writer's limits. An interrupted change undoes the uncommitted ones; further
 * calls fail until a rollback. */
static void test_limits(void **state)
{
	volatile int cancel = 0;
	struct bs_limits flag = {.cancel = &cancel}, deadline = {.deadline_ns = 20000000},
			 none = {.deadline_ns = 1};
	struct bs_writer *one = OPEN_WITH(.limits = &flag);
	add(one, "a", "one", NULL);
	commit(one);
	add(one, "b", "two", NULL);
	cancel = 1;
	assert_int_equal(bs_writer_delete_query(one, "one", 3, NULL, ERR), BS_STOPPED);
	cancel = 0;
	assert_int_equal(try_add(one, "c", "three", NULL, ERR), BS_STOPPED);
	bs_writer_rollback(one);
	expect("one OR two", "a");
	/* A writer that waits for another one waits no longer than its limits. */
	add(one, "c", "three", NULL);
	struct bs_writer *two = OPEN_WITH(.limits = &deadline, .write.wait = true);
	assert_int_equal(try_add(two, "d", "four", NULL, ERR), BS_DEADLINE);
	deadline.deadline_ns = 60000000000;
	commit(one);
	bs_writer_close(one);
	add(two, "d", "four", NULL);
	commit(two);
	bs_writer_close(two);
	two = OPEN_WITH(.limits = &none);
	assert_int_equal(try_add(two, "e", "five", NULL, ERR), BS_DEADLINE);
	assert_int_equal(bs_writer_delete(two, "d", 1, NULL, ERR), BS_DEADLINE);
	assert_int_equal(bs_writer_commit(two, NULL, ERR), BS_DEADLINE);
	bs_writer_close(two);
	expect("one OR two OR three OR four OR five", "a c d");
}

static size_t n_sources(void)
{
	struct bs_index *index = open_index(NULL);
	struct bs_source_info info;
	size_t n = 0;
	while (bs_index_source(index, n, &info))
		n++;
	bs_index_close(index);
	return n;
}

/* An empty commit writes nothing, nor records that the index may have in-memory documents. */
static void test_nothing_to_commit(void **state)
{
	const char *source = "w.txt";
	write_text(source, "a wolf\n");
	BUILD_WITH(.sources = &source, .n_sources = 1);
	struct bs_writer *writer = open_writer();
	assert_false(commit(writer).is_committed);
	assert_int_equal(n_sources(), 1);
	add(writer, "a", "one", NULL);
	assert_true(del(writer, "a"));
	assert_false(commit(writer).is_committed);
	assert_int_equal(n_sources(), 1);
	add(writer, "a", "one", NULL);
	assert_true(commit(writer).is_committed);
	assert_int_equal(n_sources(), 2);
	assert_false(commit(writer).is_committed);
	bs_writer_close(writer);
	expect("one", "a");
	check();
}

static void expect_text_of_number(uint64_t document, enum bs_status expected)
{
	AUTO(bs_index_close_at) struct bs_index *index = open_index(NULL);
	const struct bs_text *texts;
	size_t n_texts;
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	assert_int_equal(bs_document_numbered(searcher, document, &texts, &n_texts, NULL, ERR),
	                 expected);
}

/* A document that was deleted by bs_index_delete exists again once it is added again. */
static void test_comes_back(void **state)
{
	AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer();
	const char *ids[] = {"a"};
	struct bs_delete_request request = {
		.dir = rig_dir(), .memory = rig.memory, .ids = ids, .n_ids = 1};
	struct bs_delete_result result;
	add(writer, "a", "one", NULL);
	add(writer, "b", "one", NULL);
	commit(writer);
	expect_text_of_number(0, BS_OK);
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 1);
	expect("one", "b");
	expect_text_of_number(0, BS_NOT_FOUND);
	add(writer, "a", "one", NULL);
	struct bs_build_report report = commit(writer);
	assert_int_equal(report.n_excluded, 0);
	expect("one", "b a");
	request = (struct bs_delete_request){
		.dir = rig_dir(), .memory = rig.memory, .query = "one -two", .query_bytes = 8};
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 2);
	expect("one", "");
}

/* Any bytes as ids and texts; documents without text; fields whose names are id fields
 * elsewhere. */
static void test_odd_documents(void **state)
{
	AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer();
	static const char odd_id[] = {'a', '\0', '\n', '\xff'};
	static const char broken[] = "caf\xe9 \xed\xa0\x80 \"x\\y\" \x7f end";
	struct bs_text texts[] = {{"id", 2, "not the id", 10},
	                          {"", 0, "nameless", 8},
	                          {"t", 1, broken, sizeof(broken) - 1},
	                          {"t", 1, "again", 5},
	                          {"na\xc3\xafve \"key\"", 12, "accented", 8}};
	struct bs_build_report report;
	ok(bs_writer_add(writer, odd_id, sizeof(odd_id), texts, 5, ERR));
	ok(bs_writer_add(writer, "empty", 5, NULL, 0, ERR));
	commit(writer);
	for (int round = 0; round < 2; round++) {
		struct bs_index *index = open_index(NULL);
		const struct bs_text *found;
		size_t n;
		bool is_changed;
		struct bs_searcher *searcher = must_searcher(index);
		ok(bs_document(searcher, odd_id, sizeof(odd_id), &found, &n, &is_changed, ERR));
		assert_int_equal(n, 5);
		assert_false(is_changed);
		assert_int_equal(found[0].field_bytes, 2);
		assert_memory_equal(found[0].text, "not the id", 10);
		assert_int_equal(found[1].field_bytes, 0);
		assert_memory_equal(found[2].text, "caf\xef\xbf\xbd \xef\xbf\xbd", 10);
		assert_memory_equal(found[3].text, "again", 5);
		assert_memory_equal(found[4].field, "na\xc3\xafve \"key\"", 12);
		ok(bs_document(searcher, "empty", 5, &found, &n, NULL, ERR));
		assert_int_equal(n, 0);
		assert_int_equal(bs_document(searcher, "none", 4, &found, &n, NULL, ERR),
		                 BS_NOT_FOUND);
		bs_searcher_free(searcher);
		struct heard heard = ASK_IN(index, "NOT zzz", .output.mode = BS_SEARCH_COUNT);
		assert_int_equal(heard.n_hits, 2);
		heard = ASK_IN(index, "\"x y end\" t:again id:not", .output.snippets = true);
		assert_int_equal(heard.n_hits, 1);
		ok(bs_searcher_new(index, &searcher, ERR));
		ok(bs_document_numbered(searcher, heard.document, &found, &n, NULL, ERR));
		assert_int_equal(n, 5);
		assert_int_equal(
			bs_document_numbered(searcher, UINT64_C(7) << 32, &found, &n, NULL, ERR),
			BS_NOT_FOUND);
		bs_searcher_free(searcher);
		bs_index_close(index);
		/* The second round is after both documents were merged from their lines of JSON. */
		add(writer, "more", "x", NULL);
		commit(writer);
		assert_true(del(writer, "more"));
		commit(writer);
		compact(NULL);
	}
	report = BUILD_WITH(.rebuild = true, .index.words = true, .rules.id_field = "t");
	assert_int_equal(report.n_docs, 2);
	expect("nameless", "a");
	check();
}

/* Fields that the index omits are stored, but not found. */
static void test_left_out_fields(void **state)
{
	static const char *const fields[] = {"title", NULL};
	const char *source = "c.jsonl";
	const struct bs_text *texts;
	size_t n_texts;
	write_text(source, "{\"id\": \"r\", \"title\": \"wolf\", \"body\": \"bear\"}\n");
	BUILD_WITH(.sources = &source, .n_sources = 1, .rules.text_fields = fields);
	struct bs_writer *writer = OPEN_WITH(.write.memory_bytes = 16 << 20);
	add(writer, "g", "wolf", "bear");
	/* After a large document, documents are analysed when they are added. */
	char *large = must_calloc(1, 300001);
	memset(large, 'x', 300000);
	add(writer, "large", large, "bear");
	free(large);
	add(writer, "h", "wolf", "bear");
	commit(writer);
	bs_writer_close(writer);
	struct bs_index *index = open_index(NULL);
	assert_string_equal(ASK_IN(index, "wolf", .output.mode = BS_SEARCH_IDS).ids, "r g h");
	assert_string_equal(ASK_IN(index, "bear", .output.mode = BS_SEARCH_IDS).ids, "");
	struct bs_searcher *searcher = must_searcher(index);
	ok(bs_document(searcher, "g", 1, &texts, &n_texts, NULL, ERR));
	assert_int_equal(n_texts, 1);
	bs_searcher_free(searcher);
	bs_index_close(index);
	/* After a rebuild without text_fields, the left-out fields of the stored texts are
	 * searched. */
	BUILD_WITH(.rebuild = true, .index.words = true);
	expect("bear", "r g large h");
}

/* The limit for a document counts the bytes of its texts, whatever the size of the stored line
 * is. */
static void test_most_bytes(void **state)
{
	char feeds[1001];
	const char *source = "c.jsonl";
	struct bs_text texts[] = {{"title", 5, feeds, 400}, {"body", 4, feeds, 600}};
	memset(feeds, '\n', sizeof(feeds));
	memcpy(feeds, "wolf", 4);
	write_text(source, "{\"id\": \"r\", \"title\": \"bear\"}\n");
	BUILD_WITH(.sources = &source, .n_sources = 1, .index.words = true,
	           .rules.max_document_bytes = 1000);
	struct bs_writer *writer = open_writer();
	ok(bs_writer_add(writer, "a", 1, texts, 2, ERR));
	commit(writer);
	ok(bs_writer_add(writer, "b", 1, texts, 2, ERR));
	texts[1].text_bytes = 601;
	assert_int_equal(bs_writer_add(writer, "c", 1, texts, 2, ERR), BS_INVALID);
	assert_string_equal(said.text, "a document of 1001 bytes: 1000 are the most");
	commit(writer);
	bs_writer_close(writer);
	check();
	struct bs_build_report report = compact(NULL);
	assert_int_equal(report.n_segments, 1);
	assert_int_equal(report.n_docs, 3);
}

/* Texts are stored byte for byte, at any alignment. */
static void test_every_character(void **state)
{
	char text[8 + 128 + 8];
	struct bs_text texts[] = {{"t", 1, text, 0}};
	struct bs_writer *writer = open_writer();
	memset(text, 'x', sizeof(text));
	for (int c = 0; c < 128; c++)
		text[8 + c] = (char)c;
	memcpy(text + 8 + 128, "\xc3\xa9\xf0\x9f\x90\x95", 6);
	for (size_t start = 0; start < 8; start++) {
		texts[0].text = text + start;
		texts[0].text_bytes = sizeof(text) - 2 - start;
		ok(bs_writer_add(writer, &"01234567"[start], 1, texts, 1, ERR));
	}
	commit(writer);
	bs_writer_close(writer);
	AUTO(bs_index_close_at) struct bs_index *index = open_index(NULL);
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	for (size_t start = 0; start < 8; start++) {
		const struct bs_text *found;
		size_t n;
		ok(bs_document(searcher, &"01234567"[start], 1, &found, &n, NULL, ERR));
		assert_int_equal(found[0].text_bytes, sizeof(text) - 2 - start);
		assert_memory_equal(found[0].text, text + start, sizeof(text) - 2 - start);
	}
}

/* Texts that the application keeps. */
struct shelf {
	const char *ids[8], *texts[8];
	int n, n_asked;
	bool fails;
	struct bs_text text;
};

static int look_up(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	struct shelf *shelf = context;
	shelf->n_asked++;
	for (int i = 0; i < shelf->n && !shelf->fails; i++) {
		if (strlen(shelf->ids[i]) != id_bytes || memcmp(shelf->ids[i], id, id_bytes) != 0)
			continue;
		shelf->text = (struct bs_text){"body", 4, shelf->texts[i], strlen(shelf->texts[i])};
		*texts_out = &shelf->text;
		*n_texts_out = 1;
		return 0;
	}
	return shelf->fails ? 2 : 1;
}

static const struct shelf three_texts = {
	.ids = {"a", "b", "c"}, .texts = {"one two three", "three two one", "two one"}, .n = 3};

static void add_from(const struct shelf *shelf, struct bs_writer *writer, int i)
{
	struct bs_text text = {"body", 4, shelf->texts[i], strlen(shelf->texts[i])};
	ok(bs_writer_add(writer, shelf->ids[i], 1, &text, 1, ERR));
	commit(writer);
}

/* The application knows which texts changed; so the answers are the same without checksums. */
static void test_no_checksums(void **state)
{
	struct shelf shelf = three_texts;
	struct bs_text_provider provider = {.texts = look_up, .context = &shelf};
	struct bs_writer *writer =
		OPEN_WITH(.not_stored = true, .no_checksums = true, .host.texts = &provider);
	for (int i = 0; i < 4; i++) {
		/* In the last round, the text of the first id changes. */
		shelf.texts[0] = i < 3 ? "one two three" : "two one two";
		add_from(&shelf, writer, i % 3);
	}
	check();
	expect_of(&provider, "\"two one\"", "b c a");
	expect_of(&provider, "three", "b");
	assert_int_equal(compact(&provider).n_segments, 1);
	check();
	expect_of(&provider, "\"two one\"", "b c a");
	bs_writer_close(writer);
}

static void expect_document(struct bs_index *index, const char *id, bool is_changed,
                            const char *text)
{
	const struct bs_text *texts;
	size_t n_texts;
	bool has_changed;
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	ok(bs_document(searcher, id, strlen(id), &texts, &n_texts, &has_changed, ERR));
	assert_int_equal(has_changed, is_changed);
	assert_int_equal(n_texts, 1);
	assert_int_equal(texts[0].text_bytes, strlen(text));
	assert_memory_equal(texts[0].text, text, strlen(text));
}

static void test_provider(void **state)
{
	struct shelf shelf = three_texts;
	struct bs_text_provider provider = {.texts = look_up, .context = &shelf};
	struct bs_writer *writer = OPEN_WITH(.not_stored = true, .host.texts = &provider);
	struct bs_build_report report;
	for (int i = 0; i < 3; i++)
		add_from(&shelf, writer, i);
	check();
	expect_of(&provider, "\"one two\"", "a");
	expect_of(&provider, "\"two one\"", "b c");
	expect_of(&provider, "two", "a b c");
	assert_true(shelf.n_asked > 0);
	/* Words are certain without a text; a phrase is not. */
	struct bs_index *index = open_index(NULL);
	assert_int_equal(COUNT_IN(index, "two"), 3);
	struct heard heard = ASK_IN(index, "\"two one\"", .output.mode = BS_SEARCH_IDS);
	assert_int_equal(heard.n_hits, 0);
	assert_int_equal(heard.n_unreadable, 3);
	bs_index_close(index);
	/* Without the texts nothing is merged, and nothing is lost. */
	assert_int_equal(compact(NULL).n_segments, 3);
	struct bs_build_request rebuild = {.dir = rig_dir(), .memory = rig.memory, .rebuild = true};
	assert_int_equal(bs_index_build(&rebuild, &report, ERR), BS_IO);
	report = compact(&provider);
	assert_int_equal(report.n_segments, 1);
	assert_int_equal(report.n_docs, 3);
	expect_of(&provider, "\"two one\"", "b c");
	/* Where a changed text is read, its current form counts. */
	shelf.texts[2] = "one and two";
	index = open_index(&provider);
	heard = ASK_IN(index, "\"two one\"", .output.snippets = true);
	assert_string_equal(heard.ids, "b");
	heard = ASK_IN(index, "\"one and two\"", .output.snippets = true, .method.brute = true);
	assert_string_equal(heard.ids, "c");
	assert_true(heard.is_changed);
	expect_document(index, "b", false, "three two one");
	expect_document(index, "c", true, "one and two");
	bs_index_close(index);
	uint64_t n;
	ok(bs_writer_delete_query(writer, "\"three two\"", 11, &n, ERR));
	assert_int_equal(n, 1);
	shelf.fails = true;
	assert_int_equal(bs_writer_delete_query(writer, "\"two three\"", 11, &n, ERR), BS_IO);
	shelf.fails = false;
	commit(writer);
	/* A document without its text is not a hit, and is not in a rebuilt index. */
	shelf.n = 1;
	rebuild.host.texts = &provider;
	ok(bs_index_build(&rebuild, &report, ERR));
	assert_int_equal(report.n_docs, 1);
	expect_of(&provider, "one", "a");
	check();
	bs_writer_close(writer);
}

static void test_refusals(void **state)
{
	static const char *const no_weights[] = {"title", NULL};
	const struct bs_writer_request wrong[] = {{.index.stem_language = "klingon"},
	                                          {.index.density = 3},
	                                          {.phrase_bits = 17},
	                                          {.index.weights = no_weights},
	                                          {.reserved = {1}}};
	struct bs_writer *writer = NULL;
	struct bs_writer_request request = {.dir = NULL};
	struct bs_text text = {"t", 1, "x", 1};
	assert_int_equal(bs_writer_open(&request, &writer, ERR), BS_INVALID);
	assert_null(writer);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		request = wrong[i];
		request.dir = rig_dir();
		request.memory = rig.memory;
		assert_int_equal(bs_writer_open(&request, &writer, ERR),
		                 *request.reserved ? BS_UNSUPPORTED : BS_INVALID);
	}
	writer = OPEN_WITH(.index.stem_language = "english", .write.memory_bytes = 16 << 20);
	assert_int_equal(bs_writer_add(writer, "", 0, &text, 1, ERR), BS_INVALID);
	assert_int_equal(bs_writer_delete(writer, "", 0, NULL, ERR), BS_INVALID);
	char *large = must_calloc(1, 20 << 20);
	memset(large, 'x', 20 << 20);
	struct bs_text much = {"t", 1, large, 20 << 20};
	assert_int_equal(bs_writer_add(writer, "large", 5, &much, 1, ERR), BS_INVALID);
	free(large);
	/* A refused call does not end the transaction. */
	add(writer, "a", "running dogs", NULL);
	commit(writer);
	bs_writer_close(writer);
	expect("run", "a");
	request = (struct bs_writer_request){
		.dir = rig_dir(), .memory = rig.memory, .index.fold_accents = true};
	assert_int_equal(bs_writer_open(&request, &writer, ERR), BS_INVALID);
	bs_writer_close(OPEN_WITH(.index.stem_language = "english"));
	bs_writer_close(NULL);
}

/* A document that needs more than memory_bytes, and the effect of document_memory_bytes. Compaction
 * with as little memory works, too. */
static void test_document_memory(void **state)
{
	const size_t n_words = 1000000, most_bytes = n_words * 8 + 1;
	FREED char *words = must_malloc(most_bytes);
	size_t n_bytes = 0;
	for (size_t i = 0; i < n_words; i++)
		n_bytes += (size_t)snprintf(words + n_bytes, most_bytes - n_bytes, "%zx ", i);
	struct bs_text text = {"t", 1, words, n_bytes};
	struct bs_writer *writer = OPEN_WITH(.write.memory_bytes = 16 << 20);
	add(writer, "small", "abcde", NULL);
	expect_error(bs_writer_add(writer, "large", 5, &text, 1, ERR), BS_INVALID,
	             "more distinct words than");
	commit(writer);
	bs_writer_close(writer);
	expect("abcde", "small");
	writer = OPEN_WITH(.write.memory_bytes = 16 << 20, .document_memory_bytes = UINT64_MAX);
	ok(bs_writer_add(writer, "large", 5, &text, 1, ERR));
	commit(writer);
	add(writer, "last", "abcde", NULL);
	commit(writer);
	bs_writer_close(writer);
	expect("abcde", "small large last");
	struct bs_build_request compact = {
		.dir = rig_dir(), .memory = rig.memory, .write.memory_bytes = 16 << 20};
	ok(bs_index_compact(&compact, NULL, ERR));
	expect("abcde", "small large last");
	check();
}

/* An index with files and in-memory documents: a refresh of one kind does not change the other. */
static void test_beside_files(void **state)
{
	const char *source = "files";
	assert_int_equal(mkdir(source, 0777), 0);
	write_text("files/w.txt", "a wolf\n");
	BUILD_WITH(.sources = &source, .n_sources = 1);
	AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer();
	add(writer, "g", "a wolf", NULL);
	struct bs_build_report report = commit(writer);
	assert_int_equal(report.n_docs, 2);
	assert_int_equal(report.n_unchanged, 1);
	write_text("files/w.txt", "a wolf and a bear\n");
	write_text("files/b.txt", "a bear\n");
	report = BUILD_WITH(.n_sources = 0);
	assert_int_equal(report.n_docs, 3);
	assert_int_equal(report.n_changed, 1);
	uint64_t n;
	ok(bs_writer_delete_query(writer, "wolf", 4, &n, ERR));
	assert_int_equal(n, 1); /* the file is not deleted */
	add(writer, "h", "a bear", NULL);
	report = commit(writer);
	assert_int_equal(report.n_docs, 3);
	check();
	assert_int_equal(count("bear"), 3);
}

#define N_LINES 60000

/* The ids of each hit, local and global, lead to the document of the hit. */
static int expect_same_document(void *context, const struct bs_hit *hit)
{
	struct bs_searcher *searcher = context;
	for (int is_local = 0; is_local < 2; is_local++) {
		const struct bs_text *texts;
		size_t n;
		const char *id = is_local ? hit->local_id : hit->id;
		size_t id_bytes = is_local ? hit->local_id_bytes : hit->id_bytes;
		char first[64];
		ok(bs_document_numbered(searcher, hit->document, &texts, &n, NULL, ERR));
		assert_int_equal(n, 1);
		assert_true(texts->text_bytes < sizeof(first));
		memcpy(first, texts->text, texts->text_bytes);
		size_t n_bytes = texts->text_bytes;
		ok(bs_document(searcher, id, id_bytes, &texts, &n, NULL, ERR));
		assert_int_equal(texts->text_bytes, n_bytes);
		assert_memory_equal(texts->text, first, n_bytes);
	}
	return 0;
}

static void test_documents_by_id(void **state)
{
	static const char *const places[] = {"", "/tree", "/tree/deep", "/.."};
	char path[128], dir[128], id[64];
	const struct bs_text *texts;
	size_t n;
	assert_int_equal(
		system("mkdir -p tree/deep:x tree/deep && cd tree && echo a wolf 1 >a.txt && "
	               "echo a wolf 2 >'b#c:d.txt' && echo a wolf 3 >deep/a.txt && "
	               "echo a wolf 4 >deep:x/a.txt && echo a wolf 5 >'../one:file.txt' && "
	               "echo '{\"id\":\"x/y#z:1\",\"t\":\"a wolf 6\"}' >deep/r.jsonl && "
	               "echo '{\"t\":\"a wolf 7\"}' >>deep/r.jsonl && "
	               "echo '{\"id\":\"a.txt/\",\"t\":\"a wolf 8\"}' >>deep/r.jsonl"),
		0);
	FILE *lines = must_fopen("lines.jsonl", "w");
	for (int i = 1; i <= N_LINES; i++)
		fprintf(lines, i % 2 ? "{\"t\":\"line %d\"}\n" : "{\"id\":\"r%d\",\"t\":\"x\"}\n",
		        i);
	assert_int_equal(fclose(lines), 0);
	snprintf(dir, sizeof(dir), "%s/.bitsift", rig.folder);
	const char *sources[] = {"tree", "one:file.txt", "lines.jsonl"};
	struct bs_build_request build = {.dir = dir, .sources = sources, .n_sources = 3};
	ok(bs_index_build(&build, NULL, ERR));
	struct bs_index *index;
	struct bs_searcher *searcher;
	struct bs_search_result result;
	for (size_t i = 0; i < COUNT(places); i++) {
		snprintf(path, sizeof(path), "%s%s", rig.folder, places[i]);
		assert_int_equal(chdir(path), 0);
		ok(bs_index_open(dir, &index, ERR));
		ok(bs_searcher_new(index, &searcher, ERR));
		struct bs_searcher *other = must_searcher(index);
		struct bs_search_request request = {QUERY("wolf"), .output.mode = BS_SEARCH_IDS,
		                                    .callbacks.hit = expect_same_document,
		                                    .callbacks.context = other};
		ok(bs_search(searcher, &request, &result, ERR));
		assert_int_equal(result.n_hits, 8);
		assert_int_equal(bs_document(other, "a.txt", 5, &texts, &n, NULL, ERR),
		                 *places[i] == '/' && places[i][1] == 't' ? BS_OK : BS_NOT_FOUND);
		bs_searcher_free(other);
		if (i + 1 < COUNT(places)) {
			bs_searcher_free(searcher);
			bs_index_close(index);
		}
	}
	/* N_LINES calls; a linear search in each would exceed the time limit of a test. */
	for (int i = 1; i <= N_LINES; i++) {
		snprintf(id, sizeof(id), i % 2 ? "lines.jsonl:%d" : "r%d", i);
		ok(bs_document(searcher, id, strlen(id), &texts, &n, NULL, ERR));
	}
	bs_searcher_free(searcher);
	bs_index_close(index);
}

/* While the ids of the documents ascend, they are found by binary search; when there are many
 * changes, a hash table is made. In both cases, and in a transaction that writes segments, the last
 * document of an id must be found. */
static void test_ascending_ids(void **state)
{
	enum {
		N = 90000,
		CHANGES = 12000
	};
	static const char *const phrases[] = {"\"the river\"", "\"of the quick\"",
	                                      "river stone -sea"};
	AUTO(bs_writer_close_at)
	struct bs_writer *writer = OPEN_WITH(.write.memory_bytes = 16 << 20);
	char title[64], body[512], id[16];
	/* For each id: 0: no document; 1: the document that was added first; n + 2: the document of
	 * change n. Even ids are added first. */
	static uint32_t last[2 * N];
	uint64_t n_docs = N, n_changed = 0;
	uint32_t dice = 7;
	memset(last, 0, sizeof(last));
	for (unsigned i = 0; i < N; i++) {
		make_text(i, title, body);
		snprintf(id, sizeof(id), "%08u", 2 * i);
		add(writer, id, title, body);
		last[2 * i] = 1;
	}
	for (uint32_t change = 0; change < CHANGES; change++) {
		uint32_t number =
			(dice = dice * 1664525 + 1013904223) >> 8 & (change % 3 ? 0x1ffff : 0xff);
		number %= 2 * N;
		snprintf(id, sizeof(id), "%08u", number);
		n_docs -= last[number] != 0;
		n_changed -= last[number] > 1;
		if (change % 4 == 3) {
			assert_int_equal(del(writer, id), last[number] != 0);
			last[number] = 0;
			continue;
		}
		snprintf(title, sizeof(title), "changed c%u", change);
		add(writer, id, title, NULL);
		last[number] = change + 2;
		n_docs++;
		n_changed++;
	}
	assert_int_equal(commit(writer).n_docs, n_docs);
	struct bs_index *index = open_index(NULL);
	struct bs_index_info info;
	bs_index_describe(index, &info);
	assert_true(info.n_segments > 1);
	assert_int_equal(COUNT_IN(index, "changed"), n_changed);
	/* There are enough documents to choose word pairs. */
	for (size_t q = 0; q < COUNT(phrases); q++) {
		uint64_t n = COUNT_IN(index, phrases[q]);
		assert_true(n > 100);
		assert_int_equal(ASK_IN(index, phrases[q], .output.mode = BS_SEARCH_COUNT,
		                        .method.brute = true)
		                         .n_hits,
		                 n);
	}
	for (uint32_t number = 0; number < 2 * N; number++) {
		if (last[number] < 2 || number % 16)
			continue;
		snprintf(title, sizeof(title), "c%u", last[number] - 2);
		snprintf(id, sizeof(id), "%08u", number);
		assert_string_equal(ASK_IN(index, title, .output.mode = BS_SEARCH_IDS).ids, id);
	}
	bs_index_close(index);
	check();
}

/* Returns the size of an index of the same texts, in memory, with this phrase_bits. */
static uint64_t bytes_with(double phrase_bits)
{
	struct bs_writer *writer = OPEN_WITH(.not_stored = true, .phrase_bits = phrase_bits);
	char title[64], body[512], id[16];
	uint64_t n_bytes = 0;
	for (unsigned i = 0; i < 30000; i++) {
		make_text(i, title, body);
		snprintf(id, sizeof(id), "%u", i);
		add(writer, id, title, body);
	}
	commit(writer);
	for (size_t i = 0; i < bs_memory_index_n_files(rig.memory); i++) {
		struct bs_memory_index_file file;
		ok(bs_memory_index_file_at(rig.memory, i, &file, ERR));
		n_bytes += file.n_bytes;
	}
	bs_writer_close(writer);
	bs_memory_index_free(rig.memory);
	ok(bs_memory_index_new(&rig.memory, ERR));
	return n_bytes;
}

static void test_phrase_bits(void **state)
{
	uint64_t with_all = bytes_with(0), with_few = bytes_with(.01), with_more = bytes_with(.5);
	assert_true(with_few < with_more);
	assert_true(with_more < with_all);
}

RUN_UNIT_TESTS(WITH_BOTH(test_no_zstd), WITH_BOTH(test_add_and_replace), WITH_BOTH(test_delete),
               WITH_BOTH(test_rollback), WITH_BOTH(test_failure), WITH_BOTH(test_limits),
               WITH_BOTH(test_nothing_to_commit), WITH_BOTH(test_comes_back),
               WITH_BOTH(test_odd_documents), WITH_BOTH(test_every_character),
               WITH_BOTH(test_left_out_fields), WITH_BOTH(test_most_bytes),
               WITH_BOTH(test_no_checksums), WITH_BOTH(test_provider), WITH_BOTH(test_refusals),
               cmocka_unit_test_setup_teardown(test_document_memory, setup_memory, teardown),
               WITH_BOTH(test_beside_files), WITH_BOTH(test_ascending_ids),
               cmocka_unit_test_setup_teardown(test_phrase_bits, setup_memory, teardown),
               cmocka_unit_test_setup_teardown(test_documents_by_id, setup_dir, teardown))
