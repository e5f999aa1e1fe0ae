/*
 * cmd_trust.c: the indexes and sources that the user has consented to: their storage, and
 * `bitsift trust`.
 *
 *      $XDG_CONFIG_HOME/bitsift/trusted        index directories, one per line; * means all
 *                                              (default of the variable: ~/.config)
 *      $XDG_STATE_HOME/bitsift/told/NAME       a message that is shown only once was shown
 *      $XDG_STATE_HOME/bitsift/sources/HASH    the mark of a source that is outside its index's
 *                                              folder and was named to `bitsift index`
 *                                              (default of the variable: ~/.local/state)
 *
 * A mark contains the index directory, the recorded path and the canonical place of the source,
 * each NUL-terminated. It needs no signature, because it is stored with the user's files and not in
 * the index. It survives every rebuild and refresh, by any user. It does not apply to a copy of the
 * index, nor if another file is at the path. Processes may write marks at the same time: a mark
 * appears complete, by rename, and two marks of the same source are equal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "query/cli/cmd_input.h"
#include "query/cli/commands.h"

/* The path $variable/bitsift/rest; if the variable is unset, ~/below_home/bitsift/rest. NULL: there
 * is no home directory, or no memory. */
static char *user_path(const char *variable, const char *below_home, const char *rest)
{
	const char *base = getenv(variable);
	const char *home = getenv("HOME");
	char *path = NULL;
	/* By the XDG specification, a relative path is ignored. */
	if (base && *base == '/')
		return asprintf(&path, "%s/bitsift/%s", base, rest) < 0 ? NULL : path;
	if (!home || *home != '/')
		return NULL;
	return asprintf(&path, "%s/%s/bitsift/%s", home, below_home, rest) < 0 ? NULL : path;
}

static char *trusted_path(void)
{
	return user_path("XDG_CONFIG_HOME", ".config", "trusted");
}

/* Creates the folders above path. Errors are ignored; creating the file reports them. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

char *bs_cmd_config_path(const char *name, bool make)
{
	char *path = user_path("XDG_CONFIG_HOME", ".config", name);
	if (path && make)
		make_folders(path);
	return path;
}

bool bs_cmd_is_first(const char *name)
{
	char rest[64];
	snprintf(rest, sizeof(rest), "told/%s", name);
	char *path = user_path("XDG_STATE_HOME", ".local/state", rest);
	if (path)
		make_folders(path);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	if (fd >= 0)
		close(fd);
	free(path);
	return fd >= 0;
}

/* Bytes on the heap. One more byte is allocated after them. */
struct text {
	char *bytes;
	size_t n_bytes;
};

/* Reads a file if it belongs to the user or to root. Another owner could forge the user's
 * consent. */
static enum bs_status read_own(int fd, struct text *text, struct bs_error *err)
{
	struct stat found;
	if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) ||
	    (found.st_uid != geteuid() && found.st_uid != 0) ||
	    found.st_size > (off_t)BS_OPTION_FILE_BYTES)
		return bs_fail(err, BS_IO, "not a file of your own, or too large");
	size_t n_bytes = (size_t)found.st_size;
	text->bytes = malloc(n_bytes + 1);
	if (!text->bytes)
		return bs_fail_memory(err, "a file", n_bytes);
	for (ssize_t n = 1; n > 0 && text->n_bytes < n_bytes; text->n_bytes += (size_t)n) {
		n = pread(fd, text->bytes + text->n_bytes, n_bytes - text->n_bytes,
		          (off_t)text->n_bytes);
		if (n < 0)
			return bs_fail(err, BS_IO, "%s", strerror(errno));
	}
	return BS_OK;
}

static enum bs_status read_path(const char *path, struct text *text, struct bs_error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return bs_fail(err, errno == ENOENT ? BS_NOT_FOUND : BS_IO, "%s: %s", path,
		               strerror(errno));
	enum bs_status status = read_own(fd, text, err);
	close(fd);
	return status;
}

/* The offset of a line in the file; -1: not found. */
static ssize_t find_line(const struct text *lines, const char *line)
{
	size_t n_bytes = strlen(line);
	for (size_t at = 0; at < lines->n_bytes;) {
		const char *start = lines->bytes + at;
		const char *end = memchr(start, '\n', lines->n_bytes - at);
		size_t n = end ? (size_t)(end - start) : lines->n_bytes - at;
		if (n == n_bytes && memcmp(start, line, n) == 0)
			return (ssize_t)at;
		at += n + 1;
	}
	return -1;
}

static bool is_trusted(const char *dir)
{
	struct text lines = {0};
	char *path = trusted_path();
	bool is = path && read_path(path, &lines, NULL) == BS_OK &&
	          (find_line(&lines, dir) >= 0 || find_line(&lines, "*") >= 0);
	free(lines.bytes);
	free(path);
	return is;
}

static enum bs_status change_line(struct text *lines, const char *dir, bool add, bool *changed_out,
                                  struct bs_error *err)
{
	ssize_t at = find_line(lines, dir);
	*changed_out = add == (at < 0);
	if (!*changed_out)
		return BS_OK;
	if (add) {
		bool is_ended = lines->n_bytes == 0 || lines->bytes[lines->n_bytes - 1] == '\n';
		size_t n_bytes = lines->n_bytes + strlen(dir) + 3;
		if (n_bytes > BS_OPTION_FILE_BYTES)
			return bs_fail(err, BS_INVALID,
			               "there is no room for another index: it may have %zu bytes",
			               BS_OPTION_FILE_BYTES);
		char *grown = realloc(lines->bytes, n_bytes);
		if (!grown)
			return bs_fail_memory(err, "a file", n_bytes);
		lines->bytes = grown;
		lines->n_bytes += (size_t)sprintf(grown + lines->n_bytes, "%s%s\n",
		                                  is_ended ? "" : "\n", dir);
		return BS_OK;
	}
	size_t start = (size_t)at, end = start + strlen(dir);
	end += end < lines->n_bytes;
	memmove(lines->bytes + start, lines->bytes + end, lines->n_bytes - end);
	lines->n_bytes -= end - start;
	return BS_OK;
}

/* Replaces a file atomically. */
static enum bs_status write_file(const char *file, const struct text *text, struct bs_error *err)
{
	char *temporary = NULL;
	if (asprintf(&temporary, "%s.%ld", file, (long)getpid()) < 0)
		return bs_fail_memory(err, "a path", strlen(file));
	make_folders(temporary);
	unlink(temporary);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool is_written = fd >= 0 &&
	                  write(fd, text->bytes, text->n_bytes) == (ssize_t)text->n_bytes &&
	                  fsync(fd) == 0;
	if (fd >= 0 && close(fd) != 0)
		is_written = false;
	is_written = is_written && rename(temporary, file) == 0;
	int folder_bytes = (int)(strrchr(file, '/') - file);
	enum bs_status status =
		is_written ? BS_OK
			   : bs_fail(err, BS_IO, "%.*s: %s", folder_bytes, file, strerror(errno));
	if (!is_written && fd >= 0)
		unlink(temporary);
	free(temporary);
	return status;
}

/* Opens and locks the list of trusted indexes. Tries again if another process replaced the file
 * before the lock was taken. */
static int open_trusted(const char *path)
{
	struct stat found, locked;
	int fd = -1;
	for (;;) {
		if (fd >= 0)
			close(fd);
		fd = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
		if (fd < 0)
			return -1;
		bool is_locked = flock(fd, LOCK_EX) == 0 && fstat(fd, &locked) == 0;
		bool is_there = is_locked && stat(path, &found) == 0;
		if (is_there && found.st_dev == locked.st_dev && found.st_ino == locked.st_ino)
			return fd;
		if (!is_there && errno != ENOENT) {
			close(fd);
			return -1;
		}
	}
}

/* Adds a line to the list, or removes it. The file is locked, and replaced atomically; a symlink
 * stays, and its target is replaced. */
static enum bs_status edit(const char *dir, bool add, bool *changed_out, struct bs_error *err)
{
	struct text lines = {0};
	struct bs_error why = {""};
	enum bs_status status = BS_OK;
	char *path = trusted_path();
	*changed_out = false;
	if (!path)
		return bs_fail(err, BS_IO, "there is no home directory to keep it in");
	if (strchr(dir, '\n')) {
		free(path);
		return bs_fail(err, BS_INVALID, "%s: a path with a line feed cannot be kept", dir);
	}
	make_folders(path);
	int fd = open_trusted(path);
	char *target = fd >= 0 ? realpath(path, NULL) : NULL;
	if (!target)
		status = bs_fail(&why, BS_IO, "%s", strerror(errno));
	if (!status)
		status = read_own(fd, &lines, &why);
	if (!status)
		status = change_line(&lines, dir, add, changed_out, &why);
	if (!status && *changed_out)
		status = write_file(target, &lines, &why);
	if (status)
		(void)bs_fail(err, status, "%s: %s", path, why.text);
	if (fd >= 0)
		close(fd);
	free(lines.bytes);
	free(target);
	free(path);
	return status;
}

static enum bs_status print_trusted(FILE *to, struct bs_error *err)
{
	struct text lines = {0};
	struct bs_error why;
	char *path = trusted_path();
	enum bs_status status = path ? read_path(path, &lines, &why) : BS_NOT_FOUND;
	if (!status)
		fwrite(lines.bytes, 1, lines.n_bytes, to);
	if (!status && lines.n_bytes > 0 && lines.bytes[lines.n_bytes - 1] != '\n')
		fputc('\n', to);
	free(lines.bytes);
	free(path);
	return status == BS_NOT_FOUND || !status ? BS_OK : bs_fail(err, status, "%s", why.text);
}

/* Makes the content of the mark of a named source. place: where path leads; NULL: makes only the
 * key, by which the mark is found. */
static enum bs_status make_mark(const char *dir, const char *path, const char *place,
                                struct text *mark, struct bs_error *err)
{
	int n_bytes = place ? asprintf(&mark->bytes, "%s%c%s%c%s%c", dir, 0, path, 0, place, 0)
	                    : asprintf(&mark->bytes, "%s%c%s%c", dir, 0, path, 0);
	if (n_bytes < 0)
		return bs_fail_memory(err, "a mark", strlen(dir));
	mark->n_bytes = (size_t)n_bytes;
	return BS_OK;
}

/* The path of a mark's file. key: the content of the mark without the place. */
static char *mark_path(const struct text *key)
{
	char name[40];
	snprintf(name, sizeof(name), "sources/%016llx",
	         (unsigned long long)XXH3_64bits(key->bytes, key->n_bytes));
	return user_path("XDG_STATE_HOME", ".local/state", name);
}

static bool has_mark(const char *dir, const char *path)
{
	struct text key = {0}, mark = {0};
	bool has = make_mark(dir, path, NULL, &key, NULL) == BS_OK;
	char *file = has ? mark_path(&key) : NULL;
	has = file && read_path(file, &mark, NULL) == BS_OK && mark.n_bytes > key.n_bytes &&
	      memcmp(mark.bytes, key.bytes, key.n_bytes) == 0 &&
	      mark.bytes[mark.n_bytes - 1] == '\0';
	/* The path is resolved now, because a symlink in it may lead to another place than when the
	 * mark was made. */
	char *place = has ? realpath(path, NULL) : NULL;
	has = place && strcmp(place, mark.bytes + key.n_bytes) == 0;
	free(place);
	free(file);
	free(key.bytes);
	free(mark.bytes);
	return has;
}

static enum bs_status keep_mark(const char *dir, const char *path, const char *place,
                                struct bs_error *err)
{
	struct text mark = {0};
	enum bs_status status = make_mark(dir, path, place, &mark, err);
	if (status)
		return status;
	char *file = mark_path(&(struct text){mark.bytes, mark.n_bytes - strlen(place) - 1});
	status = file ? write_file(file, &mark, err)
	              : bs_fail(err, BS_IO, "there is no home directory");
	free(file);
	free(mark.bytes);
	return status;
}

static bool trusts(void *context, const char *dir, unsigned owner)
{
	const char *caller = getenv("SUDO_UID");
	char *end;
	(void)context;
	if (geteuid() == 0 && caller && *caller >= '0' && *caller <= '9' &&
	    strtoul(caller, &end, 10) == owner && !*end)
		return true;
	return is_trusted(dir);
}

static bool follows(void *context, const char *dir, const char *path)
{
	(void)context;
	return has_mark(dir, path) || is_trusted(dir);
}

static void named(void *context, const char *dir, const char *path)
{
	struct bs_error why;
	(void)context;
	char *place = realpath(path, NULL);
	if (place && !has_mark(dir, path) && keep_mark(dir, path, place, &why) != BS_OK)
		fprintf(stderr,
		        "bitsift: cannot record that you named %s as a source: %s; later commands "
		        "will read it only if they name it\n",
		        path, why.text);
	free(place);
}

struct bs_consent bs_user_consent(void)
{
	return (struct bs_consent){.trusts = trusts, .follows = follows, .named = named};
}

struct trust_arguments {
	const char *remove;
	bool list;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct trust_arguments, field)

static const struct bs_option trust_options[] = {
	{0, "list", NULL, "list trusted indexes", SETS(FLAG, list)},
	{0, "remove", "DIR", "stop trusting DIR", SETS(STRING, remove)},
	{0},
};

static const char *const trust_examples[] = {
	"bitsift trust /srv/shared/.bitsift",
	"use this index, and read its sources",
	"bitsift trust --remove /srv/shared/.bitsift",
	"stop trusting it",
	"bitsift trust '*'",
	"all indexes, as on a personal machine",
	NULL,
};

/* Makes the line for DIR in the list of trusted indexes: its canonical path, or *. To remove a
 * line, DIR need not exist. */
static enum bs_status resolve(const char *dir, bool is_removal, char **line_out,
                              struct bs_error *err)
{
	bool is_all = strcmp(dir, "*") == 0;
	struct stat found;
	char *manifest = NULL;
	*line_out = is_all ? strdup(dir) : realpath(dir, NULL);
	if (!*line_out && is_removal)
		*line_out = strdup(dir);
	if (!*line_out)
		return bs_fail(err, BS_NOT_FOUND, "%s: %s", dir, strerror(errno));
	if (is_all || is_removal)
		return BS_OK;
	if (asprintf(&manifest, "%s/manifest", *line_out) < 0)
		return bs_fail_memory(err, "a path", strlen(dir));
	/* A path without an index is probably a typing error, so it is rejected. An unreadable
	 * index is accepted. */
	bool is_none = stat(manifest, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
	free(manifest);
	return is_none ? bs_fail(err, BS_NOT_FOUND,
	                         "%s: no index here; DIR must be the index directory itself, such "
	                         "as %s/.bitsift",
	                         dir, dir)
	               : BS_OK;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	const struct trust_arguments *arguments = set;
	const char *dir = arguments->remove  ? arguments->remove
	                  : operands->n == 1 ? operands->list[0]
	                                     : NULL;
	char *line = NULL;
	bool changed = true;
	enum bs_status status = BS_OK;
	(void)consent;
	if (operands->n + arguments->list + (arguments->remove != NULL) != 1)
		status = bs_fail(err, BS_INVALID,
		                 "one of: `bitsift trust DIR`, `bitsift trust --list`, `bitsift "
		                 "trust --remove DIR`");
	else if (arguments->list)
		status = print_trusted(stdout, err);
	else if ((status = resolve(dir, arguments->remove, &line, err)) == BS_OK)
		status = edit(line, !arguments->remove, &changed, err);
	free(line);
	if (status || !arguments->remove || changed)
		return status ? -1 : 0;
	fprintf(stderr, "bitsift: %s: was not trusted\n", dir);
	return 1;
}

const struct bs_command bs_command_trust = {
	.name = "trust",
	.summary = "Use an index of another user, and all sources of an index.",
	.usage = "DIR | --list | --remove DIR",
	.options = trust_options,
	.examples = trust_examples,
	.arguments_bytes = sizeof(struct trust_arguments),
	.run = run,
};
