/*
 * writer_rig.h: what the tests of bitsift/writer.h share: an index in a directory or in memory, a
 * writer of it, and what queries find there. Every helper but try_add fails the test when something
 * goes wrong.
 */
#pragma once

#include <bitsift.h>
#include <bitsift/writer.h>

#include "tests/rigs/library_rig.h"

AUTO_OF(struct bs_memory_index, bs_memory_index_free)
AUTO_OF(struct bs_writer, bs_writer_close)

/* A folder, and an index in it or in memory. */
extern struct rig {
	char folder[FOLDER_BYTES];
	char dir[96];
	struct bs_memory_index *memory; /* NULL: a directory */
} rig;

int setup_dir(void **state);
int setup_memory(void **state);
int teardown(void **state);

/* A test with both. */
#define WITH_BOTH(test)                                             \
	cmocka_unit_test_setup_teardown(test, setup_dir, teardown), \
		cmocka_unit_test_setup_teardown(test, setup_memory, teardown)

/* For a request: NULL where the index is in memory. */
const char *rig_dir(void);

/* Of the rig's index, and of one thread if the request does not say how many. */
struct bs_writer *open_with(struct bs_writer_request request);
struct bs_writer *open_writer(void);

/* Of one or two texts. */
enum bs_status try_add(struct bs_writer *writer, const char *id, const char *title,
                       const char *body, struct bs_error *err);
void add(struct bs_writer *writer, const char *id, const char *title, const char *body);
struct bs_build_report commit(struct bs_writer *writer);

/* A text that has to be found by all ways in the same way; 64 and 512 bytes. */
void make_text(unsigned i, char *title, char *body);

struct bs_index *open_index(const struct bs_text_provider *texts);

/* What a query found: ids in a line, and what stood in the last snippet. */
struct heard {
	char ids[8192];
	char snippet[256];
	bool is_changed;
	uint64_t n_hits, n_unreadable, document;
};
int hear(void *heard, const struct bs_hit *hit);
struct heard ask_in(struct bs_index *index, const char *query, struct bs_search_request request);

/* How many documents the rig's index has for it. */
uint64_t count(const char *query);

/* All ids, in document order, and by brute force, which must agree. */
void expect_of(const struct bs_text_provider *texts, const char *query, const char *ids);
void expect(const char *query, const char *ids);

/* That the index is what FORMAT.md says. */
void check(void);
