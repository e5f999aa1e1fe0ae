/* oracle_bench.c: a corpus with its index in a folder of its own, and the engine opened on it. See
 * oracle_bench.h. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"

#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/clock_rig.h"

struct bench bench;

static void leave_folder(void)
{
	assert_int_equal(chdir("/"), 0);
	remove_folder(bench.folder);
	bench.folder[0] = '\0';
}

/* ---- a failure ---- */

void bench_print(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		fprintf(stderr, bytes[i] >= 0x20 && bytes[i] != 0x7f ? "%c" : "\\x%02x", bytes[i]);
}

static const char *first(const char *const *texts)
{
	return texts && texts[0] ? texts[0] : "";
}

static void print_search(void)
{
	static const char *const modes[] = {"top", "ids", "count"};
	const struct bs_search_request *asked = &bench.request;
	const struct bs_document_filter *filter = &asked->filter;
	fprintf(stderr, "  query%s: ", bench.query.any ? " (any)" : "");
	bench_print(bench.query.text.data, bench.query.text.used_bytes);
	fprintf(stderr, "\n  stop words: ");
	bench_print(bench.query.stops.data, bench.query.stops.used_bytes);
	fprintf(stderr, "\n  filter: -g %s -t %s -T %s --in %s --newer %s --older %s --date %s\n",
	        first(filter->globs), first(filter->types), first(filter->excluded_types),
	        first(filter->places), first(&filter->newer), first(&filter->older),
	        first(&filter->date_field));
	fprintf(stderr, "  %s%s, k %zu, kernel %s\n", modes[asked->output.mode],
	        asked->method.brute ? ", brute" : "", asked->output.limit,
	        bench.kernels[bench.kernel]->name);
}

int bench_clean(void **state)
{
	if (!bench.folder[0])
		return 0;
	oracle_setup_print(&bench.setup, stderr);
	if (bench.n_kernels > 0)
		print_search();
	leave_folder();
	return 0;
}

/* ---- the engine ---- */

int bench_take_hit(void *context, const struct bs_hit *hit)
{
	struct found *found = context;
	struct found_hit taken = {found->ids.used_bytes, hit->id_bytes, hit->score, hit->rank};
	append_bytes(&found->ids, hit->id, hit->id_bytes);
	ok(bs_vector_append(&found->hits, &taken, ERR));
	return 0;
}

void found_deinit(struct found *found)
{
	bs_buffer_deinit(&found->ids);
	bs_vector_deinit(&found->hits);
}

void bench_index(const char *dir, uint32_t first_source, uint32_t n_sources)
{
	static const char *const text_fields[] = {"title", "body", "deep.title", NULL};
	const char *sources[ORACLE_MAX_SOURCES];
	const struct oracle_setup *setup = &bench.setup;
	struct bs_build_report report;
	struct bs_consent consent = {.all = true};
	for (uint32_t i = 0; i < n_sources; i++)
		sources[i] = setup->sources[first_source + i];
	struct bs_build_tuning tuning = {.policy = &setup->policy,
	                                 .max_shard_blocks = setup->max_shard_blocks,
	                                 .max_shard_bytes = setup->max_shard_bytes,
	                                 .max_segment_docs = setup->max_segment_docs,
	                                 .forward_mode = setup->forward_mode,
	                                 .pairs_least_bytes = setup->pairs_least_bytes};
	struct bs_build_request request = {.dir = bench.memory ? NULL : dir,
	                                   .memory = bench.memory,
	                                   .host.consent = bench.memory ? &consent : NULL,
	                                   .host.texts = setup->is_not_stored ? &bench.texts : NULL,
	                                   .sources = sources,
	                                   .n_sources = n_sources,
	                                   .index.words = true,
	                                   .index.fold_accents = setup->words.fold_accents,
	                                   .index.split_identifiers =
	                                           setup->words.split_identifiers,
	                                   .index.weights = setup->weights,
	                                   .write.n_threads = setup->n_threads,
	                                   .tuning = &tuning};
	request.index.stem_language = setup->words.stem_language;
	if (setup->id_field)
		request.rules.id_field = "key";
	if (setup->has_text_fields)
		request.rules.text_fields = text_fields;
	clock_make_old(); /* except young sources, whose mtimes are even later than this clock */
	for (uint32_t i = 0, end; i < n_sources; i = end) {
		bool by_writer = setup->by_writer && strcmp(sources[i], "-") == 0;
		for (end = i + 1; setup->by_writer && !by_writer && end < n_sources &&
		                  strcmp(sources[end], "-") != 0;)
			end++;
		request.sources = sources + i;
		request.n_sources = setup->by_writer ? end - i : n_sources;
		end = setup->by_writer ? end : n_sources;
		if (by_writer)
			report.n_docs = bench_give(dir);
		else
			ok(bs_index_build(&request, &report, ERR));
	}
	size_t n_docs = 0;
	for (size_t i = 0; i < bs_vector_n(&bench.oracle.docs); i++)
		n_docs += !bench.oracle.docs.items[i].is_replaced;
	if (n_sources == setup->n_sources)
		assert_int_equal(report.n_docs, n_docs);
}

static void open_searchers(void)
{
	bench.n_kernels = bs_kernel_list(bench.kernels, BENCH_MAX_KERNELS);
	assert_in_range(bench.n_kernels, 1, BENCH_MAX_KERNELS);
	static const struct bs_consent consent = {.all = true};
	struct bs_open_request request = {.dir = bench.memory ? NULL : "index",
	                                  .memory = bench.memory,
	                                  .host.texts = &bench.texts};
	request.host.consent = bench.memory ? &consent : NULL;
	for (size_t i = 0; i < bench.n_kernels; i++) {
		request.kernel = bench.kernels[i]->name;
		ok(bs_index_open_with(&request, &bench.indexes[i], ERR));
		ok(bs_searcher_new(bench.indexes[i], &bench.searchers[i], ERR));
	}
}

void bench_init(unsigned number, uint32_t n_docs)
{
	bench = (struct bench){.n_kernels = 0};
	random_state = rounds.seed * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(1000003);
	oracle_setup_draw(&bench.setup, number, n_docs);
	oracle_vocabulary_init(&bench.vocabulary, bench.setup.n_vocabulary);
	bench_provide();
	if (bench.setup.is_in_memory)
		ok(bs_memory_index_new(&bench.memory, ERR));
	make_folder(bench.folder);
	assert_int_equal(chdir(bench.folder), 0);
}

void bench_write(void)
{
	oracle_init(&bench.oracle, &bench.setup.words);
	bench.oracle.weights = bench.setup.weights;
	oracle_write_sources(&bench.setup, &bench.vocabulary, &bench.oracle);
}

void bench_write_file(unsigned number, const char *text)
{
	char path[32];
	assert_true(mkdir("signs", 0700) == 0 || errno == EEXIST);
	snprintf(path, sizeof(path), "signs/%06u", number);
	write_text(path, text);
	oracle_add_field(&bench.oracle, "", text, strlen(text));
	oracle_end_doc(&bench.oracle, path, strlen(path));
	oracle_place_doc(&bench.oracle, path, strlen("signs/"), 0);
}

void bench_open(void)
{
	bench_index("index", 0, bench.setup.n_sources);
	open_searchers();
	bench_count_held();
}

void bench_deinit(void)
{
	assert_int_equal(bench.found.n_unreadable, 0);
	for (size_t i = 0; i < bench.n_kernels; i++) {
		bs_searcher_free(bench.searchers[i]);
		bs_index_close(bench.indexes[i]);
	}
	bs_memory_index_free(bench.memory);
	oracle_vocabulary_deinit(&bench.vocabulary);
	oracle_deinit(&bench.oracle);
	oracle_query_deinit(&bench.query);
	bs_vector_deinit(&bench.expected);
	bs_vector_deinit(&bench.ranked);
	found_deinit(&bench.found);
	leave_folder();
}

struct bs_search_request bench_request(void)
{
	const struct oracle_query *query = &bench.query;
	bool has_stops = query->stops.used_bytes > 0;
	return (struct bs_search_request){
		.query.text = (const char *)query->text.data,
		.query.text_bytes = query->text.used_bytes,
		.query.any = query->any,
		.query.stop_words = has_stops ? (const char *)query->stops.data : NULL,
		.query.stop_words_bytes = query->stops.used_bytes};
}

void bench_search(size_t kernel, enum bs_search_mode mode, bool brute)
{
	struct found *found = &bench.found;
	struct bs_search_result result;
	struct bs_search_request *request = &bench.request;
	bench.kernel = kernel;
	*request = bench_request();
	request->output.mode = mode;
	request->output.limit = roll_between(1, by_chance(50) ? 20 : 1000);
	request->method.brute = brute;
	request->method.exhaustive = by_chance(10);
	request->method.no_stat = by_chance(25);
	request->output.snippets = by_chance(5);
	request->output.sort_field = bench.sort_field;
	request->output.sort_descending = bench.is_descending;
	request->callbacks.hit = bench_take_hit;
	request->callbacks.context = found;
	oracle_filter_ask(&bench.filter, request);
	bs_buffer_clear(&found->ids);
	bs_vector_clear(&found->hits);
	found->err.text[0] = '\0';
	found->status = bs_search(bench.searchers[kernel], request, &result, &found->err);
	found->stats = result.stats;
	found->n_unreadable += result.n_unreadable;
	found->n_changed += (unsigned)(result.changes.n_changed + result.changes.n_gone);
	found->is_at_least = result.is_at_least;
}
