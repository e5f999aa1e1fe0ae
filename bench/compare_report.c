/*
 * compare_report.c: prints the outcomes of compare.c as tables in Markdown: microseconds per query,
 * by class and over all classes of two or more words; ratios to bitsift's time; and the data read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/tool.h"

/* The rows of a table are the classes and, after them, the workloads: all queries of a kind. */
enum {
	ROW_AND = QUERY_MAX_CLASSES,
	ROW_OR,
	ROW_NOT,
	ROW_PHRASE,
};

enum statistic {
	STATISTIC_MEAN,
	STATISTIC_P50,
	STATISTIC_P95,
};

static bool is_in_row(const struct comparison *comparison, const struct query *query, unsigned row)
{
	(void)comparison;
	if (row == ROW_AND)
		return !query->is_phrase && !query->is_any && !query->is_not && query->n_words > 1;
	if (row == ROW_OR)
		return query->is_any;
	if (row == ROW_NOT)
		return query->is_not;
	return row == ROW_PHRASE ? query->is_phrase : query->class_number == row;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* The percentile of sorted values, by the nearest-rank method. */
static double percentile(const double *values, size_t n, unsigned percent)
{
	return values[(n * percent + 99) / 100 - (n > 0)];
}

static double statistic_of(double *values, size_t n, enum statistic statistic)
{
	double sum = 0;
	if (n == 0)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	if (statistic == STATISTIC_MEAN)
		return sum / (double)n;
	qsort(values, n, sizeof(*values), by_value);
	return percentile(values, n, statistic == STATISTIC_P50 ? 50 : 95);
}

/* The mean or a percentile of an engine's microseconds, over a row's queries whose numbers are
 * multiples of `every`. NAN if the engine ran none of them. */
static double time_of(const struct comparison *comparison, size_t engine, unsigned row,
                      unsigned every, enum statistic statistic)
{
	double *values = grown(NULL, comparison->set.n_queries * sizeof(*values));
	size_t n = 0;
	for (size_t q = 0; q < comparison->set.n_queries; q++) {
		const struct query *query = &comparison->set.queries[q];
		const struct outcome *outcome = outcome_of(comparison, q, engine);
		if (outcome->is_asked && is_in_row(comparison, query, row) &&
		    query->number % every == 0)
			values[n++] = (double)outcome->elapsed_ns / 1000;
	}
	double value = statistic_of(values, n, statistic);
	free(values);
	return value;
}

/* Returns the number of queries of a row. *hits_out is their mean number of matching documents,
 * from the first engine with exact counts. */
static size_t row_queries(const struct comparison *comparison, unsigned row, unsigned every,
                          double *hits_out)
{
	size_t n = 0;
	*hits_out = 0;
	for (size_t q = 0; q < comparison->set.n_queries; q++) {
		const struct query *query = &comparison->set.queries[q];
		if (!is_in_row(comparison, query, row) || query->number % every)
			continue;
		n++;
		for (size_t e = 0; e < comparison->n_engines; e++)
			if (outcome_of(comparison, q, e)->is_asked &&
			    comparison->engines[e]->count_kind == COUNT_EXACT) {
				*hits_out += (double)outcome_of(comparison, q, e)->count;
				break;
			}
	}
	*hits_out /= n ? (double)n : 1;
	return n;
}

static void print_number(FILE *file, double value)
{
	if (isnan(value))
		fputs(" |", file);
	else if (value >= 99.5)
		fprintf(file, " %.0f |", value);
	else
		fprintf(file, " %.3g |", value);
}

static const char *row_name(const struct comparison *comparison, unsigned row)
{
	return row == ROW_AND      ? "**AND workload**"
	       : row == ROW_OR     ? "**OR workload**"
	       : row == ROW_NOT    ? "**NOT workload**"
	       : row == ROW_PHRASE ? "**phrase workload**"
	                           : comparison->set.classes[row];
}

/* The name of a row in the summary. */
static const char *row_key(const struct comparison *comparison, unsigned row)
{
	return row == ROW_AND      ? "AND"
	       : row == ROW_OR     ? "OR"
	       : row == ROW_NOT    ? "NOT"
	       : row == ROW_PHRASE ? "phrase"
	                           : comparison->set.classes[row];
}

/* The row after the last class is the first workload. */
static unsigned next_row(const struct comparison *comparison, unsigned row)
{
	return row + 1 == comparison->set.n_classes ? ROW_AND : row + 1;
}

/* True if a table of every `every`-th query shows the engine: one that runs exactly these queries
 * or, for comparison, the main one of a product that runs all queries. */
static bool is_shown(const struct engine *engine, unsigned every)
{
	bool is_main = !strchr(engine->name, '-') || strcmp(engine->name, "fts5-full") == 0;
	return engine->every == every || (engine->every == 1 && is_main);
}

static void print_head(const struct comparison *comparison, unsigned every, FILE *file)
{
	fputs("| class | queries | hits |", file);
	for (size_t e = 0; e < comparison->n_engines; e++)
		if (is_shown(comparison->engines[e], every))
			fprintf(file, " %s |", comparison->engines[e]->name);
	fputs("\n|---|--:|--:|", file);
	for (size_t e = 0; e < comparison->n_engines; e++)
		if (is_shown(comparison->engines[e], every))
			fputs("--:|", file);
	fputc('\n', file);
}

/* Prints a row of a table of times. base: the engine whose times are the unit;
 * comparison->n_engines: the unit is a microsecond. */
static void print_row(const struct comparison *comparison, unsigned row, unsigned every,
                      enum statistic statistic, size_t base, FILE *file)
{
	double hits;
	size_t n = row_queries(comparison, row, every, &hits);
	if (n == 0)
		return;
	fprintf(file, "| %s | %zu |", row_name(comparison, row), n);
	print_number(file, hits);
	for (size_t e = 0; e < comparison->n_engines; e++) {
		if (!is_shown(comparison->engines[e], every))
			continue;
		double value = time_of(comparison, e, row, every, statistic);
		print_number(file,
		             base == comparison->n_engines
		                     ? value
		                     : value / time_of(comparison, base, row, every, statistic));
	}
	fputc('\n', file);
}

static void print_table(const struct comparison *comparison, const char *title, unsigned every,
                        enum statistic statistic, size_t base, FILE *file)
{
	fprintf(file, "\n### %s\n\n", title);
	print_head(comparison, every, file);
	for (unsigned row = 0; row <= ROW_PHRASE; row = next_row(comparison, row))
		print_row(comparison, row, every, statistic, base, file);
}

static size_t engine_named(const struct comparison *comparison, const char *name)
{
	for (size_t e = 0; e < comparison->n_engines; e++)
		if (strcmp(comparison->engines[e]->name, name) == 0)
			return e;
	return comparison->n_engines;
}

static void print_ratios(const struct comparison *comparison, const char *name,
                         enum statistic statistic, FILE *file)
{
	size_t base = engine_named(comparison, name);
	if (base == comparison->n_engines || comparison->n_engines < 2)
		return;
	char *title = text_of("%s time as a multiple of `%s`",
	                      statistic == STATISTIC_MEAN ? "Mean" : "Median", name);
	print_table(comparison, title, 1, statistic, base, file);
	free(title);
}

/* Data read. */

/* Sets touched_out to the mean bytes of the index, bytes of texts and number of texts read, over
 * the queries of a row that the engine ran. Returns false if there are none, or if the engine does
 * not report the data read. */
static bool mean_touched(const struct comparison *comparison, size_t engine, unsigned row,
                         double touched_out[3])
{
	size_t n = 0;
	touched_out[0] = touched_out[1] = touched_out[2] = 0;
	for (size_t q = 0; q < comparison->set.n_queries; q++) {
		const struct outcome *outcome = outcome_of(comparison, q, engine);
		if (!outcome->touched.is_known ||
		    !is_in_row(comparison, &comparison->set.queries[q], row))
			continue;
		n++;
		touched_out[0] += (double)outcome->touched.index_bytes;
		touched_out[1] += (double)outcome->touched.text_bytes;
		touched_out[2] += (double)outcome->touched.n_texts;
	}
	for (int i = 0; i < 3 && n; i++)
		touched_out[i] /= (double)n;
	return n > 0;
}

/* True if the engine can read texts; only those of bitsift do. */
static bool reads_texts(const struct engine *engine)
{
	return strncmp(engine->name, "bitsift", 7) == 0;
}

/* True if the engine has a column in the table of data read: it is one of those listed here or,
 * with texts_only, reads texts; and the data that it read is known for at least one query. */
static bool is_touch_shown(const struct comparison *comparison, size_t engine, bool texts_only)
{
	const char *name = comparison->engines[engine]->name;
	if (texts_only ? !reads_texts(comparison->engines[engine])
	               : !is_listed("bitsift,bitsift-ids,bitsift-top,croaring,fts5-full", name))
		return false;
	for (size_t q = 0; q < comparison->set.n_queries; q++)
		if (outcome_of(comparison, q, engine)->touched.is_known)
			return true;
	return false;
}

/* Prints the data read. texts_only: only the number of texts, for engines that read any. */
static void print_touched(const struct comparison *comparison, const char *title, bool texts_only,
                          FILE *file)
{
	fprintf(file, "\n### %s\n\n| class |", title);
	for (size_t e = 0; e < comparison->n_engines; e++)
		if (is_touch_shown(comparison, e, texts_only))
			fprintf(file,
			        texts_only                            ? " %s |"
			        : reads_texts(comparison->engines[e]) ? " %s | texts, MB | texts |"
			                                              : " %s |",
			        comparison->engines[e]->name);
	fputs("\n|---|", file);
	for (size_t e = 0; e < comparison->n_engines; e++)
		if (is_touch_shown(comparison, e, texts_only))
			fputs(!texts_only && reads_texts(comparison->engines[e]) ? "--:|--:|--:|"
			                                                         : "--:|",
			      file);
	fputc('\n', file);
	for (unsigned row = 0; row <= ROW_PHRASE; row = next_row(comparison, row)) {
		double hits, mean[3];
		if (row_queries(comparison, row, 1, &hits) == 0)
			continue;
		fprintf(file, "| %s |", row_name(comparison, row));
		for (size_t e = 0; e < comparison->n_engines; e++) {
			if (!is_touch_shown(comparison, e, texts_only))
				continue;
			bool is_known = mean_touched(comparison, e, row, mean);
			if (!texts_only)
				print_number(file, is_known ? mean[0] / 1e6 : NAN);
			if (!texts_only && reads_texts(comparison->engines[e]))
				print_number(file, is_known ? mean[1] / 1e6 : NAN);
			if (reads_texts(comparison->engines[e]))
				print_number(file, is_known ? mean[2] : NAN);
		}
		fputc('\n', file);
	}
}

/* False candidates. */

static void print_false_candidates(const struct comparison *comparison, FILE *file, FILE *summary)
{
	size_t candidates = engine_named(comparison, "candidates"), exact = comparison->n_engines,
	       n = 0;
	double *values = grown(NULL, comparison->set.n_queries * sizeof(*values));
	for (size_t e = comparison->n_engines; e-- > 0;)
		if (comparison->engines[e]->count_kind == COUNT_EXACT &&
		    comparison->engines[e]->every == 1)
			exact = e;
	for (size_t q = 0; q < comparison->set.n_queries && exact < comparison->n_engines; q++) {
		const struct query *query = &comparison->set.queries[q];
		if (strncmp(comparison->set.classes[query->class_number], "and", 3) != 0 ||
		    candidates == comparison->n_engines ||
		    outcome_of(comparison, q, exact)->count == 0)
			continue;
		double hits = (double)outcome_of(comparison, q, exact)->count;
		values[n++] = ((double)outcome_of(comparison, q, candidates)->count - hits) / hits;
	}
	double median = statistic_of(values, n, STATISTIC_P50),
	       mean = statistic_of(values, n, STATISTIC_MEAN);
	if (n)
		fprintf(file,
		        "\nFalse candidates per true match, 2-4-word ANDs drawn from a document "
		        "(%zu queries): "
		        "median %.3f, mean %.3f, p95 %.3f.\n",
		        n, median, mean, statistic_of(values, n, STATISTIC_P95));
	if (n && summary)
		fprintf(summary, "false\t%.4f\t%.4f\n", median, mean);
	free(values);
}

/* All tables. */

static void write_summary(const struct comparison *comparison, FILE *summary)
{
	for (unsigned row = 0; row <= ROW_PHRASE; row = next_row(comparison, row))
		for (size_t e = 0; e < comparison->n_engines; e++) {
			const char *name = comparison->engines[e]->name;
			double mean = time_of(comparison, e, row, 1, STATISTIC_MEAN), touched[3];
			bool is_known = mean_touched(comparison, e, row, touched);
			if (is_known && bitsift_options.exhaustive)
				fprintf(summary, "read\t%s\t%s\t%.3f\n", row_key(comparison, row),
				        name, touched[2]);
			if (isnan(mean) || bitsift_options.exhaustive)
				continue;
			fprintf(summary, "time\t%s\t%s\t%.3f\t%.3f\t%.3f\n",
			        row_key(comparison, row), name, mean,
			        time_of(comparison, e, row, 1, STATISTIC_P50),
			        time_of(comparison, e, row, 1, STATISTIC_P95));
			if (is_known)
				fprintf(summary, "touched\t%s\t%s\t%.0f\t%.0f\t%.3f\n",
				        row_key(comparison, row), name, touched[0], touched[1],
				        touched[2]);
		}
}

static void report_exhaustive(const struct comparison *comparison, FILE *file, FILE *summary)
{
	print_touched(comparison, "Texts read, mean, where no count is a df", true, file);
	if (summary)
		write_summary(comparison, summary);
}

void compare_report(const struct comparison *comparison, FILE *file, FILE *summary)
{
	size_t none = comparison->n_engines;
	unsigned shown = 1;
	if (bitsift_options.exhaustive) {
		report_exhaustive(comparison, file, summary);
		return;
	}
	print_table(comparison, "Mean, microseconds a query", 1, STATISTIC_MEAN, none, file);
	print_table(comparison, "Median, microseconds", 1, STATISTIC_P50, none, file);
	print_table(comparison, "95th percentile, microseconds", 1, STATISTIC_P95, none, file);
	print_ratios(comparison, "bitsift", STATISTIC_MEAN, file);
	print_ratios(comparison, "bitsift", STATISTIC_P50, file);
	print_ratios(comparison, "candidates", STATISTIC_MEAN, file);
	for (size_t e = 0; e < comparison->n_engines; e++) {
		unsigned every = comparison->engines[e]->every;
		if (every <= shown) /* its table has been printed; see engines.c */
			continue;
		shown = every;
		char *title = text_of("Every %uth query: mean, microseconds", every);
		print_table(comparison, title, every, STATISTIC_MEAN, none, file);
		free(title);
	}
	print_touched(comparison, "Touched, mean, MB a query", false, file);
	print_false_candidates(comparison, file, summary);
	if (summary)
		write_summary(comparison, summary);
	if (comparison->n_wrong)
		fprintf(file, "\n**%zu queries have counts that disagree.**\n",
		        comparison->n_wrong);
	else
		fprintf(file, "\nAll engines agree in the counts of all %zu queries.\n",
		        comparison->set.n_queries);
}
