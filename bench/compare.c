/* compare.c: see compare.h. */
#include "bench/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/engine_lucene.h"
#include "bench/tool.h"

#define REPETITIONS  3                   /* measured runs of a query; see compare.h */
#define SLOW_NS      UINT64_C(20000000)  /* if slower, one measured run is enough */
#define VERY_SLOW_NS UINT64_C(500000000) /* if slower, the first run is the measured one */

/* Opening the engines of this run. */

static char *path_of_index(const struct corpus *corpus, const struct engine *engine)
{
	const char *given =
		strcmp(engine->index, "bitsift") == 0 ? bitsift_options.index_path : NULL;
	return given ? text_of("%s", given) : text_of("%s/%s", corpus->dir, engine->index);
}

static bool is_there(const struct corpus *corpus, const struct engine *engine)
{
	char *path = path_of_index(corpus, engine);
	bool is_there = access(path, R_OK) == 0;
	free(path);
	return is_there && (lucene_class_path || strncmp(engine->index, "lucene", 6) != 0);
}

static void choose_engines(struct comparison *comparison, const struct corpus *corpus,
                           const char *list)
{
	for (const struct engine *engine = engines; engine->name; engine++) {
		if (!is_listed(list, engine->name))
			continue;
		if (!is_there(corpus, engine)) {
			say("%s: left out, there is no index of it%s", engine->name,
			    lucene_class_path || strncmp(engine->index, "lucene", 6) != 0
			            ? ""
			            : " or no --lucene");
			continue;
		}
		comparison->engines =
			grown(comparison->engines, (comparison->n_engines + 1) * sizeof(engine));
		comparison->engines[comparison->n_engines++] = engine;
	}
	if (comparison->n_engines == 0)
		die("no engine to ask");
}

static void **open_engines(const struct comparison *comparison, const struct corpus *corpus)
{
	void **handles = grown(NULL, comparison->n_engines * sizeof(*handles));
	for (size_t e = 0; e < comparison->n_engines; e++) {
		char *path = path_of_index(corpus, comparison->engines[e]);
		handles[e] = comparison->engines[e]->open(corpus, path, &comparison->set);
		free(path);
	}
	return handles;
}

static bool is_asked(const struct comparison *comparison, const struct engine *engine,
                     const struct query *query)
{
	return is_listed(engine->classes, comparison->set.classes[query->class_number]) &&
	       (engine->has_phrases || !query->is_phrase) && (engine->has_any || !query->is_any) &&
	       query->number % engine->every == 0;
}

static void warm_up(const struct comparison *comparison, void **handles)
{
	for (size_t e = 0; e < comparison->n_engines; e++)
		for (unsigned pass = 0; pass == 0 || pass < comparison->engines[e]->warm_passes;
		     pass++)
			for (size_t q = 0; q < comparison->set.n_queries; q++) {
				const struct engine *engine = comparison->engines[e];
				const struct query *query = &comparison->set.queries[q];
				struct answer answer = {0};
				if (is_asked(comparison, engine, query) &&
				    (engine->warm_passes > 0 || query->number == 0))
					engine->ask(handles[e], query, &answer);
			}
}

/* Measuring. */

/* now_ns, or cpu_ns for request->is_processor_time. */
static uint64_t (*read_clock)(void) = now_ns;

static uint64_t ask_once(const struct engine *engine, void *handle, const struct query *query,
                         struct outcome *outcome)
{
	struct answer answer = {0};
	uint64_t start = read_clock();
	engine->ask(handle, query, &answer);
	uint64_t elapsed = read_clock() - start;
	outcome->count = answer.count;
	outcome->touched = answer.touched;
	return answer.elapsed_ns ? answer.elapsed_ns : elapsed;
}

static uint64_t median_of_three(const uint64_t *x)
{
	uint64_t low = x[0] < x[1] ? x[0] : x[1];
	uint64_t high = x[0] < x[1] ? x[1] : x[0];
	return x[2] < low ? low : x[2] > high ? high : x[2];
}

static struct outcome measure(const struct engine *engine, void *handle, const struct query *query)
{
	struct outcome outcome = {.is_asked = true};
	uint64_t first = ask_once(engine, handle, query, &outcome);
	uint64_t times[REPETITIONS] = {first};
	if (first < VERY_SLOW_NS && !bitsift_options.exhaustive)
		times[0] = ask_once(engine, handle, query, &outcome);
	outcome.elapsed_ns = times[0];
	if (first >= SLOW_NS || bitsift_options.exhaustive)
		return outcome;
	for (int i = 1; i < REPETITIONS; i++)
		times[i] = ask_once(engine, handle, query, &outcome);
	outcome.elapsed_ns = median_of_three(times);
	return outcome;
}

/* For each engine, runs all queries in order, several times, so that a query finds in the caches
 * what the previous queries left there. */
static void measure_in_turn(struct comparison *comparison, void **handles)
{
	size_t n_queries = comparison->set.n_queries;
	uint64_t(*times)[REPETITIONS] = grown(NULL, n_queries * sizeof(*times));
	for (size_t e = 0; e < comparison->n_engines; e++) {
		const struct engine *engine = comparison->engines[e];
		for (int pass = -1; pass < REPETITIONS; pass++) {
			for (size_t q = 0; q < n_queries; q++) {
				const struct query *query = &comparison->set.queries[q];
				struct outcome *outcome =
					&comparison->outcomes[q * comparison->n_engines + e];
				outcome->is_asked = is_asked(comparison, engine, query);
				if (outcome->is_asked)
					times[q][pass < 0 ? 0 : pass] =
						ask_once(engine, handles[e], query, outcome);
			}
		}
		for (size_t q = 0; q < n_queries; q++) {
			struct outcome *outcome =
				&comparison->outcomes[q * comparison->n_engines + e];
			if (outcome->is_asked)
				outcome->elapsed_ns = median_of_three(times[q]);
		}
		say("%s ...", engine->name);
	}
	free(times);
}

static void measure_all(struct comparison *comparison, void **handles)
{
	size_t n_engines = comparison->n_engines;
	for (size_t q = 0; q < comparison->set.n_queries; q++) {
		const struct query *query = &comparison->set.queries[q];
		for (size_t turn = 0; turn < n_engines; turn++) {
			size_t e = (q + turn) % n_engines;
			if (is_asked(comparison, comparison->engines[e], query))
				comparison->outcomes[q * n_engines + e] =
					measure(comparison->engines[e], handles[e], query);
		}
		if (query->number == 0)
			say("%s ...", comparison->set.classes[query->class_number]);
	}
}

/* Checking. */

static bool counts_agree(const struct comparison *comparison, size_t q)
{
	uint64_t least = 0, most = UINT64_MAX; /* bounds of the correct count */
	for (size_t e = 0; e < comparison->n_engines; e++) {
		const struct outcome *outcome = outcome_of(comparison, q, e);
		if (!outcome->is_asked)
			continue;
		if (comparison->engines[e]->count_kind == COUNT_EXACT && outcome->count > least)
			least = outcome->count;
		if (comparison->engines[e]->count_kind != COUNT_NONE && outcome->count < most)
			most = outcome->count;
	}
	return least <= most;
}

static void check_counts(struct comparison *comparison)
{
	for (size_t q = 0; q < comparison->set.n_queries; q++) {
		const struct query *query = &comparison->set.queries[q];
		if (counts_agree(comparison, q))
			continue;
		comparison->n_wrong++;
		fprintf(stderr, "MISMATCH %s: %s:", comparison->set.classes[query->class_number],
		        query->text);
		for (size_t e = 0; e < comparison->n_engines; e++)
			if (outcome_of(comparison, q, e)->is_asked &&
			    comparison->engines[e]->count_kind != COUNT_NONE)
				fprintf(stderr, " %s %" PRIu64, comparison->engines[e]->name,
				        outcome_of(comparison, q, e)->count);
		fputc('\n', stderr);
	}
}

static void write_raw(const struct comparison *comparison, const char *path)
{
	FILE *file = open_file(path, "w");
	fputs("class\tquery\tengine\tcount\tns\tindex_bytes\ttext_bytes\ttexts\n", file);
	for (size_t q = 0; q < comparison->set.n_queries; q++) {
		const struct query *query = &comparison->set.queries[q];
		for (size_t e = 0; e < comparison->n_engines; e++) {
			const struct outcome *outcome = outcome_of(comparison, q, e);
			if (outcome->is_asked)
				fprintf(file,
				        "%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
				        "\t%" PRIu64 "\t%" PRIu64 "\n",
				        comparison->set.classes[query->class_number], query->text,
				        comparison->engines[e]->name, outcome->count,
				        outcome->elapsed_ns, outcome->touched.index_bytes,
				        outcome->touched.text_bytes, outcome->touched.n_texts);
		}
	}
	close_file(file, path);
}

void compare_run(const struct corpus *corpus, const struct compare_request *request,
                 struct comparison *comparison_out)
{
	struct comparison comparison = {0};
	read_clock = request->is_processor_time ? cpu_ns : now_ns;
	queries_read(request->queries_path, request->classes, &comparison.set);
	choose_engines(&comparison, corpus, request->engines);
	void **handles = open_engines(&comparison, corpus);
	size_t outcomes_bytes =
		comparison.set.n_queries * comparison.n_engines * sizeof(*comparison.outcomes);
	comparison.outcomes = grown(NULL, outcomes_bytes);
	memset(comparison.outcomes, 0, outcomes_bytes);
	warm_up(&comparison, handles);
	(request->in_turn ? measure_in_turn : measure_all)(&comparison, handles);
	check_counts(&comparison);
	if (request->raw_path)
		write_raw(&comparison, request->raw_path);
	for (size_t e = 0; e < comparison.n_engines; e++)
		comparison.engines[e]->close(handles[e]);
	free(handles);
	*comparison_out = comparison;
}

void compare_free(struct comparison *comparison)
{
	queries_free(&comparison->set);
	free(comparison->engines);
	free(comparison->outcomes);
}
