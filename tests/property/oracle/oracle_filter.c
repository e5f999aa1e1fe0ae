/* oracle_filter.c: random filters, and the documents that pass them. See oracle.h. */
#include "core/bitsift/search.h"
#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

/* A condition on a component of a path. A positive condition must hold for the last component; a
 * negated one must hold for none of them. */
enum asks {
	ENDS,
	BEGINS,
	IS,
};

struct oracle_glob {
	const char *glob;
	bool is_negated;
	enum asks asks;
	const char *text;
};

static const struct oracle_glob globs[] = {
	{"*.txt", false, ENDS, ".txt"},
	{"!*.txt", true, ENDS, ".txt"},
	{"*.jsonl", false, ENDS, ".jsonl"},
	{"!*.jsonl", true, ENDS, ".jsonl"},
	{"!a", true, IS, "a"},
	{"!a-b/", true, IS, "a-b"},
	{"b*", false, BEGINS, "b"},
	{"!notes*", true, BEGINS, "notes"},
};

const struct oracle_date oracle_dates[ORACLE_N_DATES] = {
	{"2017-09-01", 1504224000},
	{"2017-10", 1506816000},
	{"2018-01-15T12:00:00.000Z", 1516017600},
	{"2018-01-15 14:00+02:00", 1516017600},
	{"2018", 1514764800},
	{"2017-02-30", 0},
};

static const struct oracle_date *draw_date(void)
{
	return &oracle_dates[below(ORACLE_N_DATES - 1)];
}

/* Draws a document's path or one of its parent folders. */
static void draw_place(struct oracle_filter *filter, const struct oracle *oracle)
{
	const struct oracle_doc *doc = &oracle->docs.items[below(bs_vector_n(&oracle->docs))];
	snprintf(filter->place, sizeof(filter->place), "%s",
	         (const char *)oracle->bytes.data + doc->path_off);
	if (strcmp(filter->place, "-") == 0)
		filter->place[0] = '\0';
	for (uint32_t cuts = below(4); cuts > 0 && strchr(filter->place, '/'); cuts--)
		*strrchr(filter->place, '/') = '\0';
	snprintf(filter->spelt, sizeof(filter->spelt), "%s%s", by_chance(50) ? "./" : "",
	         filter->place);
}

void oracle_filter_draw(struct oracle_filter *filter, const struct oracle *oracle, bool has_times)
{
	*filter = (struct oracle_filter){.glob = NULL};
	if (by_chance(65))
		return;
	uint32_t what = below(5);
	if (what == 0 || by_chance(20))
		filter->glob = &globs[below(COUNT(globs))];
	if (what == 1 && by_chance(50))
		filter->type = by_chance(50) ? "txt" : "jsonl";
	else if (what == 1)
		filter->type_not = by_chance(50) ? "txt" : "jsonl";
	if (what == 2 && bs_vector_n(&oracle->docs) > 0)
		draw_place(filter, oracle);
	if (what == 4 || (what == 3 && has_times)) {
		filter->is_when = what == 4;
		uint32_t which = below(3);
		filter->newer = which < 2 ? draw_date() : NULL;
		filter->older = which > 0 ? draw_date() : NULL;
	}
}

void oracle_filter_ask(struct oracle_filter *filter, struct bs_search_request *request)
{
	filter->globs[0] = filter->glob ? filter->glob->glob : NULL;
	filter->types[0] = filter->type;
	filter->type_nots[0] = filter->type_not;
	filter->places[0] = *filter->place ? filter->spelt : NULL;
	request->filter.globs = filter->globs;
	request->filter.types = filter->types;
	request->filter.excluded_types = filter->type_nots;
	request->filter.places = filter->places;
	request->filter.newer = filter->newer ? filter->newer->text : NULL;
	request->filter.older = filter->older ? filter->older->text : NULL;
	request->filter.date_field = filter->is_when ? "when" : NULL;
}

static bool is_part(enum asks asks, const char *text, const char *part, size_t part_bytes)
{
	size_t n = strlen(text);
	if (asks == IS ? n != part_bytes : n > part_bytes)
		return false;
	return memcmp(asks == ENDS ? part + part_bytes - n : part, text, n) == 0;
}

/* Whether the condition holds for any component of the path, or for the last one if only_last. */
static bool has_part(enum asks asks, const char *text, const char *path, bool only_last)
{
	bool has = false;
	for (const char *part = path; part;) {
		size_t n = strcspn(part, "/");
		has = (has && !only_last) || is_part(asks, text, part, n);
		part = part[n] ? part + n + 1 : NULL;
	}
	return has;
}

/* A glob that ends in a slash applies to folders only. */
static bool passes_glob(const struct oracle_glob *glob, const char *path)
{
	char folder[256];
	snprintf(folder, sizeof(folder), "%s", path);
	bool is_of_folders = glob->glob[strlen(glob->glob) - 1] == '/';
	if (is_of_folders && !strchr(folder, '/'))
		return true;
	if (is_of_folders)
		*strrchr(folder, '/') = '\0';
	return has_part(glob->asks, glob->text, folder, !glob->is_negated) != glob->is_negated;
}

bool oracle_filter_passes(const struct oracle_filter *filter, const struct oracle *oracle,
                          const struct oracle_doc *doc)
{
	const char *path = (const char *)oracle->bytes.data + doc->path_off;
	int64_t seconds = filter->is_when ? doc->when_s : doc->mtime_s;
	bool has_time = filter->is_when ? doc->when_s != 0 : strcmp(path, "-") != 0;
	size_t n = strlen(filter->place);
	char ending[16];
	if (filter->glob && !passes_glob(filter->glob, path))
		return false;
	/* A positive glob that accepts the file overrides the types. */
	if ((filter->type || filter->type_not) && !(filter->glob && !filter->glob->is_negated)) {
		snprintf(ending, sizeof(ending), ".%s",
		         filter->type ? filter->type : filter->type_not);
		if (has_part(ENDS, ending, path, true) != !!filter->type)
			return false;
	}
	if (n > 0 && (strncmp(path, filter->place, n) != 0 || (path[n] && path[n] != '/')))
		return false;
	if ((filter->newer || filter->older) && !has_time)
		return false;
	return (!filter->newer || seconds >= filter->newer->seconds) &&
	       (!filter->older || seconds < filter->older->seconds);
}
