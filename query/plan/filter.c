/* filter.c: see filter.h. The selection is stored as one string, by which the next selection is
 * recognised as equal. */
#include "query/plan/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/date.h"
#include "core/base/hash.h"
#include "core/base/value.h"
#include "core/system/deadline.h"
#include "corpus/read/record.h"
#include "corpus/read/record_scan.h"
#include "corpus/walk/file.h"
#include "corpus/walk/file_types.h"
#include "corpus/walk/ignore.h"

enum memo {
	MEMO_EMPTY, /* Not computed. Zero, as calloc leaves it. */
	MEMO_OUT,
	MEMO_IN,
};

/* The filter's data about one index of the list. */
struct index_part {
	const struct bs_snapshot *snapshot;
	struct bs_snapshot_loader *snapshot_loader;
	/* The real path of each source, or NULL if it is not determined yet. */
	char **source_places;
	/* For each source, an enum memo that is valid for all its records. */
	uint8_t *memo_sources;
};

/* The criteria of the selection, compiled. */
struct criteria {
	struct bs_ignore globs;
	struct bs_file_types *types; /* The selected file types; NULL: any type. */
	/* Documents must be at or below one of these real paths, each NUL-terminated. That of the
	 * root is empty. */
	struct bs_buffer places;
	struct bs_moment newer, older; /* The times that pass are >= newer and < older. */
	bool has_time;
	/* The field that has the date, borrowed from `asked`. NULL: the file's time counts. */
	const char *date_field[1];
	struct bs_range dates; /* `newer` and `older` as a range of values of the field. */
};

struct bs_filter {
	const struct bs_snapshot_list *list;
	struct bs_loader *loader;
	/* The selection as a string: for each criterion a letter (enum asks) and a NUL-terminated
	 * text. next: scratch for the next selection. */
	struct bs_buffer asked, next;
	struct criteria criteria;
	/* Finds the date field in the line of a record; if that fails, `parser` parses the line. */
	struct bs_record_scan scan;
	struct bs_record_parser *parser;
	/* The real path of the working directory; NULL: not needed yet. */
	char *current;
	struct index_part *parts; /* One per index of the list. */
	/* For each segment of the list, an array with an enum memo for each document; NULL: nothing
	 * computed yet. */
	uint8_t **memo;
	struct bs_buffer path;   /* The path of the document being checked. */
	struct bs_buffer folder; /* The folder for which is_folder_out is valid. */
	bool is_folder_out;      /* The globs exclude `folder`, and thereby everything in it. */
};

static enum bs_status make_part(const struct bs_filter *filter, uint32_t entry,
                                struct bs_error *err)
{
	struct index_part *part = &filter->parts[entry];
	part->snapshot = filter->list->entries[entry].snapshot;
	part->snapshot_loader = bs_loader_snapshot_loader(filter->loader, entry);
	size_t n_sources = (size_t)part->snapshot->manifest.n_sources + 1;
	part->source_places = calloc(n_sources, sizeof(*part->source_places));
	part->memo_sources = calloc(n_sources, 1);
	return part->source_places && part->memo_sources
	               ? BS_OK
	               : bs_fail_memory(err, "a filter", n_sources * sizeof(void *));
}

enum bs_status bs_filter_new(struct bs_loader *loader, struct bs_filter **filter_out,
                             struct bs_error *err)
{
	struct bs_filter *filter = calloc(1, sizeof(*filter));
	*filter_out = filter;
	if (!filter)
		return bs_fail_memory(err, "a filter", sizeof(*filter));
	filter->list = bs_loader_list(loader);
	filter->loader = loader;
	filter->parts = calloc(filter->list->n_entries, sizeof(*filter->parts));
	filter->memo = calloc(filter->list->n_segments, sizeof(*filter->memo));
	enum bs_status status = BS_OK;
	if (!filter->parts || !filter->memo)
		status = bs_fail_memory(err, "a filter", filter->list->n_segments * sizeof(void *));
	for (uint32_t i = 0; i < filter->list->n_entries && !status; i++)
		status = make_part(filter, i, err);
	if (status) {
		bs_filter_free(filter);
		*filter_out = NULL;
	}
	return status;
}

/* Removes the selection and all results computed for it. */
static void forget(struct bs_filter *filter)
{
	struct criteria *criteria = &filter->criteria;
	bs_buffer_clear(&filter->asked);
	bs_buffer_clear(&filter->folder);
	bs_buffer_clear(&criteria->places);
	bs_ignore_deinit(&criteria->globs);
	bs_file_types_free(criteria->types);
	*criteria = (struct criteria){.places = criteria->places};
	bs_record_scan_deinit(&filter->scan);
	filter->scan = (struct bs_record_scan){.options = {.id_field = NULL}};
	bs_record_parser_free(filter->parser);
	filter->parser = NULL;
	for (uint32_t i = 0; filter->parts && i < filter->list->n_entries; i++)
		if (filter->parts[i].memo_sources)
			memset(filter->parts[i].memo_sources, MEMO_EMPTY,
			       filter->parts[i].snapshot->manifest.n_sources);
	for (uint32_t s = 0; filter->memo && s < filter->list->n_segments; s++) {
		free(filter->memo[s]);
		filter->memo[s] = NULL;
	}
}

void bs_filter_free(struct bs_filter *filter)
{
	if (!filter)
		return;
	forget(filter);
	for (uint32_t i = 0; filter->parts && i < filter->list->n_entries; i++) {
		struct index_part *part = &filter->parts[i];
		for (uint32_t k = 0; part->source_places && k < part->snapshot->manifest.n_sources;
		     k++)
			free(part->source_places[k]);
		free(part->source_places);
		free(part->memo_sources);
	}
	free(filter->parts);
	free(filter->memo);
	free(filter->current);
	bs_buffer_deinit(&filter->asked);
	bs_buffer_deinit(&filter->next);
	bs_buffer_deinit(&filter->criteria.places);
	bs_buffer_deinit(&filter->path);
	bs_buffer_deinit(&filter->folder);
	free(filter);
}

/* The letters that mark the criteria in the string of a selection (bs_filter.asked). */
enum asks {
	ASKS_GLOB = 'g',
	ASKS_TYPE = 't',
	ASKS_NO_TYPE = 'T',
	ASKS_PLACE = 'i',
	ASKS_NEWER = 'n',
	ASKS_OLDER = 'o',
	ASKS_FIELD = 'd',
};

static enum bs_status write_ask(struct bs_buffer *to, char letter, const char *text,
                                struct bs_error *err)
{
	enum bs_status status = text ? bs_buffer_append(to, &letter, 1, err) : BS_OK;
	return status || !text ? status : bs_buffer_append(to, text, strlen(text) + 1, err);
}

static enum bs_status write_asks(const struct bs_selection *selection, struct bs_buffer *to,
                                 struct bs_error *err)
{
	const struct {
		char letter;
		const char *const *list;
	} lists[] = {{ASKS_GLOB, selection->globs},
	             {ASKS_TYPE, selection->types},
	             {ASKS_NO_TYPE, selection->type_nots},
	             {ASKS_PLACE, selection->places}};
	enum bs_status status = BS_OK;
	bs_buffer_clear(to);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (const char *const *item = lists[i].list; item && *item && !status; item++)
			status = write_ask(to, lists[i].letter, *item, err);
	if (!status)
		status = write_ask(to, ASKS_NEWER, selection->newer, err);
	if (!status)
		status = write_ask(to, ASKS_OLDER, selection->older, err);
	return status ? status : write_ask(to, ASKS_FIELD, selection->date_field, err);
}

static enum bs_status take_type(struct bs_filter *filter, const char *name, bool is_negated,
                                struct bs_error *err)
{
	enum bs_status status =
		filter->criteria.types ? BS_OK : bs_file_types_new(&filter->criteria.types, err);
	return status ? status
	              : bs_file_types_choose(filter->criteria.types, name, is_negated, err);
}

/* Makes the real path of `path`. If `path` does not exist: the real path of its nearest existing
 * ancestor, followed by the rest of `path` unchanged. */
static enum bs_status find_place(const char *path, char **place_out, struct bs_error *err)
{
	struct bs_buffer joined = {0};
	char *above = strdup(path), *real = NULL;
	enum bs_status status = above ? bs_file_real_path(path, &real, err)
	                              : bs_fail_memory(err, "a path", strlen(path));
	size_t n_rest = 0;
	while (!status && !real) {
		char *slash = strrchr(above, '/');
		n_rest = strlen(path) - (slash ? (size_t)(slash - above) + 1 : 0);
		if (slash)
			*slash = '\0';
		status = bs_file_real_path(slash ? slash > above ? above : "/" : ".", &real, err);
		if (!slash)
			break;
	}
	if (!status)
		status = bs_buffer_append(&joined, real ? real : "", real ? strlen(real) : 0, err);
	if (!status && n_rest > 0)
		status = bs_buffer_append(&joined, "/", 1, err);
	if (!status)
		status = bs_buffer_append(&joined, path + strlen(path) - n_rest, n_rest, err);
	while (!status && joined.used_bytes > 0 && joined.data[joined.used_bytes - 1] == '/')
		joined.used_bytes--;
	if (!status)
		status = bs_buffer_append(&joined, "", 1, err);
	free(above);
	free(real);
	if (status)
		bs_buffer_deinit(&joined);
	*place_out = (char *)joined.data;
	return status;
}

static enum bs_status find_source_place(struct index_part *part, uint32_t number,
                                        const char **place_out, struct bs_error *err);

static bool is_at_or_below(const char *place, const char *other)
{
	return bs_path_is_at_or_below(place, (const uint8_t *)other, strlen(other));
}

/* Whether a place is at, above or below a source of the index. */
static enum bs_status is_place_in_part(struct index_part *part, const char *place,
                                       bool *is_indexed_out, struct bs_error *err)
{
	bool is_indexed = false;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < part->snapshot->manifest.n_sources && !status && !is_indexed;
	     i++) {
		const char *of_source;
		/* A collection in a folder is covered by its folder. */
		if (part->snapshot->manifest.sources[i].parent)
			continue;
		status = find_source_place(part, i, &of_source, err);
		is_indexed = !status &&
		             (is_at_or_below(place, of_source) || is_at_or_below(of_source, place));
	}
	*is_indexed_out = is_indexed;
	return status;
}

/* Whether a place is at, above or below a source of some index. If not, the selection is
 * invalid. */
static enum bs_status is_place_indexed(struct bs_filter *filter, const char *place,
                                       bool *is_indexed_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*is_indexed_out = false;
	for (uint32_t i = 0; i < filter->list->n_entries && !status && !*is_indexed_out; i++)
		status = is_place_in_part(&filter->parts[i], place, is_indexed_out, err);
	return status;
}

enum bs_status bs_filter_has_place(struct bs_filter *filter, const char *path, uint32_t entry,
                                   bool *has_out, struct bs_error *err)
{
	char *place;
	enum bs_status status = find_place(path, &place, err);
	if (!status)
		status = is_place_in_part(&filter->parts[entry], place, has_out, err);
	free(place);
	return status;
}

static enum bs_status take_place(struct bs_filter *filter, const char *path, struct bs_error *err)
{
	char *place;
	bool is_indexed = false;
	enum bs_status status = find_place(path, &place, err);
	if (!status)
		status = is_place_indexed(filter, place, &is_indexed, err);
	if (!status && !is_indexed)
		status = bs_fail(err, BS_NOT_FOUND, "%s: not in this index", path);
	if (!status)
		status = bs_buffer_append(&filter->criteria.places, place, strlen(place) + 1, err);
	free(place);
	return status;
}

static enum bs_status take_date(struct bs_filter *filter, const char *text,
                                struct bs_moment *start_out, struct bs_error *err)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	filter->criteria.has_time = true;
	if (bs_date_parse_or_age((const uint8_t *)text, strlen(text),
	                         (struct bs_moment){now.tv_sec, (uint32_t)now.tv_nsec}, start_out))
		return BS_OK;
	return bs_fail(err, BS_INVALID, "%s: not a date like 2024-05-17, 2024-05-17T08:30 or 3d",
	               text);
}

/* Makes the record parser for a date field. The parser borrows its options, which are members of
 * the filter. */
static enum bs_status take_field(struct bs_filter *filter, const char *name, struct bs_error *err)
{
	filter->criteria.date_field[0] = name;
	filter->scan.options = (struct bs_record_options){
		.text_fields = filter->criteria.date_field, .n_text_fields = 1};
	return bs_record_parser_new(&filter->scan.options, &filter->parser, err);
}

static enum bs_status take_ask(struct bs_filter *filter, const char *ask, struct bs_error *err)
{
	const char *text = ask + 1;
	switch ((enum asks) * ask) {
	case ASKS_GLOB:
		return bs_ignore_add_line(&filter->criteria.globs, (const uint8_t *)text,
		                          strlen(text), err);
	case ASKS_TYPE:
	case ASKS_NO_TYPE:
		return take_type(filter, text, *ask == ASKS_NO_TYPE, err);
	case ASKS_PLACE:
		return take_place(filter, text, err);
	case ASKS_NEWER:
		return take_date(filter, text, &filter->criteria.newer, err);
	case ASKS_OLDER:
		return take_date(filter, text, &filter->criteria.older, err);
	case ASKS_FIELD:
		return take_field(filter, text, err);
	}
	return BS_OK;
}

/* True if the text is not a date. It is then an age, which is another moment in each call. */
static bool is_age(const char *text)
{
	struct bs_moment start;
	return text && !bs_date_parse((const uint8_t *)text, strlen(text), &start);
}

enum bs_status bs_filter_begin(struct bs_filter *filter, const struct bs_selection *selection,
                               bool *is_any_out, struct bs_error *err)
{
	struct bs_buffer *asked = &filter->asked, *next = &filter->next;
	enum bs_status status = write_asks(selection, next, err);
	*is_any_out = next->used_bytes == 0;
	if (status || *is_any_out)
		return status;
	if (!is_age(selection->newer) && !is_age(selection->older) &&
	    asked->used_bytes == next->used_bytes &&
	    memcmp(asked->data, next->data, next->used_bytes) == 0)
		return BS_OK;
	forget(filter);
	filter->criteria.newer = (struct bs_moment){INT64_MIN, 0};
	filter->criteria.older = (struct bs_moment){INT64_MAX, 0};
	status = bs_buffer_append(asked, next->data, next->used_bytes, err);
	for (size_t at = 0; at < asked->used_bytes && !status;
	     at += strlen((const char *)asked->data + at) + 1)
		status = take_ask(filter, (const char *)asked->data + at, err);
	if (!status && filter->criteria.types)
		status = bs_file_types_finish(filter->criteria.types, err);
	bs_range_of_dates(bs_moment_us(filter->criteria.newer),
	                  bs_moment_us(filter->criteria.older), &filter->criteria.dates);
	if (status)
		forget(filter);
	return status;
}

bool bs_filter_dates(const struct bs_filter *filter, const struct bs_selection *selection,
                     const struct bs_term_table *fields, struct bs_query_range *dates_out)
{
	const char *field = filter->criteria.date_field[0];
	if (!field || !bs_term_table_find(fields, (const uint8_t *)field, (uint32_t)strlen(field),
	                                  bs_hash_slot(field, strlen(field)), &dates_out->field))
		return false;
	dates_out->values = filter->criteria.dates;
	snprintf(dates_out->text, sizeof(dates_out->text), "%.30s..%.30s",
	         selection->newer ? selection->newer : "",
	         selection->older ? selection->older : "");
	return true;
}

bool bs_filter_has_more(const struct bs_filter *filter)
{
	return filter->criteria.types || bs_ignore_n_rules(&filter->criteria.globs) > 0 ||
	       filter->criteria.places.used_bytes > 0;
}

/* Whether a time is in the selected range. code: the time as bs_moment_code returns it. */
static bool passes_time(const struct bs_filter *filter, int64_t code)
{
	bool is_open = filter->criteria.older.seconds == INT64_MAX;
	return code >= bs_moment_code(filter->criteria.newer) &&
	       (is_open || code < bs_moment_code(filter->criteria.older));
}

/* Finds the real path of an inner collection: the folder's, joined with the path below it. */
static enum bs_status find_inner_place(struct index_part *part, uint32_t number,
                                       const char **place_out, struct bs_error *err)
{
	const struct bs_source *source = bs_snapshot_load_source(part->snapshot_loader, number);
	struct bs_buffer place = {0};
	const char *folder;
	enum bs_status status = find_source_place(
		part, bs_manifest_root(&part->snapshot->manifest, number), &folder, err);
	if (!status)
		status = bs_file_join(folder, source->below, strlen(source->below), &place, err);
	part->source_places[number] = (char *)place.data;
	*place_out = part->source_places[number];
	return status;
}

/* Finds the real path of a source. A refused source is not looked up in the file system; its
 * recorded path is used. */
static enum bs_status find_source_place(struct index_part *part, uint32_t number,
                                        const char **place_out, struct bs_error *err)
{
	const struct bs_source *source = bs_snapshot_load_source(part->snapshot_loader, number);
	char **place = &part->source_places[number];
	enum bs_status status = BS_OK;
	if (!*place && source->is_inner)
		return find_inner_place(part, number, place_out, err);
	if (!*place && source->is_refused) {
		*place = strdup(source->path);
		status = *place ? BS_OK : bs_fail_memory(err, "a path", strlen(source->path));
	} else if (!*place) {
		status = find_place(source->path, place, err);
	}
	*place_out = *place;
	return status;
}

/* Whether the document or its whole source is at or below one of the selected places. */
static enum bs_status passes_place(const struct bs_filter *filter, struct index_part *part,
                                   const struct bs_doc_record *record, bool *passes_out,
                                   struct bs_error *err)
{
	const struct bs_source *source =
		bs_snapshot_load_source(part->snapshot_loader, record->source);
	const char *is_at;
	*passes_out = false;
	if (source->kind == BS_SOURCE_STDIN)
		return BS_OK;
	enum bs_status status = find_source_place(part, record->source, &is_at, err);
	for (size_t i = 0; i < filter->criteria.places.used_bytes && !status && !*passes_out;) {
		const char *place = (const char *)filter->criteria.places.data + i;
		size_t n = strlen(is_at);
		*passes_out = is_at_or_below(place, is_at);
		if (source->kind == BS_SOURCE_FOLDER && is_at_or_below(is_at, place))
			*passes_out |=
				place[n] && bs_path_is_at_or_below(place + n + 1, record->name,
			                                           record->name_bytes);
		i += strlen(place) + 1;
	}
	return status;
}

/* Whether the globs exclude or include a path, by the rules that apply when a folder is indexed.
 * off: see find_off. */
static enum bs_ignore_verdict ask_globs(const struct bs_filter *filter,
                                        const struct bs_ignore_entry *entry, size_t off)
{
	return bs_ignore_as_globs(bs_ignore_match(&filter->criteria.globs, entry, off),
	                          filter->criteria.globs.n_plain, entry->is_folder);
}

/* Whether the globs exclude a folder on the path, and thereby everything in it. The last result is
 * cached, because adjacent documents are often in the same folder. */
static enum bs_status is_folder_out(struct bs_filter *filter, size_t off, size_t name_off,
                                    bool *is_out_out, struct bs_error *err)
{
	const uint8_t *path = filter->path.data;
	struct bs_buffer *folder = &filter->folder;
	size_t name_at = off;
	*is_out_out = false;
	if (filter->criteria.globs.n_plain == bs_ignore_n_rules(&filter->criteria.globs) ||
	    name_off == off)
		return BS_OK;
	*is_out_out = filter->is_folder_out;
	if (folder->used_bytes == name_off && memcmp(folder->data, path, name_off) == 0)
		return BS_OK;
	*is_out_out = false;
	for (size_t at = off; at < name_off && !*is_out_out; at++) {
		struct bs_ignore_entry entry = {
			.path = path, .path_bytes = at, .name_off = name_at, .is_folder = true};
		if (path[at] != '/')
			continue;
		*is_out_out = at > name_at && ask_globs(filter, &entry, off) == BS_IGNORE_SKIP;
		name_at = at + 1;
	}
	filter->is_folder_out = *is_out_out;
	bs_buffer_clear(folder);
	return bs_buffer_append(folder, path, name_off, err);
}

/* Finds the part of the path that globs are matched against. For an absolute path inside the
 * working directory, this is the path relative to it; otherwise the whole path. *off_out: its
 * offset. */
static enum bs_status find_off(struct bs_filter *filter, size_t *off_out, struct bs_error *err)
{
	const char *path = (const char *)filter->path.data;
	enum bs_status status = BS_OK;
	*off_out = 0;
	if (*path != '/')
		return BS_OK;
	if (!filter->current)
		status = bs_file_real_path(".", &filter->current, err);
	size_t n = filter->current ? strlen(filter->current) : 0;
	if (!status && n > 0 &&
	    bs_path_is_at_or_below(filter->current, filter->path.data, filter->path.used_bytes))
		*off_out = n + (path[n] == '/');
	return status;
}

static enum bs_status passes_path(struct bs_filter *filter, const struct index_part *part,
                                  const struct bs_doc_record *record, bool *passes_out,
                                  struct bs_error *err)
{
	size_t off = 0;
	bool is_out = false;
	enum bs_ignore_verdict verdict = BS_IGNORE_SILENT;
	*passes_out = false;
	enum bs_status status =
		bs_snapshot_load_path(part->snapshot_loader, record, &filter->path, err);
	if (status)
		return status;
	const char *path = (const char *)filter->path.data, *slash = strrchr(path, '/');
	size_t name_off = slash ? (size_t)(slash - path) + 1 : 0;
	if (bs_ignore_n_rules(&filter->criteria.globs) > 0) {
		status = find_off(filter, &off, err);
		if (!status)
			status = is_folder_out(filter, off, name_off, &is_out, err);
		struct bs_ignore_entry entry = {.path = filter->path.data,
		                                .path_bytes = filter->path.used_bytes,
		                                .name_off = name_off};
		verdict = is_out ? BS_IGNORE_SKIP : ask_globs(filter, &entry, off);
	}
	if (verdict == BS_IGNORE_SILENT && filter->criteria.types)
		verdict = bs_file_types_match(filter->criteria.types, path + name_off);
	*passes_out = !status && verdict != BS_IGNORE_SKIP;
	return status;
}

/* Finds the mtime of a file in its recorded fingerprint. */
static enum bs_status find_mtime(const struct bs_list_segment *segment, uint32_t document,
                                 const struct bs_doc_record *record, uint64_t *mtime_ns_out,
                                 struct bs_error *err)
{
	*mtime_ns_out = record->place[1];
	if (!segment->segment)
		return BS_OK;
	return bs_packed_get(&segment->segment->docs.places[1], document, mtime_ns_out, err);
}

/* Estimated nanoseconds to check a document. */
#define LOOK_NS 300u

/* Whether a document passes all criteria that need no text; checks the cheapest first. All records
 * of a source have the same result. */
static enum bs_status look(struct bs_filter *filter, struct bs_doc_ref ref,
                           const struct bs_doc_record *record, bool *passes_out,
                           struct bs_error *err)
{
	const struct bs_list_segment *segment = bs_list_segment(filter->list, ref.segment);
	const struct bs_source_record *source =
		&segment->snapshot->manifest.sources[record->source];
	struct index_part *part = &filter->parts[segment->entry];
	enum bs_status status = BS_OK;
	*passes_out = true;
	if (filter->criteria.has_time && !filter->criteria.date_field[0]) {
		uint64_t mtime_ns = source->fingerprint[1];
		if (source->kind == BS_SOURCE_FOLDER || source->kind == BS_SOURCE_FILE)
			status = find_mtime(segment, ref.document, record, &mtime_ns, err);
		*passes_out = !status && source->kind != BS_SOURCE_STDIN &&
		              passes_time(filter, (int64_t)mtime_ns);
	}
	if (*passes_out && filter->criteria.places.used_bytes > 0)
		status = passes_place(filter, part, record, passes_out, err);
	if (!status && *passes_out &&
	    (filter->criteria.types || bs_ignore_n_rules(&filter->criteria.globs) > 0))
		status = passes_path(filter, part, record, passes_out, err);
	return status;
}

enum bs_status bs_filter_passes(struct bs_filter *filter, struct bs_doc_ref ref, bool *passes_out,
                                struct bs_error *err)
{
	const struct bs_list_segment *segment = bs_list_segment(filter->list, ref.segment);
	const struct index_part *part = &filter->parts[segment->entry];
	uint8_t **memo = &filter->memo[ref.segment];
	struct bs_doc_record record;
	if (!*memo && !(*memo = calloc((size_t)segment->n_docs + 1, 1)))
		return bs_fail_memory(err, "a filter", segment->n_docs);
	*passes_out = (*memo)[ref.document] == MEMO_IN;
	if ((*memo)[ref.document] != MEMO_EMPTY)
		return BS_OK;
	enum bs_status status = bs_deadline_check_after(LOOK_NS, err);
	if (!status)
		status = bs_snapshot_name(segment->snapshot, bs_list_own_ref(filter->list, ref),
		                          &record, err);
	if (status)
		return status;
	bool is_record = bs_source_has_records(
		bs_snapshot_load_source(part->snapshot_loader, record.source));
	uint8_t *memo_source = &part->memo_sources[record.source];
	*passes_out = *memo_source == MEMO_IN;
	if (!is_record || *memo_source == MEMO_EMPTY)
		status = look(filter, ref, &record, passes_out, err);
	if (status)
		return status;
	(*memo)[ref.document] = *passes_out ? MEMO_IN : MEMO_OUT;
	if (is_record)
		*memo_source = (*memo)[ref.document];
	return BS_OK;
}

bool bs_filter_asks_text(const struct bs_filter *filter)
{
	return filter->criteria.date_field[0];
}

/* Finds the current line of JSON of a record. *line_out is NULL if the document is not a record, is
 * gone or unreadable, or if its text comes from the application without a line (struct
 * bs_text_provider). In the last case, its fields are in *document_out. */
static enum bs_status find_line(struct bs_filter *filter, struct bs_doc_ref ref,
                                const uint8_t **line_out, size_t *line_bytes_out,
                                struct bs_document *document_out, struct bs_error *err)
{
	struct bs_document document;
	enum bs_load_state fetched;
	const struct bs_list_segment *segment = bs_list_segment(filter->list, ref.segment);
	const struct index_part *part = &filter->parts[segment->entry];
	enum bs_status status = bs_loader_line(filter->loader, ref, line_out, line_bytes_out, err);
	if (status || *line_out)
		return status;
	struct bs_doc_record record;
	status = bs_snapshot_name(segment->snapshot, bs_list_own_ref(filter->list, ref), &record,
	                          err);
	if (status ||
	    !bs_source_has_records(bs_snapshot_load_source(part->snapshot_loader, record.source)))
		return status;
	status = bs_load(filter->loader, ref, &document, &fetched, err);
	if (status || fetched == BS_LOADED_GONE || fetched == BS_LOADED_FAILED)
		return status;
	*line_out = document.raw.bytes;
	*line_bytes_out = (size_t)document.raw.n_bytes;
	*document_out = document;
	return BS_OK;
}

enum bs_status bs_filter_passes_text(struct bs_filter *filter, struct bs_doc_ref ref,
                                     bool *passes_out, struct bs_error *err)
{
	struct bs_document document = {0};
	struct bs_refusal refusal = {0};
	const uint8_t *line = NULL;
	size_t line_bytes = 0;
	bool is_known = false;
	struct bs_value value;
	*passes_out = false;
	enum bs_status status = find_line(filter, ref, &line, &line_bytes, &document, err);
	if (!status && line)
		status = bs_record_scan_line(&filter->scan, line, line_bytes, false, &document,
		                             &is_known, err);
	if (!status && line && !is_known)
		status =
			bs_record_parse(filter->parser, line, line_bytes, &document, &refusal, err);
	for (size_t i = 0; i < document.text.n_fields && !status && !refusal.reason && !*passes_out;
	     i++) {
		const struct bs_field *field = &document.text.fields[i];
		*passes_out =
			bs_record_is_text(&filter->scan.options, field->name, field->name_bytes) &&
			bs_value_parse(field->text, field->text_bytes, &value) &&
			bs_range_has(&filter->criteria.dates, &value);
	}
	return status;
}
