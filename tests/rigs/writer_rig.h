/*
 * writer_rig.h: shared by the tests of bitsift/writer.h: an index in a directory or in memory, a
 * writer, and queries. Every helper except try_add fails the test if something goes wrong.
 */
#pragma once

#include <bitsift.h>
#include <bitsift/writer.h>

#include "tests/rigs/library_rig.h"

AUTO_OF(struct bs_memory_index, bs_memory_index_free)
AUTO_OF(struct bs_writer, bs_writer_close)

/* The current folder, and an index in it or in memory. */
extern struct rig {
	char folder[FOLDER_BYTES];
	struct bs_memory_index *memory; /* NULL: the index is in the folder "index" */
} rig;

int setup_dir(void **state);
int setup_memory(void **state);
int teardown(void **state);

/* Runs a test with both kinds of index. */
#define WITH_BOTH(test)                                             \
	cmocka_unit_test_setup_teardown(test, setup_dir, teardown), \
		cmocka_unit_test_setup_teardown(test, setup_memory, teardown)

/* `dir` of a request: NULL if the index is in memory. */
const char *rig_dir(void);

/* Follows every source of an index, as the functions of this rig do. */
extern const struct bs_consent everything;

/* Open a writer of the rig's index, with one thread unless the request says otherwise. */
struct bs_writer *open_with(struct bs_writer_request request);
#define OPEN_WITH(...) open_with((struct bs_writer_request){__VA_ARGS__})
struct bs_writer *open_writer(void);

/* Builds the rig's index, with the rest of the request as given. */
struct bs_build_report build_with(struct bs_build_request request);
#define BUILD_WITH(...) build_with((struct bs_build_request){__VA_ARGS__})

/* Add a document with a title and, unless it is NULL, a body. */
enum bs_status try_add(struct bs_writer *writer, const char *id, const char *title,
                       const char *body, struct bs_error *err);
void add(struct bs_writer *writer, const char *id, const char *title, const char *body);
struct bs_build_report commit(struct bs_writer *writer);

/* Writes the title and body of document i to buffers of 64 and 512 bytes. */
void make_text(unsigned i, char *title, char *body);

struct bs_index *open_index(const struct bs_text_provider *texts);

/* A query's results. ids: separated by spaces. snippet, is_changed, document: the last hit's. */
struct heard {
	char ids[8192];
	char snippet[256];
	bool is_changed;
	uint64_t n_hits, n_unreadable, document;
};
int hear(void *heard, const struct bs_hit *hit);
struct heard ask_in(struct bs_index *index, const char *query, struct bs_search_request request);
#define ASK_IN(index, query, ...) ask_in(index, query, (struct bs_search_request){__VA_ARGS__})
#define COUNT_IN(index, query)    ASK_IN(index, query, .output.mode = BS_SEARCH_COUNT).n_hits

/* The number of documents of the rig's index that match the query. */
uint64_t count(const char *query);

/* Fail the test unless the query finds exactly these ids, in document order, also by brute
 * force. */
void expect_of(const struct bs_text_provider *texts, const char *query, const char *ids);
void expect(const char *query, const char *ids);

/* Fails the test unless the index conforms to FORMAT.md. */
void check(void);
