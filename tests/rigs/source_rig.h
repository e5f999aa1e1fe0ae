/*
 * source_rig.h: a folder for the tests of sources, in addition to core_rig.h; reads a whole source
 * into a text that tests compare. Every helper fails the test if something goes wrong.
 */
#pragma once

#include "core/bitsift/index.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_reader, bs_reader_free)

/* RUN_FOLDER_TESTS, each test in a folder with only an empty .git. */
#define RUN_SOURCE_TESTS(...) RUN_TESTS_EACH_WITH(enter_source, leave_folder, __VA_ARGS__)
extern char home[256]; /* the path of the folder */
int enter_source(void **state);

/* The calls of a sink as a text: "name field=text;", "id@line field=text;", "#@line ..." for a
 * record without id, and "!reason message;" for something that was skipped. */
struct log {
	struct bs_buffer text;
	size_t n_documents;
	size_t n_skips;
	enum bs_status answer; /* the status that the sink returns */
};

enum bs_status log_document(void *context, const struct bs_document *document,
                            struct bs_error *err);
enum bs_status log_skip(void *context, enum bs_skip reason, const char *message,
                        struct bs_error *err);
const char *log_text(struct log *log);
void log_deinit(struct log *log);

extern const struct bs_source_options no_options;
struct bs_source open_source(const char *argument);
struct bs_feed *open_feed(const struct bs_source *source, const struct bs_source_options *options);
struct bs_reader *new_reader(const struct bs_source_options *options);
void next_batch(struct bs_feed *feed, struct bs_batch *batch);
void read_batch(struct bs_reader *reader, const struct bs_batch *batch, struct log *log);

/* A source and the objects that read it; the feed borrows the source. */
struct opened {
	struct bs_source source;
	struct bs_feed *feed;
	struct bs_reader *reader;
	struct bs_batch batch;
};

void open_all(struct opened *opened, const char *argument, const struct bs_source_options *options);
void close_all(struct opened *opened);

void read_source(const char *argument, const struct bs_source_options *options, struct log *log);
void check_source(const char *argument, const struct bs_source_options *options,
                  const char *expected);
