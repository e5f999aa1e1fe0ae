/*
 * cursor.h: --after: a place in the order of what is found, to go on behind it. PATH:LINE, the path as it is shown and the
 * last line of what was found there, 0 where the whole file is it; and #N behind that where the same path may be shown of
 * an earlier one of the paths searched than the N-th.
 *
 * A cursor is a place, not a memory: if files have changed, what comes behind that place now is what a search goes on
 * with, also if the file itself is gone.
 */
#ifndef BS_QUERY_GREP_PRINT_CURSOR_H
#define BS_QUERY_GREP_PRINT_CURSOR_H

#include "query/grep/read/grep_source.h"

struct bs_cursor {
	char *path; /* NULL: there is no cursor */
	size_t root; /* as that of a file */
	uint64_t line;
	/* Set by whoever knows: files come in the order of paths, or in the reverse; else those up to the path are passed over
	 * as they come. */
	bool is_by_path, is_reversed;
	bool was_met; /* not by path: the file came */
};

/* Release with bs_cursor_deinit, also after a failure. BS_INVALID: that is none, or lies below none of the paths
 * searched. */
enum bs_status bs_cursor_read(const char *text, const struct bs_grep_walk_options *walk, struct bs_cursor *cursor_out,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_cursor_deinit(struct bs_cursor *cursor);

/* There is a cursor: where the next file of a source lies: before the cursor's (negative), behind it, or 0: that is it. */
int bs_cursor_place(struct bs_cursor *cursor, const struct bs_grep_file *file);

/* Makes text the cursor behind a line of a file, NUL-ended. name: what stands in front of it and a colon; nullable. BS_NO_MEMORY. */
enum bs_status bs_cursor_write(const struct bs_grep_walk_options *walk, const char *name, const char *shown, size_t root,
                               uint64_t line, struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;

#endif
