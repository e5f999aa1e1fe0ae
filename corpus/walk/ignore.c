/* ignore.c: single and nested ignore files. The rules are those of the crate ignore 0.4.24, of
 * ripgrep 15. See ignore.h. */
#include "corpus/walk/ignore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/utf8.h"
#include "core/system/deadline.h"
#include "corpus/walk/file.h"

static void remove_rules(struct bs_ignore *ignore)
{
	for (size_t i = 0; i < bs_ignore_n_rules(ignore); i++)
		bs_glob_deinit(&ignore->rules.items[i].glob);
	bs_vector_set_n(&ignore->rules, 0);
}

void bs_ignore_deinit(struct bs_ignore *ignore)
{
	remove_rules(ignore);
	bs_vector_deinit(&ignore->rules);
	bs_buffer_deinit(&ignore->faults);
}

/* The number of bytes of the white space character (Unicode's White_Space) at the end of a line; 0
 * if there is none. */
static size_t space_at_end(const uint8_t *line, size_t n)
{
	if (n >= 1 && (line[n - 1] == ' ' || (line[n - 1] >= '\t' && line[n - 1] <= '\r')))
		return 1;
	if (n >= 2 && line[n - 2] == 0xc2 && (line[n - 1] == 0x85 || line[n - 1] == 0xa0))
		return 2;
	if (n < 3)
		return 0;
	uint32_t last = (uint32_t)line[n - 3] << 16 | (uint32_t)line[n - 2] << 8 | line[n - 1];
	bool is_space = last == 0xe19a80 || (last >= 0xe28080 && last <= 0xe2808a) ||
	                last == 0xe280a8 || last == 0xe280a9 || last == 0xe280af ||
	                last == 0xe2819f || last == 0xe38080;
	return is_space ? 3 : 0;
}

/* A line that is being parsed: the part that is not parsed yet, and the marks that were removed
 * from it. */
struct line {
	const uint8_t *bytes;
	size_t n_bytes;
	bool keeps;
	bool is_anchored; /* begins with / */
	bool folders_only;
};

static bool line_starts(const struct line *line, const char *with)
{
	size_t n = strlen(with);
	return line->n_bytes >= n && memcmp(line->bytes, with, n) == 0;
}

static bool line_take(struct line *line, char byte)
{
	if (line->n_bytes == 0 || line->bytes[0] != (uint8_t)byte)
		return false;
	line->bytes++;
	line->n_bytes--;
	return true;
}

static bool line_take_last(struct line *line, char byte)
{
	if (line->n_bytes == 0 || line->bytes[line->n_bytes - 1] != (uint8_t)byte)
		return false;
	line->n_bytes--;
	return true;
}

/* Removes the marks at both ends: ! and / at the start, / and white space at the end. Returns false
 * if the line is not a rule. */
static bool line_strip(struct line *line)
{
	size_t n = line->n_bytes, space_bytes;
	if (line_starts(line, "#"))
		return false;
	if (n < 2 || memcmp(line->bytes + n - 2, "\\ ", 2) != 0)
		while ((space_bytes = space_at_end(line->bytes, line->n_bytes)) > 0)
			line->n_bytes -= space_bytes;
	if (line->n_bytes == 0)
		return false;
	if (line_starts(line, "\\!") || line_starts(line, "\\#")) {
		line_take(line, '\\');
	} else {
		line->keeps = line_take(line, '!');
		line->is_anchored = line_take(line, '/');
	}
	line->folders_only = line_take_last(line, '/');
	/* The slash may be escaped. */
	if (line->folders_only)
		line_take_last(line, '\\');
	return true;
}

/* Makes the glob of a line without its marks. A line without a slash matches at any depth. A double
 * star at the end matches the content of a folder, but not the folder. */
static enum bs_status line_to_glob(const struct line *line, struct bs_buffer *glob,
                                   struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(glob, line->n_bytes + 5, err);
	bool is_everything = line->n_bytes == 2 && memcmp(line->bytes, "**", 2) == 0;
	bool has_slash = line->n_bytes > 0 && memchr(line->bytes, '/', line->n_bytes);
	if (!status && !line->is_anchored && !has_slash && !is_everything)
		status = bs_buffer_append(glob, "**/", 3, err);
	if (!status)
		status = bs_buffer_append(glob, line->bytes, line->n_bytes, err);
	if (!status && glob->used_bytes >= 3 &&
	    memcmp(glob->data + glob->used_bytes - 3, "/**", 3) == 0)
		status = bs_buffer_append(glob, "/*", 2, err);
	return status;
}

/* flags: BS_GLOB_*. */
static enum bs_status add_line(struct bs_ignore *ignore, const uint8_t *line_bytes, size_t n_bytes,
                               unsigned flags, struct bs_error *err)
{
	struct line line = {.bytes = line_bytes, .n_bytes = n_bytes};
	struct bs_buffer glob = {0};
	if (!line_strip(&line))
		return BS_OK;
	struct bs_ignore_rule rule = {.keeps = line.keeps, .folders_only = line.folders_only};
	enum bs_status status = line_to_glob(&line, &glob, err);
	if (ignore->is_caseless)
		flags |= BS_GLOB_CASELESS;
	if (!status)
		status = bs_glob_init(&rule.glob, glob.data, glob.used_bytes, flags, err);
	if (!status && (status = bs_vector_append(&ignore->rules, &rule, err)))
		bs_glob_deinit(&rule.glob);
	ignore->n_plain += !status && !rule.keeps;
	bs_buffer_deinit(&glob);
	return status;
}

enum bs_status bs_ignore_add_line(struct bs_ignore *ignore, const uint8_t *line, size_t line_bytes,
                                  struct bs_error *err)
{
	return add_line(ignore, line, line_bytes, 0, err);
}

/* The length of the first line, without its end. *next_out: offset of the second line. */
static size_t first_line(const uint8_t *text, size_t n, size_t *next_out)
{
	const uint8_t *feed = n > 0 ? memchr(text, '\n', n) : NULL;
	*next_out = feed ? (size_t)(feed - text) + 1 : n;
	size_t line_bytes = feed ? (size_t)(feed - text) : n;
	if (feed && line_bytes > 0 && text[line_bytes - 1] == '\r')
		line_bytes--;
	return line_bytes;
}

/* Limits of an ignore file, because each rule is tried on every file below its folder: bytes that
 * are read, rules that are used, and bytes of error messages. */
#define MOST_RULE_BYTES  ((size_t)4 << 20)
#define MOST_RULES       65536u
#define MOST_FAULT_BYTES 4096u
/* estimated cost of reading a rule, for the deadline */
#define RULE_NS 1500u

static enum bs_status note_fault(struct bs_ignore *ignore, size_t number,
                                 const struct bs_error *why, struct bs_error *err)
{
	struct bs_error fault;
	(void)bs_fail(&fault, BS_INVALID, "line %zu: %s", number, why->text);
	/* Only the first faults are kept: a file that is no ignore file may have one in every
	 * line. */
	return ignore->faults.used_bytes < MOST_FAULT_BYTES
	               ? bs_buffer_append(&ignore->faults, fault.text, strlen(fault.text) + 1, err)
	               : BS_OK;
}

enum bs_status bs_ignore_add_text(struct bs_ignore *ignore, const uint8_t *text, size_t n,
                                  struct bs_error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct bs_error why;
	enum bs_status status = BS_OK;
	size_t next, mark_bytes = sizeof(mark) - 1;
	for (; n >= mark_bytes && memcmp(text, mark, mark_bytes) == 0; n -= mark_bytes)
		text += mark_bytes;
	for (size_t number = 1; n > 0 && bs_ignore_n_rules(ignore) < MOST_RULES && !status;
	     text += next, n -= next, number++) {
		size_t line_bytes = first_line(text, n, &next);
		if (!bs_text_is_utf8(text, line_bytes)) {
			(void)bs_fail(&why, BS_INVALID, "not UTF-8");
			return ignore->reports_encoding ? note_fault(ignore, number, &why, err)
			                                : BS_OK;
		}
		status = bs_deadline_each(number, RULE_NS, &why);
		if (!status)
			status = add_line(ignore, text, line_bytes, BS_GLOB_UNCLOSED_SET, &why);
		if (status == BS_INVALID)
			status = note_fault(ignore, number, &why, err);
		else if (status)
			status = bs_fail(err, status, "%s", why.text);
	}
	return status;
}

bool bs_ignore_is_about_names(const struct bs_ignore *ignore)
{
	bool is_about_names = true;
	for (size_t i = 0; i < bs_ignore_n_rules(ignore); i++)
		is_about_names &= bs_glob_is_about_name(&ignore->rules.items[i].glob);
	return is_about_names;
}

enum bs_ignore_verdict bs_ignore_match(const struct bs_ignore *ignore,
                                       const struct bs_ignore_entry *entry, size_t path_off)
{
	if (bs_ignore_n_rules(ignore) == 0 || entry->path_bytes < path_off)
		return BS_IGNORE_SILENT;
	struct bs_glob_path path = {
		.bytes = entry->path + path_off,
		.n_bytes = entry->path_bytes - path_off,
		.name_off = entry->name_off > path_off ? entry->name_off - path_off : 0};
	int last_byte = entry->path[entry->path_bytes - 1];
	for (size_t i = bs_ignore_n_rules(ignore); i > 0; i--) {
		struct bs_ignore_rule *rule = &ignore->rules.items[i - 1];
		if (rule->glob.last_byte >= 0 && rule->glob.last_byte != last_byte)
			continue;
		if (rule->folders_only && !entry->is_folder)
			continue;
		if (bs_glob_match(&rule->glob, &path))
			return rule->keeps ? BS_IGNORE_KEEP : BS_IGNORE_SKIP;
	}
	return BS_IGNORE_SILENT;
}

enum bs_ignore_verdict bs_ignore_as_globs(enum bs_ignore_verdict verdict, size_t n_plain,
                                          bool is_folder)
{
	switch (verdict) {
	case BS_IGNORE_SKIP:
		return BS_IGNORE_KEEP;
	case BS_IGNORE_KEEP:
		return BS_IGNORE_SKIP;
	case BS_IGNORE_SILENT:
		break;
	}
	return n_plain > 0 && !is_folder ? BS_IGNORE_SKIP : BS_IGNORE_SILENT;
}

/* True if the file may exist although it could not be opened, with this errno. */
static bool may_be_there(int folder_fd, const char *path, int error_number)
{
	struct stat info;
	/* A folder that may not be searched cannot be listed either; its failure is reported for
	 * the folder. */
	if (error_number == EACCES)
		return fstatat(folder_fd, path, &info, 0) == 0;
	return error_number != ENOENT && error_number != ENOTDIR && error_number != ELOOP &&
	       error_number != ENXIO;
}

/* Appends the content of a regular file, up to MOST_RULE_BYTES. If it cannot be opened, appends
 * nothing; with must_read: BS_IO. Always BS_IO if descriptors run out or after a disk error,
 * because ignored files must not be included for such a reason. */
static enum bs_status read_file(int folder_fd, const char *path, bool must_read,
                                struct bs_buffer *text, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	struct stat info;
	/* O_NONBLOCK: do not wait for the writer of a named pipe. */
	int fd = openat(folder_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error_number = errno;
	if (fd < 0 && (error_number == EMFILE || error_number == ENFILE ||
	               (must_read && may_be_there(folder_fd, path, error_number))))
		return bs_fail(err, BS_IO, "%s: %s", path, strerror(error_number));
	if (fd < 0)
		return BS_OK;
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
		goto out;
	while (text->used_bytes < MOST_RULE_BYTES) {
		status = bs_buffer_reserve(text, 4096, err);
		if (status)
			goto out;
		ssize_t got = read(fd, text->data + text->used_bytes,
		                   text->capacity_bytes - text->used_bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));
		if (got <= 0)
			break;
		text->used_bytes += (size_t)got;
	}
	/* Drop the last line, which may be cut. */
	if (text->used_bytes >= MOST_RULE_BYTES) {
		const uint8_t *last = memrchr(text->data, '\n', MOST_RULE_BYTES);
		text->used_bytes = last ? (size_t)(last - text->data) + 1 : 0;
	}
out:
	close(fd);
	return status;
}

enum bs_status bs_ignore_read_file(int folder_fd, const char *path, bool must_read,
                                   struct bs_ignore *ignore, struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = read_file(folder_fd, path, must_read, &text, err);
	if (!status)
		status = bs_ignore_add_text(ignore, text.data, text.used_bytes, err);
	bs_buffer_deinit(&text);
	return status;
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static size_t skip_space(const uint8_t *text, size_t n, size_t at)
{
	while (at < n && is_space(text[at]))
		at++;
	return at;
}

/* True if only white space follows in the line. */
static bool ends_line(const uint8_t *text, size_t n, size_t at)
{
	while (at < n && text[at] != '\n' && is_space(text[at]))
		at++;
	return at == n || text[at] == '\n';
}

/* Finds the value at `at`: a word. Only a quotation mark, which is not part of it, and white space
 * may follow it in the line; otherwise returns false. */
static bool take_value(const uint8_t *text, size_t n, size_t at, const uint8_t **value_out,
                       size_t *value_bytes_out)
{
	size_t end = at;
	while (end < n && !is_space(text[end]))
		end++;
	size_t value_bytes = end - at, next = skip_space(text, n, end);
	bool is_quoted = next < n && text[next] == '"' && ends_line(text, n, next + 1);
	if (value_bytes == 0 || !(ends_line(text, n, end) || is_quoted))
		return false;
	bool has_mark = value_bytes > 1 && text[end - 1] == '"' && ends_line(text, n, end);
	*value_out = text + at;
	*value_bytes_out = value_bytes - has_mark;
	return true;
}

/* Finds `excludesFile = VALUE` in a git configuration, in any section. The value may be quoted and
 * has no white space inside, as in ripgrep. */
static bool find_excludes_file(const uint8_t *text, size_t n, const uint8_t **value_out,
                               size_t *value_bytes_out)
{
	static const char key[] = "excludesfile";
	size_t key_bytes = sizeof(key) - 1, next;
	for (size_t line = 0; line < n; line += next) {
		first_line(text + line, n - line, &next);
		size_t at = skip_space(text, n, line);
		if (n - at < key_bytes || strncasecmp((const char *)text + at, key, key_bytes) != 0)
			continue;
		at = skip_space(text, n, at + key_bytes);
		if (at == n || text[at] != '=')
			continue;
		at = skip_space(text, n, at + 1);
		if (at < n && text[at] == '"' &&
		    take_value(text, n, skip_space(text, n, at + 1), value_out, value_bytes_out))
			return true;
		if (take_value(text, n, at, value_out, value_bytes_out))
			return true;
	}
	return false;
}

/* Appends value, with every ~ replaced by home, and a NUL. */
static enum bs_status expand_home(const uint8_t *value, size_t n, const char *home,
                                  struct bs_buffer *path, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n && !status; i++) {
		bool is_home = value[i] == '~' && home;
		status = bs_buffer_append(path, is_home ? (const void *)home : &value[i],
		                          is_home ? strlen(home) : 1, err);
	}
	return status ? status : bs_buffer_append(path, "", 1, err);
}

/* Sets path to the excludes file that a configuration file specifies; empty if there is none. */
static enum bs_status configured_path(const char *config, const char *home, bool must_read,
                                      struct bs_buffer *path, struct bs_error *err)
{
	struct bs_buffer text = {0};
	const uint8_t *value;
	size_t value_bytes;
	enum bs_status status = read_file(AT_FDCWD, config, must_read, &text, err);
	if (!status && find_excludes_file(text.data, text.used_bytes, &value, &value_bytes) &&
	    bs_text_is_utf8(value, value_bytes))
		status = expand_home(value, value_bytes, home, path, err);
	bs_buffer_deinit(&text);
	return status;
}

/* configured_path for the configuration file folder/name; nothing if folder is NULL. */
static enum bs_status configured_below(const char *folder, const char *name, const char *home,
                                       bool must_read, struct bs_buffer *path, struct bs_error *err)
{
	struct bs_buffer config = {0};
	if (!folder)
		return BS_OK;
	enum bs_status status = bs_file_join(folder, name, strlen(name), &config, err);
	if (!status)
		status = configured_path((const char *)config.data, home, must_read, path, err);
	bs_buffer_deinit(&config);
	return status;
}

/* The value of a variable; NULL also if it is too long for a path with a file below it. */
static const char *path_variable(const char *variable)
{
	const char *value = getenv(variable);
	return value && strlen(value) + NAME_MAX < PATH_MAX ? value : NULL;
}

/* Sets *config_folder to $XDG_CONFIG_HOME, or to .config in the home folder; empty without both. */
static enum bs_status find_config_folder(const char *home, struct bs_buffer *config_folder,
                                         struct bs_error *err)
{
	const char *xdg = path_variable("XDG_CONFIG_HOME");
	if (xdg && *xdg)
		return bs_buffer_append(config_folder, xdg, strlen(xdg) + 1, err);
	return home ? bs_file_join(home, ".config", strlen(".config"), config_folder, err) : BS_OK;
}

/*
 * The only place in the libraries that reads the environment: by git's rules, these variables
 * determine where the user's excludes file is. GIT_CONFIG_GLOBAL replaces the two configuration
 * files of the user. ripgrep 15 reads neither GIT_CONFIG_GLOBAL nor GIT_CONFIG_SYSTEM.
 */
static enum bs_status global_path(bool must_read, struct bs_buffer *path, struct bs_error *err)
{
	struct bs_buffer folder = {0};
	const char *home = path_variable("HOME"), *global = path_variable("GIT_CONFIG_GLOBAL"),
		   *system = path_variable("GIT_CONFIG_SYSTEM");
	enum bs_status status = find_config_folder(home, &folder, err);
	const char *config_folder = folder.used_bytes > 0 ? (const char *)folder.data : NULL;
	if (!status && global)
		status = configured_path(global, home, must_read, path, err);
	if (!status && !global)
		status = configured_below(home, ".gitconfig", home, must_read, path, err);
	if (!status && !global && path->used_bytes == 0)
		status = configured_below(config_folder, "git/config", home, must_read, path, err);
	if (!status && system && path->used_bytes == 0)
		status = configured_path(system, home, must_read, path, err);
	if (!status && path->used_bytes == 0 && config_folder)
		status = bs_file_join(config_folder, "git/ignore", strlen("git/ignore"), path, err);
	bs_buffer_deinit(&folder);
	return status;
}

enum bs_status bs_ignore_read_global(bool must_read, struct bs_ignore *ignore, struct bs_error *err)
{
	struct bs_buffer path = {0};
	enum bs_status status = global_path(must_read, &path, err);
	if (!status && path.used_bytes > 0)
		status = bs_ignore_read_file(AT_FDCWD, (const char *)path.data, must_read, ignore,
		                             err);
	bs_buffer_deinit(&path);
	return status;
}

/* Kinds of ignore files, highest precedence first. The last two are git's. */
enum file_kind {
	FILE_RGIGNORE,
	FILE_IGNORE,
	FILE_GITIGNORE,
	FILE_EXCLUDE,
	FILE_KINDS
};

/* The file names of these kinds; for FILE_EXCLUDE the name of the folder that contains the file.
 * The last name only marks a repository. Bit i of BS_IGNORE_HAS_* is for name i. */
static const char *const file_names[FILE_KINDS + 1] = {".rgignore", ".ignore", ".gitignore", ".git",
                                                       ".jj"};

struct bs_ignore_level {
	struct bs_ignore_level *parent;
	struct bs_ignore files[FILE_KINDS];
	size_t path_off;
	size_t n_rules;     /* number of rules of this folder and its parents */
	bool is_repository; /* the folder contains a .git or .jj */
	bool in_git;        /* this folder or a parent is a repository */
	bool is_above;      /* BS_IGNORE_ABOVE */
};

unsigned bs_ignore_name_bit(const char *name, size_t name_bytes)
{
	for (unsigned i = 0; i <= FILE_KINDS; i++)
		if (strlen(file_names[i]) == name_bytes &&
		    memcmp(name, file_names[i], name_bytes) == 0)
			return 1u << i;
	return 0;
}

/* Sets line to the first line of a file, NUL-terminated; empty if it cannot be read or is not
 * UTF-8. */
static enum bs_status read_first_line(int folder_fd, const char *path, bool must_read,
                                      struct bs_buffer *line, struct bs_error *err)
{
	size_t next;
	enum bs_status status = read_file(folder_fd, path, must_read, line, err);
	line->used_bytes = first_line(line->data, line->used_bytes, &next);
	if (line->used_bytes == 0 || !bs_text_is_utf8(line->data, line->used_bytes))
		bs_buffer_clear(line);
	else if (!status)
		status = bs_buffer_append(line, "", 1, err);
	return status;
}

/*
 * Reads the excludes of a worktree or submodule. Its .git is a file "gitdir: PATH"; in the folder
 * PATH, the file commondir contains the path of the repository that has the excludes.
 */
static enum bs_status read_linked_excludes(int folder_fd, bool must_read, struct bs_ignore *ignore,
                                           struct bs_error *err)
{
	static const char mark[] = "gitdir: ";
	struct bs_buffer line = {0}, common = {0}, path = {0};
	enum bs_status status = read_first_line(folder_fd, ".git", must_read, &line, err);
	if (status || line.used_bytes < sizeof(mark) ||
	    memcmp(line.data, mark, sizeof(mark) - 1) != 0)
		goto out;
	const char *git_folder = (const char *)line.data + sizeof(mark) - 1;
	status = bs_file_join(git_folder, "commondir", strlen("commondir"), &path, err);
	if (!status)
		status =
			read_first_line(AT_FDCWD, (const char *)path.data, must_read, &common, err);
	if (status || common.used_bytes == 0)
		goto out;
	const char *shared = (const char *)common.data;
	bs_buffer_clear(&path);
	if (shared[0] == '.')
		status = bs_file_join(git_folder, shared, strlen(shared), &path, err);
	else
		status = bs_buffer_append(&path, shared, strlen(shared), err);
	if (!status)
		status = bs_buffer_append(&path, "/info/exclude", sizeof("/info/exclude"), err);
	if (!status)
		status = bs_ignore_read_file(AT_FDCWD, (const char *)path.data, must_read, ignore,
		                             err);
out:
	bs_buffer_deinit(&line);
	bs_buffer_deinit(&common);
	bs_buffer_deinit(&path);
	return status;
}

/* If the folder has a .git, marks it as a repository and reads its excludes. With
 * BS_IGNORE_GIT_ANYWHERE, a .git does not mark a repository, and as in ripgrep the excludes of a
 * worktree are not found. */
static enum bs_status read_git(int folder_fd, unsigned bits, struct bs_ignore_level *level,
                               struct bs_error *err)
{
	struct stat info;
	bool must_read = bits & BS_IGNORE_MUST_READ, is_marked = !(bits & BS_IGNORE_GIT_ANYWHERE);
	if (fstatat(folder_fd, ".git", &info, 0) != 0)
		return BS_OK;
	level->is_repository = level->is_repository || is_marked;
	if (bits & BS_IGNORE_NO_EXCLUDE)
		return BS_OK;
	if (S_ISREG(info.st_mode) && is_marked)
		return read_linked_excludes(folder_fd, must_read, &level->files[FILE_EXCLUDE], err);
	return bs_ignore_read_file(folder_fd, ".git/info/exclude", must_read,
	                           &level->files[FILE_EXCLUDE], err);
}

/* Decides whether the folder is a repository, and reads its excludes. */
static enum bs_status read_repository(int folder_fd, unsigned bits, struct bs_ignore_level *level,
                                      struct bs_error *err)
{
	struct stat info;
	bool may_be_marked = !(bits & BS_IGNORE_ABOVE && bits & BS_IGNORE_GIT_ANYWHERE);
	enum bs_status status = BS_OK;
	if (bits & BS_IGNORE_HAS_JJ && may_be_marked && fstatat(folder_fd, ".jj", &info, 0) == 0)
		level->is_repository = true;
	if (bits & BS_IGNORE_HAS_GIT)
		status = read_git(folder_fd, bits, level, err);
	level->in_git = level->is_repository || bs_ignore_level_in_git(level->parent);
	return status;
}

enum bs_status bs_ignore_level_open(int folder_fd, unsigned bits, size_t path_off,
                                    struct bs_ignore_level *parent,
                                    struct bs_ignore_level **level_out, struct bs_error *err)
{
	*level_out = parent;
	if (bits == 0)
		return BS_OK;
	struct bs_ignore_level *level = calloc(1, sizeof(*level));
	if (!level)
		return bs_fail_memory(err, "ignore files", sizeof(*level));
	level->parent = parent;
	level->path_off = path_off;
	level->is_above = bits & BS_IGNORE_ABOVE;
	for (unsigned i = 0; i < FILE_KINDS; i++)
		level->files[i].is_caseless = bits & BS_IGNORE_CASELESS;
	enum bs_status status = read_repository(folder_fd, bits, level, err);
	for (unsigned i = 0; i < FILE_EXCLUDE && !status; i++) {
		/* git's files apply only inside a repository. */
		bool must_read =
			bits & BS_IGNORE_MUST_READ && (i < FILE_GITIGNORE || level->in_git);
		if (bits & 1u << i)
			status = bs_ignore_read_file(folder_fd, file_names[i], must_read,
			                             &level->files[i], err);
	}
	bool has_any = level->is_repository;
	level->n_rules = bs_ignore_level_n_rules(parent);
	for (size_t i = 0; i < FILE_KINDS; i++) {
		if (bits & BS_IGNORE_MUTE)
			remove_rules(&level->files[i]);
		size_t n_rules = bs_ignore_n_rules(&level->files[i]);
		has_any |= n_rules > 0 || level->files[i].faults.used_bytes > 0;
		level->n_rules += n_rules;
	}
	if (status || !has_any)
		bs_ignore_level_close(level, parent);
	else
		*level_out = level;
	return status;
}

size_t bs_ignore_level_n_rules(const struct bs_ignore_level *level)
{
	return level ? level->n_rules : 0;
}

void bs_ignore_tell_faults(const struct bs_ignore *ignore, const char *name,
                           void (*tell)(void *context, const char *fault), void *context)
{
	struct bs_error line;
	for (size_t at = 0; at < ignore->faults.used_bytes;) {
		const char *fault = (const char *)ignore->faults.data + at;
		(void)bs_fail(&line, BS_INVALID, "%s: %s", name, fault);
		tell(context, line.text);
		at += strlen(fault) + 1;
	}
}

void bs_ignore_level_tell_faults(const struct bs_ignore_level *level,
                                 void (*tell)(void *context, const char *fault), void *context)
{
	for (size_t i = 0; i < FILE_KINDS; i++)
		bs_ignore_tell_faults(&level->files[i],
		                      i == FILE_EXCLUDE ? ".git/info/exclude" : file_names[i], tell,
		                      context);
}

void bs_ignore_level_close(struct bs_ignore_level *level, const struct bs_ignore_level *until)
{
	while (level != until) {
		struct bs_ignore_level *parent = level->parent;
		for (size_t i = 0; i < FILE_KINDS; i++)
			bs_ignore_deinit(&level->files[i]);
		free(level);
		level = parent;
	}
}

enum bs_ignore_verdict bs_ignore_level_match(const struct bs_ignore_level *level,
                                             const struct bs_ignore_entry *entry,
                                             const struct bs_ignore_entry *seen_above,
                                             bool git_anywhere)
{
	size_t n_kinds =
		git_anywhere || bs_ignore_level_in_git(level) ? FILE_KINDS : FILE_GITIGNORE;
	for (size_t kind = 0; kind < n_kinds; kind++) {
		for (const struct bs_ignore_level *at = level; at; at = at->parent) {
			enum bs_ignore_verdict verdict = bs_ignore_match(
				&at->files[kind], at->is_above ? seen_above : entry, at->path_off);
			if (verdict != BS_IGNORE_SILENT)
				return verdict;
			if (kind >= FILE_GITIGNORE && at->is_repository)
				break;
		}
	}
	return BS_IGNORE_SILENT;
}

bool bs_ignore_level_in_git(const struct bs_ignore_level *level)
{
	return level && level->in_git;
}
