/* source_rig.c: see source_rig.h. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "corpus/read/reader.h"
#include "tests/rigs/source_rig.h"
#include "tests/rigs/test.h"

/* ---- a folder of our own ---- */

char *home;

int enter_folder(void **state)
{
	const char *base = getenv("TMPDIR");
	if (asprintf(&home, "%s/bitsift-source-XXXXXX", base ? base : "/tmp") < 0 || !mkdtemp(home) || chdir(home))
		return -1;
	/* So that nothing above decides what is ignored. */
	return mkdir(".git", 0700);
}

/* Empties the current folder, however deep it is. */
static void remove_all(void)
{
	DIR *folder = opendir(".");
	for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || !unlink(entry->d_name))
			continue;
		if (chdir(entry->d_name))
			continue;
		remove_all();
		if (chdir("..") || rmdir(entry->d_name))
			break;
	}
	if (folder)
		closedir(folder);
}

int leave_folder(void **state)
{
	if (chdir(home))
		return -1;
	remove_all();
	int result = chdir("/") || rmdir(home) ? -1 : 0;
	free(home);
	return result;
}

void write_bytes(const char *path, const void *bytes, size_t n_bytes)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
	assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

/* ---- reading a whole source into a text that tests can compare ---- */

enum bs_status log_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct log *log = context;
	uint64_t text_bytes = 0;
	append(&log->text, document->name.bytes, document->name.n_bytes);
	if (document->place.line)
		append_format(&log->text, "%s@%" PRIu64, document->name.is_line ? "#" : "", document->place.line);
	for (size_t i = 0; i < document->text.n_fields; i++) {
		append_format(&log->text, " %.*s=", (int)document->text.fields[i].name_bytes,
		              document->text.fields[i].name);
		append(&log->text, document->text.fields[i].text, document->text.fields[i].text_bytes);
		text_bytes += document->text.fields[i].text_bytes;
	}
	append(&log->text, ";", 1);
	assert_int_equal(text_bytes, document->text.n_bytes);
	assert_true(document->stamp.inode != 0 || document->place.line);
	log->n_documents++;
	return log->answer ? bs_fail(err, log->answer, "the sink said no") : BS_OK;
}

enum bs_status log_skip(void *context, enum bs_skip reason, const char *message, struct bs_error *err)
{
	struct log *log = context;
	append_format(&log->text, "!%d %s;", (int)reason, message);
	log->n_skips++;
	return log->answer ? bs_fail(err, log->answer, "the sink said no") : BS_OK;
}

const char *log_text(struct log *log)
{
	append(&log->text, "", 1);
	log->text.used_bytes--;
	return (const char *)log->text.data;
}

void log_deinit(struct log *log)
{
	bs_buffer_deinit(&log->text);
}

const struct bs_source_options no_options;

struct bs_source open_source(const char *argument)
{
	struct bs_error err = {{0}};
	struct bs_source source;
	if (bs_source_init(&source, argument, &err))
		fail_msg("%s", err.text);
	return source;
}

struct bs_feed *open_feed(const struct bs_source *source, const struct bs_source_options *options)
{
	struct bs_error err = {{0}};
	struct bs_feed *feed = NULL;
	if (bs_feed_open(source, options, NULL, NULL, &feed, &err))
		fail_msg("%s", err.text);
	return feed;
}

struct bs_reader *new_reader(const struct bs_source_options *options)
{
	struct bs_error err = {{0}};
	struct bs_reader *reader = NULL;
	if (bs_reader_new(options, &reader, &err))
		fail_msg("%s", err.text);
	return reader;
}

void next_batch(struct bs_feed *feed, struct bs_batch *batch)
{
	struct bs_error err = {{0}};
	if (bs_feed_next(feed, batch, &err))
		fail_msg("%s", err.text);
}

void read_batch(struct bs_reader *reader, const struct bs_batch *batch, struct log *log)
{
	struct bs_error err = {{0}};
	struct bs_document_sink sink = {.context = log, .document = log_document, .skip = log_skip};
	if (bs_reader_read(reader, batch, &sink, &err))
		fail_msg("%s", err.text);
}

void open_all(struct opened *opened, const char *argument, const struct bs_source_options *options)
{
	*opened = (struct opened){.source = open_source(argument), .reader = new_reader(options)};
	opened->feed = open_feed(&opened->source, options);
}

void close_all(struct opened *opened)
{
	bs_batch_deinit(&opened->batch);
	bs_reader_free(opened->reader);
	bs_feed_close(opened->feed);
	bs_source_deinit(&opened->source);
}

void read_source(const char *argument, const struct bs_source_options *options, struct log *log)
{
	struct opened of;
	open_all(&of, argument, options);
	for (next_batch(of.feed, &of.batch); of.batch.n_items; next_batch(of.feed, &of.batch))
		read_batch(of.reader, &of.batch, log);
	next_batch(of.feed, &of.batch);
	assert_int_equal(of.batch.n_items, 0);
	close_all(&of);
}

void check_source(const char *argument, const struct bs_source_options *options, const char *expected)
{
	struct log log = {0};
	read_source(argument, options, &log);
	assert_string_equal(log_text(&log), expected);
	log_deinit(&log);
}
