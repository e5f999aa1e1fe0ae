/* walk_choose.c: which entries of a folder are visited: whom of the rules to ask, and from where in the path. See walk.h. */
#include "corpus/walk/walk_internal.h"

#include <string.h>

#include "core/simd/needle.h"
#include "corpus/walk/file_types.h"

/* Where the part of path below folder starts; 0 if it is not below. Compares bytes, not components, as ripgrep does. */
size_t bs_walk_off_below(const struct bs_buffer *path, const void *folder, size_t folder_bytes)
{
	if (folder_bytes > path->used_bytes || memcmp(path->data, folder, folder_bytes) != 0)
		return 0;
	return folder_bytes + (folder_bytes < path->used_bytes && path->data[folder_bytes] == '/');
}

bool bs_walk_is_absolute(const struct bs_walk *walk)
{
	return walk->path.data[walk->shown_off] == '/';
}

/* The globs that do not look at the case of letters. */
static enum bs_ignore_verdict ask_caseless_globs(struct bs_walk *walk, const struct bs_ignore_entry *entry, size_t off)
{
	struct bs_ignore_entry small = *entry;
	bs_buffer_clear(&walk->small);
	if (bs_ignore_n_rules(walk->caseless_globs) == 0 ||
	    bs_buffer_append(&walk->small, entry->path, entry->path_bytes, NULL) != BS_OK)
		return BS_IGNORE_SILENT;
	for (size_t i = 0; i < entry->path_bytes; i++)
		walk->small.data[i] = bs_needle_fold(walk->small.data[i]);
	small.path = walk->small.data;
	return bs_ignore_match(walk->caseless_globs, &small, off);
}

/* -g: a glob means the opposite of an ignore rule, and if any asks for files, the other files are not wanted. */
static enum bs_ignore_verdict ask_globs(struct bs_walk *walk, const struct bs_ignore_entry *entry)
{
	size_t off = walk->shown_off;
	if (bs_ignore_n_rules(walk->globs) + bs_ignore_n_rules(walk->caseless_globs) == 0)
		return BS_IGNORE_SILENT;
	if (bs_walk_is_absolute(walk))
		off = bs_walk_off_below(&walk->path, walk->current.data, walk->current.used_bytes);
	enum bs_ignore_verdict verdict = ask_caseless_globs(walk, entry, off);
	if (verdict == BS_IGNORE_SILENT)
		verdict = bs_ignore_match(walk->globs, entry, off);
	switch (verdict) {
	case BS_IGNORE_SKIP:
		return BS_IGNORE_KEEP;
	case BS_IGNORE_KEEP:
		return BS_IGNORE_SKIP;
	case BS_IGNORE_SILENT:
		break;
	}
	size_t n_plain = bs_ignore_n_plain(walk->globs) + bs_ignore_n_plain(walk->caseless_globs);
	return n_plain > 0 && !entry->is_folder ? BS_IGNORE_SKIP : BS_IGNORE_SILENT;
}

/* What the ignore files say, then the types of files: they may leave out what those keep, and keep what is hidden. */
static enum bs_ignore_verdict ask_files(const struct bs_walk *walk, const struct folder *folder,
                                        const struct bs_ignore_entry *entry)
{
	bool in_git = bs_ignore_level_in_git(folder->level) || walk->options.ignores_outside_git;
	enum bs_ignore_verdict verdict =
		bs_ignore_level_match(folder->level, entry, walk->options.ignores_outside_git);
	if (verdict == BS_IGNORE_SILENT && in_git)
		verdict = bs_ignore_match(walk->global, entry, walk->shown_off + bs_walk_is_absolute(walk));
	if (verdict == BS_IGNORE_SKIP || !walk->options.types || entry->is_folder)
		return verdict;
	enum bs_ignore_verdict by_type = bs_file_types_match(walk->options.types, (const char *)walk->path.data + entry->name_off);
	return by_type == BS_IGNORE_SILENT ? verdict : by_type;
}

/* Whether to visit the entry whose path is in the buffer. */
bool bs_walk_wants(struct bs_walk *walk, const struct folder *folder, const struct entry *found)
{
	struct bs_ignore_entry entry = {.path = walk->path.data,
	                                .path_bytes = walk->path.used_bytes,
	                                .name_off = folder->path_bytes,
	                                .is_folder = found->kind == ENTRY_FOLDER};
	enum bs_ignore_verdict verdict = ask_globs(walk, &entry);
	if (verdict == BS_IGNORE_SILENT)
		verdict = ask_files(walk, folder, &entry);
	if (verdict != BS_IGNORE_SILENT)
		return verdict == BS_IGNORE_KEEP;
	/* Scar: ripgrep does not see a name where the path ends in a dot, so ".a." is not hidden. */
	return walk->options.hidden || found->name[0] != '.' || found->name[found->name_bytes - 1] == '.';
}
