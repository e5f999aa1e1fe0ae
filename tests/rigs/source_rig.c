/* source_rig.c: see source_rig.h. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/search.h"
#include "tests/rigs/source_rig.h"

/* ---- the folder of a test ---- */

char home[256];

int enter_source(void **state)
{
	/* The .git makes ignore files above the folder irrelevant. */
	return enter_folder(state) || !getcwd(home, sizeof(home)) || mkdir(".git", 0700) ? -1 : 0;
}

/* ---- reading a whole source into a text that tests can compare ---- */

enum bs_status log_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct log *log = context;
	uint64_t text_bytes = 0;
	append_bytes(&log->text, document->name.bytes, document->name.n_bytes);
	if (document->place.line)
		append_format(&log->text, "%s@%" PRIu64, document->name.is_line ? "#" : "",
		              document->place.line);
	for (size_t i = 0; i < document->text.n_fields; i++) {
		append_format(&log->text, " %.*s=", (int)document->text.fields[i].name_bytes,
		              document->text.fields[i].name);
		append_bytes(&log->text, document->text.fields[i].text,
		             document->text.fields[i].text_bytes);
		text_bytes += document->text.fields[i].text_bytes;
	}
	append_string(&log->text, ";");
	assert_int_equal(text_bytes, document->text.n_bytes);
	assert_true(document->fingerprint.inode != 0 || document->place.line);
	log->n_documents++;
	return log->answer ? bs_fail(err, log->answer, "the sink said no") : BS_OK;
}

enum bs_status log_skip(void *context, enum bs_skip reason, const char *message,
                        struct bs_error *err)
{
	struct log *log = context;
	append_format(&log->text, "!%d %s;", (int)reason, message);
	log->n_skips++;
	return log->answer ? bs_fail(err, log->answer, "the sink said no") : BS_OK;
}

const char *log_text(struct log *log)
{
	append_bytes(&log->text, "", 1);
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
	struct bs_source source;
	ok(bs_source_init(&source, argument, ERR));
	return source;
}

struct bs_feed *open_feed(const struct bs_source *source, const struct bs_source_options *options)
{
	struct bs_feed *feed = NULL;
	ok(bs_feed_open(source, options, NULL, NULL, &feed, ERR));
	return feed;
}

struct bs_reader *new_reader(const struct bs_source_options *options)
{
	struct bs_reader *reader = NULL;
	ok(bs_reader_new(options, &reader, ERR));
	return reader;
}

void next_batch(struct bs_feed *feed, struct bs_batch *batch)
{
	ok(bs_feed_next(feed, batch, ERR));
}

void read_batch(struct bs_reader *reader, const struct bs_batch *batch, struct log *log)
{
	struct bs_document_sink sink = {.context = log, .document = log_document, .skip = log_skip};
	ok(bs_reader_read(reader, batch, &sink, ERR));
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
	AUTO(close_all) struct opened of;
	open_all(&of, argument, options);
	for (next_batch(of.feed, &of.batch); of.batch.n_items; next_batch(of.feed, &of.batch))
		read_batch(of.reader, &of.batch, log);
	next_batch(of.feed, &of.batch);
	assert_int_equal(of.batch.n_items, 0);
}

void check_source(const char *argument, const struct bs_source_options *options,
                  const char *expected)
{
	AUTO(log_deinit) struct log log = {0};
	read_source(argument, options, &log);
	assert_string_equal(log_text(&log), expected);
}
