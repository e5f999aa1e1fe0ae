/* away.c: see away.h. */
#include "indexer/run/away.h"

#include <string.h>

#include "core/bitsift/terminal.h"
#include "core/text/printable.h"

#define MOST_WORDS 8 /* most words of a command, plus NULL */

/* Makes `bitsift index [--index DIR] OPTION... SOURCE` as NULL-terminated words. path: scratch that
 * the words borrow. */
static enum bs_status make_command(const struct bs_away_index *index, const char *option,
                                   const char *more, const struct bs_source *source,
                                   const char *words[MOST_WORDS], struct bs_buffer *path,
                                   struct bs_error *err)
{
	size_t n = 0;
	words[n++] = "bitsift";
	words[n++] = "index";
	if (!index->is_located) {
		words[n++] = "--index";
		words[n++] = index->dir->path;
	}
	words[n++] = option;
	if (more)
		words[n++] = more;
	bs_buffer_clear(path);
	bool is_like_option = source->path[0] == '-' && source->kind != BS_SOURCE_STDIN;
	enum bs_status status = is_like_option ? bs_buffer_append(path, "./", 2, err) : BS_OK;
	if (!status)
		status = bs_buffer_append(path, source->path, strlen(source->path) + 1, err);
	words[n++] = (const char *)path->data;
	words[n] = NULL;
	return status;
}

static enum bs_status append_command(const struct bs_away_index *index, const char *lead,
                                     const char *option, const struct bs_source *source,
                                     struct bs_buffer *line, struct bs_error *err)
{
	const char *words[MOST_WORDS];
	struct bs_buffer path = {0};
	enum bs_status status = make_command(index, option, NULL, source, words, &path, err);
	size_t n_bytes = status ? 0 : bs_shell_command(words, NULL, 0) + 1;
	if (!status)
		status = bs_printable_append_own(line, lead, err);
	if (!status)
		status = bs_buffer_reserve(line, n_bytes, err);
	if (!status)
		line->used_bytes +=
			bs_shell_command(words, (char *)line->data + line->used_bytes, n_bytes);
	bs_buffer_deinit(&path);
	return status;
}

static bool has_documents(const struct bs_away_index *index, uint32_t number)
{
	bool has_any = false;
	if (index->snapshot)
		return bs_recorded_has_documents(index->snapshot, number);
	for (uint32_t s = 0; s < index->manifest->n_segments; s++)
		has_any |= index->manifest->segments[s].n_docs >
		           index->manifest->segments[s].n_deleted;
	return has_any;
}

enum bs_status bs_away_look(const struct bs_away_index *index, uint32_t number,
                            const struct bs_source *source, enum bs_source_presence *standing_out,
                            struct bs_error *why, struct bs_error *err)
{
	enum bs_status status = bs_recorded_look(index->dir, source, standing_out, why, err);
	if (!status && *standing_out != BS_STANDING_THERE && !has_documents(index, number))
		*standing_out = BS_STANDING_THERE;
	return status;
}

enum bs_status bs_away_tell(const struct bs_away_index *index, const struct bs_source *source,
                            enum bs_source_presence standing, struct bs_buffer *line,
                            struct bs_error *err)
{
	bool is_empty = standing == BS_STANDING_EMPTY;
	const char *what = is_empty
	                           ? ": empty, perhaps not mounted; its documents stay in the index"
	                           : ": no longer exists; its documents stay in the index";
	const char *lead =
		is_empty ? "; if it is empty on purpose: " : "; to read it again when it is back: ";
	enum bs_status status = bs_escape_append(line, source->path, strlen(source->path), err);
	if (!status)
		status = bs_printable_append_own(line, what, err);
	/* No command is suggested for an index in memory, because a command line cannot name it. */
	if (!status && !index->dir->memory)
		status = append_command(index, lead, "--rebuild", source, line, err);
	if (!status && !index->dir->memory)
		status = append_command(index, "; to forget it: ", "--forget", source, line, err);
	return status ? status : bs_buffer_append(line, "", 1, err);
}

enum bs_status bs_away_refuse(const struct bs_away_index *index, const struct bs_source *source,
                              enum bs_source_presence standing, const struct bs_error *why,
                              struct bs_error *err)
{
	static const char after[] = "; the index is unchanged, because reading everything again "
				    "would lose the documents of this source, which only the "
				    "index still has";
	const char *words[MOST_WORDS];
	struct bs_buffer path = {0};
	bool is_unread = standing == BS_STANDING_UNREAD;
	enum bs_status status = is_unread ? BS_IO : BS_NOT_FOUND;
	if (is_unread)
		(void)bs_fail(err, status, "%s%s", why->text, after);
	else
		(void)bs_fail(err, status, "%s: %s%s", source->path,
		              standing == BS_STANDING_EMPTY ? "empty, perhaps not mounted"
		                                            : "no longer exists",
		              after);
	/* A damaged index cannot be refreshed. */
	bool is_damaged = !index->snapshot;
	if (!index->dir->memory &&
	    make_command(index, is_damaged ? "--rebuild" : "--forget",
	                 is_damaged ? "--forget" : NULL, source, words, &path, NULL) == BS_OK)
		bs_advise(err, "; to forget the source: ", words);
	bs_buffer_deinit(&path);
	return status;
}
