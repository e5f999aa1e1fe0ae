/* queries.c: reads the files of queries_choose.c. See queries.h. */
#include "bench/queries.h"

#include <stdlib.h>
#include <string.h>

#include "bench/tool.h"

static unsigned class_of(struct query_set *set, const char *name)
{
	for (unsigned i = 0; i < set->n_classes; i++)
		if (strcmp(set->classes[i], name) == 0)
			return i;
	if (set->n_classes == QUERY_MAX_CLASSES)
		die("more than %d classes of queries", QUERY_MAX_CLASSES);
	set->classes[set->n_classes] = text_of("%s", name);
	return set->n_classes++;
}

static char *query_text(const struct query *query)
{
	char *text = text_of("%s", query->is_phrase ? "\"" : "");
	for (unsigned i = 0; i < query->n_words; i++) {
		bool is_excluded = query->is_not && i + 1 == query->n_words;
		char *longer = text_of("%s%s%s%s", text, i ? " " : "", is_excluded ? "-" : "",
		                       query->words[i]);
		free(text);
		text = longer;
	}
	char *whole = text_of("%s%s", text, query->is_phrase ? "\"" : "");
	free(text);
	return whole;
}

/* Adds the query of a line, if its class is listed. The line has no line feed and is modified. */
static void add_query(struct query_set *set, const char *path, const char *classes, char *line)
{
	struct query query = {0};
	char *rest = line;
	const char *class_name = strsep(&rest, "\t");
	const char *kind = strsep(&rest, "\t");
	if (!kind || !rest)
		die("%s: not a line of queries: %s", path, line);
	if (!is_listed(classes, class_name))
		return;
	query.is_phrase = strcmp(kind, "phrase") == 0;
	query.is_any = strcmp(kind, "or") == 0;
	query.is_not = strcmp(kind, "not") == 0;
	for (const char *word; query.n_words < QUERY_MAX_WORDS && (word = strsep(&rest, "\t"));)
		query.words[query.n_words++] = text_of("%s", word);
	query.class_number = class_of(set, class_name);
	for (size_t i = 0; i < set->n_queries; i++)
		query.number += set->queries[i].class_number == query.class_number;
	query.text = query_text(&query);
	set->queries = grown(set->queries, (set->n_queries + 1) * sizeof(query));
	set->queries[set->n_queries++] = query;
}

void queries_read(const char *path, const char *classes, struct query_set *set_out)
{
	FILE *file = open_file(path, "r");
	char *line = NULL;
	size_t capacity = 0;
	*set_out = (struct query_set){0};
	for (ssize_t n; (n = getline(&line, &capacity, file)) > 0;) {
		line[n - 1] = '\0';
		add_query(set_out, path, classes, line);
	}
	free(line);
	close_file(file, path);
	if (set_out->n_queries == 0)
		die("%s: no queries of the classes asked for", path);
}

void queries_free(struct query_set *set)
{
	for (size_t i = 0; i < set->n_queries; i++) {
		for (unsigned w = 0; w < set->queries[i].n_words; w++)
			free(set->queries[i].words[w]);
		free(set->queries[i].text);
	}
	for (unsigned i = 0; i < set->n_classes; i++)
		free(set->classes[i]);
	free(set->queries);
}
