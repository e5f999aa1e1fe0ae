/* test_collection.c: record files and standard input as sources: lines, batches, and records that
 * are read again. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "corpus/read/reader.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/source_rig.h"

/* ---- record files ---- */

static void test_collections(void **state)
{
	static const struct {
		const char *bytes;
		const char *expected;
	} examples[] = {
		{"", ""},
		{"\n", ""},
		{"\n \t\r\n\v\f\n", ""},
		{"{\"id\":\"a\",\"t\":\"x\"}\n", "a@1 t=x;"},
		{"{\"id\":\"a\",\"t\":\"x\"}", "a@1 t=x;"},
		{"{\"id\":\"a\",\"t\":\"x\"}\r\n{\"id\":2,\"t\":\"y\"}\r\n", "a@1 t=x;2@2 t=y;"},
		{"{\"t\":\"x\"}\n\n{\"t\":\"y\"}", "#@1 t=x;#@3 t=y;"},
		{"\xef\xbb\xbf{\"t\":\"x\"}\n", "#@1 t=x;"},
		{"\xef\xbb\xbf\n{\"t\":\"x\"}\n", "#@2 t=x;"},
		{"\xef\xbb\xbf", ""},
		{"{\"t\":\"x\"}\n\xef\xbb\xbf{\"t\":\"y\"}\n{\"t\":\"z\"}\n",
	         "#@1 t=x;!5 c.jsonl:2: not valid JSON: The JSON document has an improper "
	         "structure: missing or superfluous commas, braces, missing keys, etc.;#@3 t=z;"},
		{"[]\n{\"id\":\"a\"}\n{\"id\":1.5,\"t\":\"x\"}\n{\"t\":\"\xff\"}\n"
	         "{\"id\":{}}\n{\"t\":\"x",
	         "!5 c.jsonl:1: not a JSON object;"
	         "!6 c.jsonl:2: no text: no field to index is a string or a number;"
	         "!5 c.jsonl:3: the id (field \"id\") is a floating-point number, not a string or "
	         "an "
	         "integer;#@4 t=\xef\xbf\xbd;"
	         "!5 c.jsonl:5: the id (field \"id\") is an object, not a string or an integer;"
	         "!5 c.jsonl:6: not valid JSON: A string is opened, but never closed.;"},
	};
	for (size_t i = 0; i < COUNT(examples); i++) {
		write_text("c.jsonl", examples[i].bytes);
		check_source("c.jsonl", &no_options, examples[i].expected);
		check_source("./c.jsonl", &no_options, examples[i].expected);
	}
	static const char *const fields[] = {"b"};
	struct bs_source_options options = {
		.id_field = "key", .text_fields = fields, .n_text_fields = 1};
	write_text("c.jsonl", "{\"key\":\"k\",\"a\":\"x\",\"b\":\"y\"}\n{\"id\":1,\"a\":\"x\"}");
	check_source("c.jsonl", &options,
	             "k@1 b=y;!6 c.jsonl:2: no text: no field to index is a string or a number;");
}

/* At the end of the record file, the read mark covers everything that was read. */
static void check_mark(const struct bs_feed *feed, const uint8_t *bytes, size_t n_bytes,
                       bool last_line_counts)
{
	struct bs_read_mark mark;
	uint64_t n_lines = 0;
	for (size_t i = 0; i < n_bytes; i++)
		n_lines += bytes[i] == '\n' || i + 1 == n_bytes;
	bs_feed_mark(feed, last_line_counts, &mark);
	assert_int_equal(mark.n_bytes, n_bytes);
	assert_int_equal(mark.n_lines, n_lines);
	assert_true(mark.checksum == bs_checksum(bytes, n_bytes));
}

/* Compares the batches of a record file with a naive split of its bytes, from a given line on. */
static void check_batches(const char *path, const uint8_t *bytes, size_t n_bytes, size_t from,
                          uint64_t line)
{
	AUTO(close_all) struct opened of;
	open_all(&of, path, &no_options);
	size_t longest = 0;
	if (from) {
		struct bs_read_mark mark = {from, line - 1, bs_checksum(bytes, from)};
		bool is_appended;
		ok(bs_feed_resume(of.feed, &mark, &is_appended, ERR));
		assert_true(is_appended);
	}
	size_t at = from;
	for (next_batch(of.feed, &of.batch); of.batch.n_items; next_batch(of.feed, &of.batch)) {
		size_t n_lines = 0;
		assert_int_equal(of.batch.offset, at);
		assert_int_equal(of.batch.first_line, line);
		assert_true(of.batch.bytes.used_bytes <= n_bytes - at);
		assert_memory_equal(of.batch.bytes.data, bytes + at, of.batch.bytes.used_bytes);
		size_t end = at + of.batch.bytes.used_bytes;
		for (size_t line_end = 0; at < end; at = line_end, n_lines++) {
			const uint8_t *feed_at = memchr(bytes + at, '\n', n_bytes - at);
			line_end = feed_at ? (size_t)(feed_at - bytes) + 1 : n_bytes;
			longest = line_end - at > longest ? line_end - at : longest;
		}
		assert_int_equal(at, end);
		assert_int_equal(of.batch.n_items, n_lines);
		assert_int_equal(of.batch.source_done, at);
		assert_true(of.batch.bytes.used_bytes < (3 << 20) + longest);
		line += n_lines;
	}
	assert_int_equal(at, n_bytes);
	check_mark(of.feed, bytes, n_bytes, true);
	const uint8_t *last = n_bytes ? memrchr(bytes, '\n', n_bytes) : NULL;
	check_mark(of.feed, bytes, last ? (size_t)(last - bytes) + 1 : 0, false);
}

static void test_batches_are_a_split(void **state)
{
	for (int round = 0; round < 40; round++) {
		AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
		size_t middle = 0;
		uint64_t middle_line = 1;
		uint64_t n_lines = 0;
		size_t wanted = below(4 << 20);
		size_t longest = (size_t)1 << below(23);
		while (bytes.used_bytes < wanted) {
			size_t line_bytes = below(longest);
			ok(bs_buffer_reserve(&bytes, line_bytes + 1, ERR));
			memset(bytes.data + bytes.used_bytes, 'a' + (int)(n_lines % 26),
			       line_bytes);
			bytes.data[bytes.used_bytes + line_bytes] = '\n';
			bytes.used_bytes += line_bytes + 1;
			n_lines++;
			if (below(4) == 0) {
				middle = bytes.used_bytes;
				middle_line = n_lines + 1;
			}
		}
		if (bytes.used_bytes && below(2))
			bytes.used_bytes--;
		write_bytes("c.jsonl", bytes.data, bytes.used_bytes);
		check_batches("c.jsonl", bytes.data, bytes.used_bytes, 0, 1);
		if (middle <= bytes.used_bytes)
			check_batches("c.jsonl", bytes.data, bytes.used_bytes, middle, middle_line);
	}
}

/* Lines that end just before, at, and just after the end of a full batch. */
static void test_batch_boundaries(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	for (int delta = -3; delta <= 3; delta++) {
		size_t line_bytes = (size_t)((1 << 20) + delta);
		bs_buffer_clear(&bytes);
		for (int i = 0; i < 4; i++) {
			ok(bs_buffer_reserve(&bytes, line_bytes, ERR));
			memset(bytes.data + bytes.used_bytes, 'a' + i, line_bytes);
			bytes.used_bytes += line_bytes;
			bytes.data[bytes.used_bytes - 1] = '\n';
		}
		write_bytes("c.jsonl", bytes.data, bytes.used_bytes);
		check_batches("c.jsonl", bytes.data, bytes.used_bytes, 0, 1);
		write_bytes("c.jsonl", bytes.data, bytes.used_bytes - 1);
		check_batches("c.jsonl", bytes.data, bytes.used_bytes - 1, 0, 1);
	}
}

static void test_long_line(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	append_format(&bytes, "{\"id\":1,\"t\":\"x\"}\n{\"id\":2,\"t\":\"");
	append_repeated(&bytes, "sixteen letters ", 5 << 16);
	append_format(&bytes, "\"}\r\n{\"id\":3,\"t\":\"y\"}");
	write_bytes("c.jsonl", bytes.data, bytes.used_bytes);
	AUTO(log_deinit) struct log log = {0};
	read_source("c.jsonl", &no_options, &log);
	assert_int_equal(log.n_documents, 3);
	assert_memory_equal(log_text(&log), "1@1 t=x;2@2 t=sixteen letters ", 30);
	assert_string_equal(log_text(&log) + log.text.used_bytes - 10, " ;3@3 t=y;");
}

/* Reads `before`, then resumes at its mark when the record file has become `after`. expected: '+'
 * if the file was extended, otherwise '=', and the log. Checks the mark at the end. */
static void check_resume(const char *before, const char *after, bool counts_last,
                         const char *expected)
{
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	AUTO(bs_batch_deinit) struct bs_batch batch = {0};
	struct bs_read_mark mark;
	bool is_appended = false;
	for (int pass = 0; pass < 2; pass++) {
		write_text("c.jsonl", pass ? after : before);
		AUTO(bs_source_deinit) struct bs_source source = open_source("c.jsonl");
		struct bs_feed *feed = open_feed(&source, &no_options);
		AUTO(log_deinit) struct log log = {0};
		if (pass)
			ok(bs_feed_resume(feed, &mark, &is_appended, ERR));
		for (next_batch(feed, &batch); batch.n_items; next_batch(feed, &batch))
			read_batch(reader, &batch, &log);
		bs_feed_mark(feed, counts_last, &mark);
		if (pass) {
			AUTO(bs_buffer_deinit) struct bs_buffer shown = {0};
			append_bytes(&shown, is_appended ? "+" : "=", 1);
			append_bytes(&shown, log.text.data, log.text.used_bytes);
			append_bytes(&shown, "", 1);
			assert_string_equal(shown.data, expected);
		}
		bs_feed_close(feed);
	}
	assert_int_equal(mark.n_bytes, strlen(after));
	assert_true(mark.checksum == bs_checksum(after, strlen(after)));
}

static void test_resume(void **state)
{
#define A "{\"t\":\"a\"}"
#define B "{\"t\":\"b\"}"
	check_resume(A "\n", A "\n", true, "+");
	check_resume(A "\n", A "\n" B "\n", true, "+#@2 t=b;");
	check_resume(A "\n", A "\n" B, true, "+#@2 t=b;");
	check_resume(A "\n\n\n", A "\n\n\n" B "\n", true, "+#@4 t=b;");
	/* The last line of the file had no line feed. */
	check_resume(A, A, true, "+");
	check_resume(A, A "\n", true, "+");
	check_resume(A, A "\n" B "\n", true, "+#@2 t=b;");
	check_resume(A, A "\r\n" B "\n", true, "+#@2 t=b;");
	check_resume(A "\n" B, A "\n" B "\n" A "\n", true, "+#@3 t=a;");
	check_resume(A, A " \n", true, "=#@1 t=a;");
	/* The last line was not a valid record, so it does not count as read. */
	check_resume(A "\n{\"t\":", A "\n" B "\n", false, "+#@2 t=b;");
	/* The record file was rewritten, truncated, empty before, or has a byte order mark. */
	check_resume(A "\n", B "\n", true, "=#@1 t=b;");
	check_resume(A "\n" B "\n", A "\n", true, "=#@1 t=a;");
	check_resume("", A "\n", true, "=#@1 t=a;");
	check_resume("\xef\xbb\xbf" A "\n", "\xef\xbb\xbf" A "\n" B "\n", true, "+#@2 t=b;");
#undef A
#undef B
	bs_feed_close(NULL);
	bs_reader_free(NULL);
}

/* The place of a document in a record file. */
struct place {
	uint64_t offset;
	uint64_t raw_bytes;
	uint64_t line;
};

static enum bs_status remember_place(void *context, const struct bs_document *document,
                                     struct bs_error *unused)
{
	struct bs_buffer *places = context;
	struct place place = {document->place.offset, document->raw.n_bytes, document->place.line};
	append_bytes(places, &place, sizeof(place));
	return BS_OK;
}

static enum bs_status ignore_skip(void *context, enum bs_skip reason, const char *message,
                                  struct bs_error *unused)
{
	return BS_OK;
}

static enum bs_status fetch_record(struct bs_reader *reader, const char *path, uint64_t offset,
                                   uint64_t raw_bytes, struct bs_document *document_out,
                                   struct bs_fingerprint *fingerprint_out)
{
	struct bs_source source = {.kind = BS_SOURCE_COLLECTION, .path = (char *)(uintptr_t)path};
	return bs_reader_fetch_record(reader, &source, offset, raw_bytes, document_out,
	                              fingerprint_out, ERR);
}

static void test_fetch_record(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	AUTO(bs_buffer_deinit) struct bs_buffer places = {0};
	append_format(&bytes, "\xef\xbb\xbf");
	for (int i = 1; i <= 30000; i++)
		append_format(&bytes, "{\"t\":\"text %d\",\"id\":%d}%s\n%s", i, i,
		              i % 3 ? "" : "\r", i % 5 ? "" : "\n");
	write_bytes("c.jsonl", bytes.data, bytes.used_bytes);
	write_text("other.jsonl", "{\"t\":\"other\"}");
	AUTO(close_all) struct opened of;
	open_all(&of, "c.jsonl", &no_options);
	struct bs_document_sink sink = {
		.context = &places, .document = remember_place, .skip = ignore_skip};
	for (next_batch(of.feed, &of.batch); of.batch.n_items; next_batch(of.feed, &of.batch))
		ok(bs_reader_read(of.reader, &of.batch, &sink, ERR));
	const struct place *place = (const void *)places.data;
	assert_int_equal(places.used_bytes / sizeof(*place), 30000);
	struct bs_fingerprint now;
	ok(bs_path_fingerprint("c.jsonl", &now, ERR));
	for (size_t i = 30000; i-- > 0;) {
		struct bs_document document;
		struct bs_fingerprint fingerprint;
		char text[32];
		if (i % 1000 == 0) {
			ok(fetch_record(of.reader, "other.jsonl", 0, 13, &document, &fingerprint));
			assert_int_equal(fingerprint.size_bytes, 13);
			assert_true(document.name.is_line);
		}
		ok(fetch_record(of.reader, "c.jsonl", place[i].offset, place[i].raw_bytes,
		                &document, &fingerprint));
		int n = snprintf(text, sizeof(text), "text %zu", i + 1);
		assert_int_equal(document.text.fields[0].text_bytes, n);
		assert_memory_equal(document.text.fields[0].text, text, (size_t)n);
		assert_memory_equal(document.name.bytes, text + 5, (size_t)n - 5);
		assert_int_equal(document.place.offset, place[i].offset);
		assert_memory_equal(document.raw.bytes, bytes.data + place[i].offset,
		                    place[i].raw_bytes);
		assert_memory_equal(&fingerprint, &now, sizeof(now));
		if (i % 100 == 0) {
			/* Bytes as a store returns them give the same document. */
			const uint8_t *raw = bytes.data + place[i].offset;
			ok(bs_reader_fetch_raw(of.reader, raw, place[i].raw_bytes, &document, ERR));
			assert_memory_equal(document.text.fields[0].text, text, (size_t)n);
		}
	}
}

static void test_fetch_record_fails(void **state)
{
	struct bs_document document;
	struct bs_fingerprint fingerprint;
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	write_text("c.jsonl", "{\"t\":\"abc\"}\n[1]\n");
#define FETCH(path, offset, n_bytes) \
	fetch_record(reader, path, offset, n_bytes, &document, &fingerprint)
	assert_int_equal(FETCH("c.jsonl", 0, 11), BS_OK);
	assert_int_equal(FETCH("c.jsonl", 1, 11), BS_INVALID);
	assert_int_equal(FETCH("c.jsonl", 0, 10), BS_INVALID);
	assert_int_equal(FETCH("c.jsonl", 0, 0), BS_INVALID);
	assert_int_equal(FETCH("c.jsonl", 12, 3), BS_INVALID);
	assert_string_equal(said.text, "c.jsonl: offset 12: not a JSON object");
	assert_int_equal(FETCH("c.jsonl", 12, 5), BS_INVALID);
	assert_string_equal(said.text, "c.jsonl: ends before offset 17");
	assert_int_equal(FETCH("c.jsonl", 0, UINT64_MAX), BS_INVALID);
	assert_int_equal(FETCH("c.jsonl", UINT64_MAX, 2), BS_INVALID);
	assert_int_equal(FETCH("c.jsonl", (uint64_t)1 << 40, (uint64_t)1 << 40), BS_INVALID);
	assert_int_equal(FETCH("missing.jsonl", 0, 11), BS_NOT_FOUND);
	assert_int_equal(FETCH(".", 0, 11), BS_NOT_FOUND);
	assert_int_equal(FETCH("c.jsonl", 0, 11), BS_OK);
	/* The file is truncated, then extended, while the descriptor is open. */
	assert_int_equal(truncate("c.jsonl", 5), 0);
	assert_int_equal(FETCH("c.jsonl", 0, 11), BS_INVALID);
	write_text("c.jsonl", "{\"t\":\"abc\"}\n{\"t\":\"a longer one\"}\n");
	assert_int_equal(FETCH("c.jsonl", 12, 20), BS_OK);
	assert_int_equal(document.text.n_bytes, 12);
#undef FETCH
}

/* ---- standard input ---- */

/* Runs check_source on "-" with fd, which is closed, as standard input. */
static void check_stdin(int fd, const char *expected)
{
	int saved = dup(STDIN_FILENO);
	assert_true(dup2(fd, STDIN_FILENO) >= 0);
	close(fd);
	check_source("-", &no_options, expected);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

struct pipe_text {
	int fd;
	const char *text;
};

/* Writes single bytes, slowly, so that reads are short. */
static void *write_slowly(void *context)
{
	struct pipe_text *pipe_text = context;
	for (const char *at = pipe_text->text; *at; at++) {
		if (write(pipe_text->fd, at, 1) != 1)
			break;
		usleep(200);
	}
	close(pipe_text->fd);
	return NULL;
}

static void test_stdin(void **state)
{
	check_stdin(open("/dev/null", O_RDONLY), "");
	write_text("c", "\xef\xbb\xbf{\"id\":\"a\",\"t\":\"x\"}\nbad\n{\"t\":\"y\"}");
	static const char expected[] =
		"a@1 t=x;!5 -:2: not valid JSON: The JSON document has an improper structure: "
		"missing or superfluous commas, braces, missing keys, etc.;#@3 t=y;";
	check_stdin(open("c", O_RDONLY), expected);
	for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
		int ends[2];
		pthread_t thread;
		assert_int_equal(pipe(ends), 0);
		if (flags)
			assert_int_equal(fcntl(ends[0], F_SETFL, flags), 0);
		struct pipe_text text = {
			ends[1], "\xef\xbb\xbf{\"id\":\"a\",\"t\":\"x\"}\n{x}\n{\"t\":\"y\"}"};
		assert_int_equal(pthread_create(&thread, NULL, write_slowly, &text), 0);
		check_stdin(ends[0], expected);
		pthread_join(thread, NULL);
	}
	/* Standard input that is a folder cannot be read. */
	int saved = dup(STDIN_FILENO), fd = open(".", O_RDONLY);
	dup2(fd, STDIN_FILENO);
	close(fd);
	struct opened of;
	open_all(&of, "-", &no_options);
	assert_int_equal(bs_feed_next(of.feed, &of.batch, ERR), BS_IO);
	assert_string_equal(said.text, "-: Is a directory");
	close_all(&of);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

RUN_SOURCE_TESTS(test_collections, test_batches_are_a_split, test_batch_boundaries, test_long_line,
                 test_resume, test_fetch_record, test_fetch_record_fails, test_stdin)
