/* writer_rig.c: see writer_rig.h. */
#include "tests/rigs/writer_rig.h"

#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"

struct rig rig;

const struct bs_consent everything = {.all = true};

const char *rig_dir(void)
{
	return rig.memory ? NULL : "index";
}

int setup_dir(void **state)
{
	rig = (struct rig){.memory = NULL};
	enter_new_folder(rig.folder);
	return 0;
}

int setup_memory(void **state)
{
	setup_dir(state);
	ok(bs_memory_index_new(&rig.memory, ERR));
	return 0;
}

int teardown(void **state)
{
	bs_memory_index_free(rig.memory);
	assert_int_equal(chdir("/"), 0);
	remove_folder(rig.folder);
	return 0;
}

struct bs_writer *open_with(struct bs_writer_request request)
{
	struct bs_writer *writer;
	request.dir = rig_dir();
	request.memory = rig.memory;
	request.host.consent = &everything;
	if (!request.write.n_threads)
		request.write.n_threads = 1;
	ok(bs_writer_open(&request, &writer, ERR));
	return writer;
}

struct bs_writer *open_writer(void)
{
	return OPEN_WITH(0);
}

struct bs_build_report build_with(struct bs_build_request request)
{
	struct bs_build_report report;
	request.dir = rig_dir();
	request.memory = rig.memory;
	request.host.consent = &everything;
	ok(bs_index_build(&request, &report, ERR));
	return report;
}

enum bs_status try_add(struct bs_writer *writer, const char *id, const char *title,
                       const char *body, struct bs_error *err)
{
	struct bs_text texts[] = {{"title", 5, title, strlen(title)},
	                          {"body", 4, body, body ? strlen(body) : 0}};
	return bs_writer_add(writer, id, strlen(id), texts, body ? 2 : 1, err);
}

void add(struct bs_writer *writer, const char *id, const char *title, const char *body)
{
	ok(try_add(writer, id, title, body, ERR));
}

struct bs_build_report commit(struct bs_writer *writer)
{
	struct bs_build_report report;
	ok(bs_writer_commit(writer, &report, ERR));
	return report;
}

struct bs_index *open_index(const struct bs_text_provider *texts)
{
	struct bs_open_request request = {.dir = rig_dir(),
	                                  .memory = rig.memory,
	                                  .host.texts = texts,
	                                  .host.consent = &everything};
	return must_open_with(&request);
}

int hear(void *context, const struct bs_hit *hit)
{
	struct heard *heard = context;
	size_t n = strlen(heard->ids);
	snprintf(heard->ids + n, sizeof(heard->ids) - n, "%s%.*s", n ? " " : "", (int)hit->id_bytes,
	         hit->id);
	snprintf(heard->snippet, sizeof(heard->snippet), "%.*s", (int)hit->snippet_bytes,
	         hit->snippet ? hit->snippet : "");
	heard->is_changed = hit->is_changed;
	heard->document = hit->document;
	return 0;
}

struct heard ask_in(struct bs_index *index, const char *query, struct bs_search_request request)
{
	struct bs_search_result result;
	struct heard heard = {.ids = ""};
	request.query.text = query;
	request.query.text_bytes = strlen(query);
	request.callbacks.hit = hear;
	request.callbacks.context = &heard;
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	ok(bs_search(searcher, &request, &result, ERR));
	heard.n_hits = result.n_hits;
	heard.n_unreadable = result.n_unreadable;
	return heard;
}

uint64_t count(const char *query)
{
	AUTO(bs_index_close_at) struct bs_index *index = open_index(NULL);
	return COUNT_IN(index, query);
}

void expect_of(const struct bs_text_provider *texts, const char *query, const char *ids)
{
	AUTO(bs_index_close_at) struct bs_index *index = open_index(texts);
	struct heard found = ASK_IN(index, query, .output.mode = BS_SEARCH_IDS);
	struct heard brute =
		ASK_IN(index, query, .output.mode = BS_SEARCH_IDS, .method.brute = true);
	assert_string_equal(found.ids, ids);
	assert_string_equal(brute.ids, ids);
}

void expect(const char *query, const char *ids)
{
	expect_of(NULL, query, ids);
}

void check(void)
{
	struct bs_check_request request = {.dir = rig_dir(), .memory = rig.memory};
	ok(bs_index_check(&request, NULL, ERR));
}

void make_text(unsigned i, char *title, char *body)
{
	static const char *const words[] = {"river", "stone", "the", "of",   "cloud",
	                                    "quick", "brown", "fox", "lake", "sea"};
	char *to = body;
	unsigned x = i * 2654435761u + 12345;
	sprintf(title, "Title %u of %s", i, words[i % 10]);
	for (unsigned w = 0; w < 5 + i % 23; w++, x = x * 1664525u + 1013904223u)
		to += sprintf(to, "%s%s", w ? " " : "", words[(x >> 16) % (w % 3 ? 10 : 4)]);
}
