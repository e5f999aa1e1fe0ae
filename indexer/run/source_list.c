/* source_list.c: see source_list.h. */
#include "indexer/run/source_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vector.h"
#include "core/bitsift/build.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"
#include "corpus/walk/file.h"

#define NONE UINT32_MAX

struct listing {
	struct bs_source_list *list;
	struct bs_index_writer *writer;
	const struct bs_source_list_request *request;
	struct bs_manifest *manifest; /* the writer's manifest */
};

void bs_source_list_deinit(struct bs_source_list *list)
{
	char **strings = list->strings.items;
	for (uint32_t i = 0; i < list->n_sources; i++) {
		free(list->sources[i].place);
		free(list->sources[i].parts);
	}
	for (size_t i = 0; i < bs_vector_n(&list->strings); i++)
		free(strings[i]);
	free(list->sources);
	free(list->moves);
	bs_vector_deinit(&list->strings);
	*list = (struct bs_source_list){.n_sources = 0};
}

/* Concatenates a, b and c. The list owns the string. */
static enum bs_status keep_string(struct bs_source_list *list, const char *a, const char *b,
                                  const char *c, const char **kept_out, struct bs_error *err)
{
	size_t n_bytes = strlen(a) + strlen(b) + strlen(c) + 1;
	char *kept = malloc(n_bytes);
	*kept_out = kept;
	if (!kept)
		return bs_fail_memory(err, "a path", n_bytes);
	stpcpy(stpcpy(stpcpy(kept, a), b), c);
	enum bs_status status = bs_vector_append(&list->strings, &kept, err);
	if (status)
		free(kept);
	return status;
}

static const char *name_of(const struct bs_source_record *record)
{
	return record->label[0] ? record->label : ".";
}

static void notice(const struct listing *at, const char *format, ...) BS_PRINTF(2, 3);
static void notice(const struct listing *at, const char *format, ...)
{
	const struct bs_build_request *request = at->writer->request;
	char text[512];
	struct bs_error line;
	va_list arguments;
	if (!request->callbacks.notice)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	(void)bs_fail(&line, BS_OK, "%s", text);
	request->callbacks.notice(request->callbacks.context, line.text);
}

/* Determines `place`, the path of a source without symlinks (if it is refused: the recorded path,
 * made absolute), and is_followed: whether the source may be read. */
static enum bs_status locate(const struct listing *at, const struct bs_source_record *record,
                             struct bs_listed_source *listed, struct bs_error *err)
{
	struct bs_source source;
	enum bs_status status = bs_recorded_root(at->writer->dir, record, &source, err);
	if (status)
		return status;
	*listed =
		(struct bs_listed_source){.is_followed = !source.is_refused, .old = BS_SOURCE_GONE};
	status = bs_recorded_canonical(at->writer->dir, source.kind, record->path,
	                               source.is_refused, &listed->place, err);
	bs_source_deinit(&source);
	return status;
}

/* Appends a source; takes ownership of listed->place. */
static enum bs_status append(struct listing *at, const struct bs_source_record *record,
                             struct bs_listed_source *listed, struct bs_error *err)
{
	struct bs_source_list *list = at->list;
	size_t n_bytes = ((size_t)list->n_sources + 1) * sizeof(*list->sources);
	struct bs_listed_source *sources = realloc(list->sources, n_bytes);
	enum bs_status status =
		sources ? BS_OK : bs_fail_memory(err, "the list of sources", n_bytes);
	if (sources)
		list->sources = sources;
	if (!status)
		status = bs_manifest_add_source(at->manifest, record, err);
	if (status) {
		free(listed->place);
		return status;
	}
	list->sources[list->n_sources++] = *listed;
	return BS_OK;
}

/* Finds, among the listed sources that are not inner collections, standard input if `kind` is
 * BS_SOURCE_STDIN, otherwise the source with this recorded path or this canonical path (place).
 * Returns its number; NONE: not listed. */
static uint32_t find_same(const struct listing *at, uint32_t kind, const char *place,
                          const char *path)
{
	for (uint32_t i = 0; i < at->list->n_sources; i++) {
		const struct bs_source_record *record = &at->manifest->sources[i];
		const char *known = at->list->sources[i].place;
		if (record->kind == BS_SOURCE_FORGOTTEN || record->parent ||
		    (record->kind == BS_SOURCE_STDIN) != (kind == BS_SOURCE_STDIN))
			continue;
		if (kind == BS_SOURCE_STDIN || strcmp(record->path, path) == 0 ||
		    (known && place && strcmp(known, place) == 0))
			return i;
	}
	return NONE;
}

/* The path of `place` below source i; NULL if i is restored, or no folder that contains place. */
static const char *find_below(const struct listing *at, uint32_t i, const char *place)
{
	const char *folder = at->list->sources[i].place;
	bool is_read = !at->list->sources[i].is_restored;
	const char *below =
		folder && place && is_read && at->manifest->sources[i].kind == BS_SOURCE_FOLDER
			? bs_recorded_below(folder, place)
			: NULL;
	return below && strcmp(below, ".") != 0 ? below : NULL;
}

/* *is_out: whether the folder may be followed, and its rules include the path `below`. BS_IO if
 * that cannot be determined. */
static enum bs_status is_reached(const struct listing *at, const struct bs_source_record *folder,
                                 const char *below, bool *is_out, struct bs_error *err)
{
	struct bs_source source;
	*is_out = false;
	enum bs_status status = bs_recorded_root(at->writer->dir, folder, &source, err);
	if (status)
		return status;
	if (!source.is_refused)
		status = bs_feed_reaches(&source, &at->writer->source_options, below, is_out, err);
	bs_source_deinit(&source);
	return status;
}

/* *number_out: the listed folder that contains place and whose rules include it; NONE if there is
 * none. *below_out: the path of place below the folder; set only if there is one. */
static enum bs_status find_encloser(const struct listing *at, const char *place,
                                    uint32_t *number_out, const char **below_out,
                                    struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_in = false;
	*number_out = NONE;
	for (uint32_t i = 0; i < at->list->n_sources && !status && !is_in; i++) {
		const char *below = find_below(at, i, place);
		if (!below)
			continue;
		status = is_reached(at, &at->manifest->sources[i], below, &is_in, err);
		if (is_in && !status) {
			*number_out = i;
			*below_out = below;
		}
	}
	return status;
}

static enum bs_status read_part(struct listing *at, uint32_t i, const char *below,
                                struct bs_error *err)
{
	struct bs_listed_source *listed = &at->list->sources[i];
	size_t n_bytes = (listed->n_parts + 2) * sizeof(*listed->parts);
	bool is_whole = listed->is_read && !listed->parts;
	listed->is_read = true;
	listed->is_left = false;
	if (is_whole)
		return BS_OK;
	const char **parts = realloc(listed->parts, n_bytes);
	if (!parts)
		return bs_fail_memory(err, "parts of a source", n_bytes);
	listed->parts = parts;
	parts[listed->n_parts + 1] = NULL;
	return keep_string(at->list, below, "", "", &parts[listed->n_parts++], err);
}

static void read_whole(struct bs_listed_source *listed)
{
	listed->is_read = true;
	listed->is_left = false;
	free(listed->parts);
	listed->parts = NULL;
	listed->n_parts = 0;
}

static enum bs_status replace_record(struct bs_source_record *record, uint32_t kind,
                                     const char *label, const char *path, struct bs_error *err)
{
	char *new_label = strdup(label), *new_path = strdup(path);
	if (!new_label || !new_path) {
		free(new_label);
		free(new_path);
		return bs_fail_memory(err, "a source", strlen(label) + strlen(path));
	}
	free(record->label);
	free(record->path);
	*record = (struct bs_source_record){.kind = kind, .label = new_label, .path = new_path};
	return BS_OK;
}

static enum bs_status forget_listed(struct listing *at, uint32_t i, struct bs_error *err)
{
	struct bs_listed_source *listed = &at->list->sources[i];
	free(listed->place);
	free(listed->parts);
	*listed = (struct bs_listed_source){.place = NULL, .old = BS_SOURCE_GONE};
	at->list->is_changed = true;
	return replace_record(&at->manifest->sources[i], BS_SOURCE_FORGOTTEN, "", "-", err);
}

/* Source number `from` is now the part `below` of source number `to`. Of the moves in the list,
 * redirects those that lead to `from`. kind: the kind of `from`. */
static enum bs_status move_all(struct listing *at, uint32_t from, uint32_t to, const char *below,
                               uint32_t kind, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t k = 0; k < at->list->n_moves && !status; k++) {
		struct bs_source_move *move = &at->list->moves[k];
		if (move->number != from)
			continue;
		move->number = to;
		move->is_lost |= kind == BS_SOURCE_COLLECTION;
		status = keep_string(at->list, below, kind == BS_SOURCE_FOLDER ? "/" : "",
		                     move->below, &move->below, err);
	}
	return status;
}

/* Adds the inner collection at `path` in folder number `root`. label: the folder's, even if it is
 * not yet in the manifest. The new record has only names: the collection is unread. */
static enum bs_status add_inner(struct listing *at, uint32_t root, const char *label,
                                const char *path, uint32_t *number_out, struct bs_error *err)
{
	struct bs_source_record record = {
		.kind = BS_SOURCE_COLLECTION, .parent = root + 1, .path = (char *)(uintptr_t)path};
	struct bs_listed_source nothing = {.place = NULL, .old = BS_SOURCE_GONE};
	*number_out = at->list->n_sources;
	enum bs_status status = bs_manifest_label_below(label, path, &record.label, err);
	if (!status)
		status = append(at, &record, &nothing, err);
	free(record.label);
	return status;
}

/* Makes the source `from`, a collection, an inner collection of folder `root`. The names of its
 * documents stay valid. label: see add_inner. */
static enum bs_status move_inner(struct listing *at, uint32_t from, uint32_t root,
                                 const char *label, const char *path, struct bs_error *err)
{
	uint32_t number;
	enum bs_status status = add_inner(at, root, label, path, &number, err);
	for (uint32_t k = 0; k < at->list->n_moves && !status; k++)
		if (at->list->moves[k].number == from)
			at->list->moves[k].number = number;
	return status ? status : forget_listed(at, from, err);
}

/* Makes the inner collections of folder i inner collections of folder `root`, in which folder i is
 * at path `below`. label: see add_inner. */
static enum bs_status move_inners(struct listing *at, uint32_t i, uint32_t root, const char *label,
                                  const char *below, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t c = i + 1, n = at->list->n_sources; c < n && !status; c++) {
		const char *path;
		if (at->manifest->sources[c].parent != i + 1)
			continue;
		status = keep_string(at->list, below, "/", at->manifest->sources[c].path, &path,
		                     err);
		if (!status)
			status = move_inner(at, c, root, label, path, err);
	}
	return status;
}

/* Makes source i a part of folder `root`. label: see add_inner. */
static enum bs_status take_in(struct listing *at, uint32_t i, uint32_t root, const char *label,
                              const char *below, struct bs_error *err)
{
	uint32_t kind = at->manifest->sources[i].kind;
	if (kind == BS_SOURCE_COLLECTION && at->manifest->options.reads_records)
		return move_inner(at, i, root, label, below, err);
	enum bs_status status = move_inners(at, i, root, label, below, err);
	if (!status)
		status = move_all(at, i, root, below, kind, err);
	return status ? status : forget_listed(at, i, err);
}

/* Determines whether source k of the previous commit is missing, see bs_away_look;
 * BS_STANDING_THERE also if it may not be followed. source_out is nullable; otherwise the caller
 * calls bs_source_deinit, after a failure too. */
static enum bs_status look(const struct listing *at, uint32_t k,
                           enum bs_source_presence *standing_out, struct bs_source *source_out,
                           struct bs_error *why, struct bs_error *err)
{
	struct bs_source source;
	*standing_out = BS_STANDING_THERE;
	enum bs_status status =
		bs_recorded_root(at->writer->dir, &at->request->old->sources[k], &source, err);
	if (!status && !source.is_refused)
		status = bs_away_look(at->request->index, k, &source, standing_out, why, err);
	if (source_out)
		*source_out = source;
	else
		bs_source_deinit(&source);
	return status;
}

/* *is_away_out: listed source i is missing. It must then stay a source of its own, because as a
 * part of a folder it would lose its documents. */
static enum bs_status is_away(const struct listing *at, uint32_t i, bool *is_away_out,
                              struct bs_error *err)
{
	const struct bs_listed_source *listed = &at->list->sources[i];
	struct bs_error why;
	enum bs_source_presence standing;
	*is_away_out = listed->is_restored;
	if (listed->old == BS_SOURCE_GONE || listed->is_restored)
		return BS_OK;
	enum bs_status status = look(at, listed->old, &standing, NULL, &why, err);
	*is_away_out = standing != BS_STANDING_THERE;
	return status;
}

/* For a new folder, which is not listed yet: makes the listed sources that its rules include parts
 * of it, except missing ones. *number_out: the lowest number of these parts, which becomes the
 * number of the folder; NONE if there are none. */
static enum bs_status absorb(struct listing *at, const struct bs_source_record *folder,
                             const char *place, uint32_t *number_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	char names[256] = "";
	size_t used = 0;
	*number_out = NONE;
	for (uint32_t i = 0; i < at->list->n_sources && !status; i++) {
		const char *inner = at->list->sources[i].place;
		const char *below = inner ? bs_recorded_below(place, inner) : NULL;
		bool is_had = false, is_kept = false;
		if (below && at->list->sources[i].is_followed)
			status = is_reached(at, folder, below, &is_had, err);
		if (!status && is_had)
			status = is_away(at, i, &is_kept, err);
		if (status || !is_had || is_kept)
			continue;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
			                         used ? ", " : "",
			                         name_of(&at->manifest->sources[i]));
		bool is_first = *number_out == NONE;
		*number_out = is_first ? i : *number_out;
		status = take_in(at, i, *number_out, folder->label, below, err);
	}
	if (!status && used > 0)
		notice(at, "%s now includes %s%s, which %s inside it", name_of(folder), names,
		       used >= sizeof(names) ? "..." : "", strstr(names, ", ") ? "are" : "is");
	return status;
}

/* Checks that the label is unique, because ids begin with it. */
static enum bs_status check_label(const struct listing *at, const struct bs_source_record *new,
                                  struct bs_error *err)
{
	for (uint32_t i = 0; i < at->list->n_sources; i++) {
		const struct bs_source_record *known = &at->manifest->sources[i];
		if (known->kind != BS_SOURCE_FORGOTTEN && !known->parent &&
		    strcmp(known->label, new->label) == 0)
			return bs_fail(err, BS_INVALID,
			               "%s: this index has a source of that name at %s already; "
			               "ids would mix: name it "
			               "by another path, or use another index",
			               name_of(new), known->path);
	}
	return BS_OK;
}

/* Adds a source that is not listed: as a part of a listed folder (at *below_out), or as a source of
 * its own. *number_out: the number of the folder or of the source. Takes ownership of
 * listed->place. */
static enum bs_status add_record(struct listing *at, struct bs_source_record *record,
                                 struct bs_listed_source *listed, uint32_t *number_out,
                                 const char **below_out, struct bs_error *err)
{
	*below_out = NULL;
	enum bs_status status = BS_OK;
	if (listed->place && listed->is_followed)
		status = find_encloser(at, listed->place, number_out, below_out, err);
	else
		*number_out = NONE;
	if (!status && *number_out != NONE)
		status = keep_string(at->list, *below_out, "", "", below_out, err);
	if (status || *number_out != NONE) {
		free(listed->place);
		return status;
	}
	if (record->kind == BS_SOURCE_FOLDER && listed->is_followed)
		status = absorb(at, record, listed->place, number_out, err);
	if (!status)
		status = check_label(at, record, err);
	if (status) {
		free(listed->place);
		return status;
	}
	if (*number_out == NONE) {
		*number_out = at->list->n_sources;
		return append(at, record, listed, err);
	}
	listed->is_absorbing = true;
	at->list->sources[*number_out] = *listed;
	return replace_record(&at->manifest->sources[*number_out], record->kind, record->label,
	                      record->path, err);
}

/* The label of a source: with by_place the recorded path, otherwise the argument as the user
 * spelled it. */
static const char *label_of(const struct listing *at, const struct bs_source *source,
                            const char *path)
{
	if (!at->request->by_place || source->kind == BS_SOURCE_STDIN)
		return source->label;
	return strcmp(path, ".") == 0 ? "" : strcmp(path, "./-") == 0 ? "-" : path;
}

/* For source i, which is inside other source folders whose rules skip it: makes the run read this
 * part of those folders. They may have included it earlier; then the run removes its documents from
 * them. */
static enum bs_status leave_folders(struct listing *at, uint32_t i, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t f = 0; f < i && !status; f++) {
		const char *below = find_below(at, f, at->list->sources[i].place);
		bool is_left = !at->list->sources[f].is_read || at->list->sources[f].is_left;
		if (!below || !at->list->sources[f].is_followed)
			continue;
		status = read_part(at, f, below, err);
		at->list->sources[f].is_left = is_left;
	}
	return status;
}

/* Adds an argument of the command line. */
static enum bs_status add_argument(struct listing *at, const struct bs_source *source,
                                   struct bs_error *err)
{
	struct bs_source_record record = {.kind = source->kind};
	struct bs_listed_source listed = {.place = NULL, .old = BS_SOURCE_GONE};
	const char *below = NULL;
	uint32_t number = NONE;
	enum bs_status status = bs_recorded_path(at->writer->dir, source, &record.path, err);
	if (status)
		return status;
	record.label = (char *)(uintptr_t)label_of(at, source, record.path);
	if (source->kind != BS_SOURCE_STDIN)
		status = bs_file_real_path(source->path, &listed.place, err);
	if (!status)
		number = find_same(at, source->kind, listed.place, record.path);
	if (!status && number != NONE) {
		free(listed.place);
		status = bs_recorded_name(at->writer->dir, &at->manifest->sources[number], err);
		at->list->sources[number].is_followed = true;
	} else if (!status) {
		/* If the argument is a part of another source, that source is not recorded as
		 * named. */
		record.is_named = true;
		listed.is_followed = true;
		status = add_record(at, &record, &listed, &number, &below, err);
		if (!status && !below)
			status = bs_recorded_name(at->writer->dir, &at->manifest->sources[number],
			                          err);
		if (!status && !below)
			status = leave_folders(at, number, err);
	}
	if (!status && below)
		status = read_part(at, number, below, err);
	else if (!status)
		read_whole(&at->list->sources[number]);
	free(record.path);
	return status;
}

static enum bs_status add_arguments(struct listing *at, struct bs_error *err)
{
	const struct bs_build_request *request = at->writer->request;
	enum bs_status status = BS_OK;
	size_t n_good = 0;
	for (size_t i = 0; i < request->n_sources && !status; i++) {
		struct bs_source source;
		struct bs_error why = {""};
		enum bs_status found = bs_source_init(&source, request->sources[i], &why);
		if (bs_is_fatal(found))
			return bs_fail(err, found, "%s", why.text);
		if (found) {
			bs_index_writer_skip(at->writer, BS_SKIP_UNREADABLE, why.text);
			continue;
		}
		at->list->read_stdin |= source.kind == BS_SOURCE_STDIN;
		status = add_argument(at, &source, err);
		bs_source_deinit(&source);
		n_good++;
	}
	if (!status && request->n_sources > 0 && n_good == 0)
		return bs_fail(err, BS_NOT_FOUND,
		               "none of the sources can be read; the index is unchanged");
	return status;
}

/*
 * In a full run: if source k of the previous commit held documents, and is missing or unreadable,
 * it is restored from its stored texts. If these are not stored, this is an error. An empty folder
 * is not missing if the rebuild named it.
 */
static enum bs_status restore(const struct listing *at, uint32_t k, struct bs_listed_source *listed,
                              struct bs_error *err)
{
	const struct bs_away_index *index = at->request->index;
	struct bs_source source;
	struct bs_error why = {""};
	enum bs_source_presence standing;
	enum bs_status status = look(at, k, &standing, &source, &why, err);
	bool is_away = standing != BS_STANDING_THERE &&
	               !(standing == BS_STANDING_EMPTY && listed->is_anew);
	listed->is_restored =
		!status && is_away && index->snapshot && index->manifest->options.store;
	if (!status && is_away && !listed->is_restored)
		status = bs_away_refuse(index, &source, standing, &why, err);
	if (status)
		free(listed->place);
	bs_source_deinit(&source);
	return status;
}

/* Adds source k of the previous commit to the new list. Takes ownership of listed->place. */
static enum bs_status carry(struct listing *at, uint32_t k, struct bs_listed_source *listed,
                            struct bs_error *err)
{
	struct bs_source_record record = at->request->old->sources[k];
	struct bs_source_move *move = &at->list->moves[k];
	const char *below = NULL;
	uint32_t number = NONE;
	enum bs_status status = BS_OK;
	listed->old = k;
	if (!at->request->is_full) {
		move->number = k;
		return append(at, &record, listed, err);
	}
	status = restore(at, k, listed, err);
	if (status || listed->is_restored) {
		move->number = at->list->n_sources;
		return status ? status : append(at, &record, listed, err);
	}
	/* Indexes of older versions may record a source twice; both become one source. */
	number = find_same(at, record.kind, listed->place, record.path);
	if (number != NONE)
		free(listed->place);
	else
		status = add_record(at, &record, listed, &number, &below, err);
	move->number = number;
	if (status || !below)
		return status;
	move->is_lost = record.kind == BS_SOURCE_COLLECTION;
	return keep_string(at->list, below, record.kind == BS_SOURCE_FOLDER ? "/" : "", "",
	                   &move->below, err);
}

/* For a full run: adds inner collection k of the previous commit to the new list. Its parent is the
 * source that contains its folder in the new list. */
static enum bs_status carry_inner(struct listing *at, uint32_t k, struct bs_error *err)
{
	const struct bs_source_record *record = &at->request->old->sources[k];
	const struct bs_source_move *folder = &at->list->moves[record->parent - 1];
	struct bs_source_move *move = &at->list->moves[k];
	const char *path;
	if (folder->number == BS_SOURCE_GONE)
		return BS_OK;
	enum bs_status status = keep_string(at->list, folder->below, record->path, "", &path, err);
	for (uint32_t i = 0; folder->below[0] && i < at->list->n_sources; i++)
		if (at->manifest->sources[i].parent == folder->number + 1 &&
		    strcmp(at->manifest->sources[i].path, path) == 0)
			move->number = i;
	if (status || move->number != BS_SOURCE_GONE)
		return status;
	return add_inner(at, folder->number, at->manifest->sources[folder->number].label, path,
	                 &move->number, err);
}

/* *number_out: the source of the previous commit that an argument names; it need not exist any
 * more. *around_out: a source that contains the argument. Each is NONE if there is none. */
static enum bs_status find_recorded(const struct listing *at, const struct bs_listed_source *known,
                                    const char *argument, uint32_t *number_out,
                                    uint32_t *around_out, struct bs_error *err)
{
	const struct bs_manifest *old = at->request->old;
	struct bs_source source = {.kind = strcmp(argument, "-") == 0 ? BS_SOURCE_STDIN
	                                                              : BS_SOURCE_FILE,
	                           .path = (char *)(uintptr_t)argument};
	char *path = NULL, *place = NULL;
	*number_out = *around_out = NONE;
	enum bs_status status = bs_recorded_path(at->writer->dir, &source, &path, err);
	if (!status)
		status = bs_recorded_canonical(at->writer->dir, source.kind, path, false, &place,
		                               err);
	for (uint32_t k = 0; k < old->n_sources && !status && *number_out == NONE; k++) {
		const struct bs_source_record *record = &old->sources[k];
		bool is_input = record->kind == BS_SOURCE_STDIN;
		if (record->kind == BS_SOURCE_FORGOTTEN || record->parent ||
		    is_input != (source.kind == BS_SOURCE_STDIN))
			continue;
		if (is_input || strcmp(record->path, path) == 0 ||
		    (known[k].place && strcmp(known[k].place, place) == 0))
			*number_out = k;
		else if (record->kind == BS_SOURCE_FOLDER && known[k].place &&
		         bs_recorded_below(known[k].place, place))
			*around_out = k;
	}
	free(path);
	free(place);
	return status;
}

/* Marks the sources that --forget names. */
static enum bs_status mark_forgotten(const struct listing *at, const struct bs_listed_source *known,
                                     bool *forgets, struct bs_error *err)
{
	const struct bs_build_request *request = at->writer->request;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < request->n_forget && !status; i++) {
		const char *argument = request->forget[i];
		uint32_t k, around;
		status = find_recorded(at, known, argument, &k, &around, err);
		if (!status && k != NONE)
			forgets[k] = true;
		else if (!status && around != NONE)
			status = bs_fail(err, BS_INVALID,
			                 "%s: not a source, but a part of the source %s, which can "
			                 "only be forgotten as a "
			                 "whole",
			                 argument, name_of(&at->request->old->sources[around]));
		else if (!status)
			status = bs_fail(
				err, BS_INVALID,
				"%s: not a source of this index; `bitsift stats -v` names them",
				argument);
	}
	return status;
}

/* In a rebuild: fails if the argument is not a source of the index or cannot be read. If the index
 * is damaged, unknown arguments are accepted. */
static enum bs_status check_anew(const struct listing *at, const char *argument, uint32_t number,
                                 uint32_t around, struct bs_error *err)
{
	struct bs_source source;
	struct bs_error why = {""};
	if (around != NONE && number == NONE)
		return bs_fail(err, BS_INVALID,
		               "%s: not a source, but a part of the source %s, which --rebuild can "
		               "read again only as "
		               "a whole; the index is unchanged",
		               argument, name_of(&at->request->old->sources[around]));
	if (number == NONE)
		return at->request->index->snapshot
		               ? bs_fail(err, BS_INVALID,
		                         "%s: not a source of this index, so --rebuild cannot "
		                         "read it again (`bitsift stats -v` lists the "
		                         "sources); without --rebuild it would be added; the "
		                         "index is unchanged",
		                         argument)
		               : BS_OK;
	enum bs_status status = bs_source_init(&source, argument, &why);
	if (!status)
		bs_source_deinit(&source);
	return status ? bs_fail(err, status,
	                        "cannot read a source again: %s; the index is unchanged", why.text)
	              : BS_OK;
}

/* Marks the sources that a rebuild names. */
static enum bs_status mark_anew(const struct listing *at, struct bs_listed_source *known,
                                struct bs_error *err)
{
	const struct bs_build_request *request = at->writer->request;
	enum bs_status status = BS_OK;
	for (size_t i = 0; request->rebuild && i < request->n_sources && !status; i++) {
		uint32_t k, around;
		status = find_recorded(at, known, request->sources[i], &k, &around, err);
		if (!status)
			status = check_anew(at, request->sources[i], k, around, err);
		if (!status && k != NONE)
			known[k].is_anew = true;
	}
	return status;
}

/* What the request says about each source of the previous commit. */
struct marks {
	/* by old source: its path, and is_anew if a rebuild names it; carry_all() gives `place` to
	 * the list of the next commit */
	struct bs_listed_source *known;
	bool *forgets; /* by old source: --forget names it, or its parent (set by carry_all) */
};

static void marks_deinit(struct marks *marks, uint32_t n)
{
	for (uint32_t i = 0; marks->known && i < n; i++)
		free(marks->known[i].place);
	free(marks->known);
	free(marks->forgets);
}

static enum bs_status marks_init(const struct listing *at, struct marks *marks,
                                 struct bs_error *err)
{
	const struct bs_manifest *old = at->request->old;
	uint32_t n = old->n_sources;
	*marks = (struct marks){calloc((size_t)n + 1, sizeof(*marks->known)),
	                        calloc((size_t)n + 1, sizeof(*marks->forgets))};
	enum bs_status status = marks->known && marks->forgets
	                                ? BS_OK
	                                : bs_fail_memory(err, "the list of sources",
	                                                 ((size_t)n + 1) * sizeof(*marks->known));
	for (uint32_t i = 0; i < n && !status; i++)
		if (!old->sources[i].parent)
			status = locate(at, &old->sources[i], &marks->known[i], err);
	if (!status)
		status = mark_forgotten(at, marks->known, marks->forgets, err);
	return status ? status : mark_anew(at, marks->known, err);
}

enum bs_status bs_source_list_check_rebuild(struct bs_index_writer *writer,
                                            const struct bs_source_list_request *request,
                                            uint32_t *left_out, struct bs_error *err)
{
	struct listing at = {.writer = writer, .request = request};
	const struct bs_manifest *old = request->old;
	struct marks marks;
	*left_out = BS_SOURCE_GONE;
	enum bs_status status = marks_init(&at, &marks, err);
	for (uint32_t i = 0; i < old->n_sources && !status; i++) {
		bool is_left_out = old->sources[i].kind != BS_SOURCE_FORGOTTEN &&
		                   !old->sources[i].parent && !marks.forgets[i] &&
		                   !marks.known[i].is_anew;
		if (is_left_out &&
		    (*left_out == BS_SOURCE_GONE || old->sources[i].kind == BS_SOURCE_STDIN))
			*left_out = i;
	}
	marks_deinit(&marks, old->n_sources);
	return status;
}

/* Adds all sources of the previous commit to the new list, except forgotten ones. */
static enum bs_status carry_all(struct listing *at, struct bs_error *err)
{
	const struct bs_manifest *old = at->request->old;
	uint32_t n = old->n_sources;
	struct marks marks;
	enum bs_status status = marks_init(at, &marks, err);
	for (uint32_t i = 0; i < n && !status; i++) {
		struct bs_source_record gone = {
			.kind = BS_SOURCE_FORGOTTEN, .label = (char[]){""}, .path = (char[]){"-"}};
		struct bs_listed_source nothing = {.place = NULL, .old = BS_SOURCE_GONE};
		uint32_t parent = old->sources[i].parent;
		marks.forgets[i] |= parent && marks.forgets[parent - 1];
		at->list->is_changed |= marks.forgets[i];
		bool is_gone = marks.forgets[i] || old->sources[i].kind == BS_SOURCE_FORGOTTEN;
		if (!is_gone && parent && at->request->is_full) {
			status = carry_inner(at, i, err);
		} else if (!is_gone) {
			struct bs_listed_source listed = marks.known[i];
			marks.known[i].place = NULL;
			status = carry(at, i, &listed, err);
		} else if (!at->request->is_full) {
			status = append(at, &gone, &nothing, err);
			at->list->moves[i].number = marks.forgets[i] ? BS_SOURCE_GONE : i;
		}
	}
	marks_deinit(&marks, n);
	return status;
}

/* Merges sources into the folders that this run reads: a source inside such a folder that the
 * folder's rules did not include when it was recorded, but include now, becomes a part of it. */
static enum bs_status take_in_reached(struct listing *at, bool reads_all, struct bs_error *err)
{
	struct bs_listed_source *sources = at->list->sources;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0, n = at->list->n_sources; i < n && !status;
	     i++, sources = at->list->sources) {
		const char *below = NULL;
		uint32_t folder = NONE;
		if (sources[i].place && sources[i].is_followed)
			status = find_encloser(at, sources[i].place, &folder, &below, err);
		/* A folder that cannot be read does not absorb a source in this run. */
		if (status && !bs_is_fatal(status)) {
			status = BS_OK;
			continue;
		}
		bool is_kept = false;
		if (status || folder == NONE || !(reads_all || sources[folder].is_read))
			continue;
		status = is_away(at, i, &is_kept, err);
		if (status || is_kept)
			continue;
		status = keep_string(at->list, below, "", "", &below, err);
		if (status)
			break;
		notice(at, "%s now includes %s, which is inside it",
		       name_of(&at->manifest->sources[folder]), name_of(&at->manifest->sources[i]));
		status = take_in(at, i, folder, at->manifest->sources[folder].label, below, err);
		at->list->sources[folder].is_absorbing = true;
		read_whole(&at->list->sources[folder]);
	}
	return status;
}

enum bs_status bs_source_list_fail_empty(struct bs_error *err)
{
	return bs_fail(err, BS_INVALID, "no SOURCE given and none recorded; try `bitsift index .`");
}

enum bs_status bs_source_list_make(struct bs_source_list *list, struct bs_index_writer *writer,
                                   const struct bs_source_list_request *request,
                                   struct bs_error *err)
{
	struct listing at = {list, writer, request, &writer->manifest};
	const struct bs_build_request *run = writer->request;
	uint32_t n_live = 0;
	list->moves = calloc((size_t)request->old->n_sources + 1, sizeof(*list->moves));
	if (!list->moves)
		return bs_fail_memory(err, "the list of sources",
		                      request->old->n_sources * sizeof(*list->moves));
	list->n_moves = request->old->n_sources;
	for (uint32_t k = 0; k < list->n_moves; k++)
		list->moves[k] = (struct bs_source_move){.number = BS_SOURCE_GONE, .below = ""};
	enum bs_status status = carry_all(&at, err);
	if (!status)
		status = add_arguments(&at, err);
	bool reads_all = request->is_full || run->shared || run->n_sources + run->n_forget == 0;
	if (!status && !request->is_full)
		status = take_in_reached(&at, reads_all, err);
	for (uint32_t i = 0; i < list->n_sources && !status; i++) {
		bool is_live = writer->manifest.sources[i].kind != BS_SOURCE_FORGOTTEN &&
		               !writer->manifest.sources[i].parent;
		n_live += is_live;
		if (is_live && reads_all)
			read_whole(&list->sources[i]);
		list->n_read += list->sources[i].is_read;
	}
	list->is_changed |= list->n_sources != list->n_moves;
	return status || n_live + run->n_forget > 0 ? status : bs_source_list_fail_empty(err);
}
