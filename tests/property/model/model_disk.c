/* model_disk.c: the trace, and the files. See model.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/property/model/model.h"
#include "tests/rigs/core_rig.h"

/* ---- the trace ---- */

static struct bs_buffer lines;
static size_t starts[MODEL_OPERATIONS + 1]; /* of the lines of each operation */
static unsigned operation;

void trace_start(unsigned number, const char *name)
{
	if (number == 0)
		bs_buffer_deinit(&lines);
	operation = number;
	starts[number] = lines.used_bytes;
	trace("# %u: %s", number, name);
}

void trace(const char *format, ...)
{
	FREED char *line = NULL;
	va_list args;
	va_start(args, format);
	assert_true(vasprintf(&line, format, args) >= 0);
	va_end(args);
	append_format(&lines, "%s\n", line);
}

void trace_print(unsigned n_operations, const char *path)
{
	size_t start = operation < n_operations ? 0 : starts[operation - n_operations + 1];
	fwrite(lines.data + start, 1, lines.used_bytes - start, stderr);
	if (path)
		write_bytes(path, lines.data, lines.used_bytes);
}

/* Returns the shell command printf 'BYTES'. The text is valid until the next call. */
static const char *shell_bytes(const char *bytes, size_t n_bytes)
{
	static char *text;
	static const char safe[] = " {}\":,.-*\n\r";
	free(text);
	text = must_malloc(n_bytes * 4 + 16);
	char *at = text + sprintf(text, "printf '");
	for (size_t i = 0; i < n_bytes; i++) {
		char c = bytes[i];
		bool is_plain =
			(c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr(safe, c));
		at += c == '\n'   ? sprintf(at, "\\n")
		      : c == '\r' ? sprintf(at, "\\r")
		      : is_plain  ? sprintf(at, "%c", c)
		                  : sprintf(at, "\\%03o", (unsigned char)c);
	}
	strcpy(at, "'");
	return text;
}

/* ---- nodes ---- */

void disk_deinit(struct model_disk *disk)
{
	for (size_t i = 0; i < disk->n_nodes; i++) {
		free(disk->nodes[i].path);
		free(disk->nodes[i].bytes);
	}
	free(disk->nodes);
	*disk = (struct model_disk){0};
}

struct model_node *disk_find(const struct model_disk *disk, const char *path)
{
	for (size_t i = 0; i < disk->n_nodes; i++)
		if (strcmp(disk->nodes[i].path, path) == 0)
			return &disk->nodes[i];
	return NULL;
}

static struct model_node *add_node(struct model_disk *disk, const char *path, enum model_kind kind)
{
	disk->nodes = realloc(disk->nodes, (disk->n_nodes + 1) * sizeof(*disk->nodes));
	assert_non_null(disk->nodes);
	disk->nodes[disk->n_nodes] =
		(struct model_node){.path = strdup(path), .kind = kind, .bytes = strdup("")};
	return &disk->nodes[disk->n_nodes++];
}

static void set_bytes(struct model_node *node, const char *bytes, size_t n_bytes)
{
	free(node->bytes);
	node->bytes = must_malloc(n_bytes + 1);
	memcpy(node->bytes, bytes, n_bytes);
	node->bytes[n_bytes] = '\0';
	node->n_bytes = n_bytes;
}

/* Whether a path is the folder itself or below it. */
static bool is_in(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static void check(int result, const char *path)
{
	if (result < 0)
		fail_msg("%s: %s", path, strerror(errno));
}

/* ---- changes ---- */

/* Returns the node with the longest path at or below `path`, so a child before its folder. */
static struct model_node *last_in(const struct model_disk *disk, const char *path)
{
	struct model_node *last = NULL;
	for (size_t i = 0; i < disk->n_nodes; i++)
		if (is_in(disk->nodes[i].path, path) &&
		    (!last || strlen(disk->nodes[i].path) > strlen(last->path)))
			last = &disk->nodes[i];
	return last;
}

void disk_remove(struct model_disk *disk, const char *path)
{
	struct model_node *node;
	if (disk_find(disk, path))
		trace("rm -r %s", path);
	while ((node = last_in(disk, path)) != NULL) {
		check(remove(node->path), node->path);
		free(node->path);
		free(node->bytes);
		*node = disk->nodes[--disk->n_nodes];
	}
}

static void make_parents(struct model_disk *disk, const char *path)
{
	char folder[256];
	snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	if (slash) {
		*slash = '\0';
		disk_make_folder(disk, folder);
	}
}

void disk_make_folder(struct model_disk *disk, const char *path)
{
	struct model_node *node = disk_find(disk, path);
	if (strcmp(path, "..") == 0 || (node && node->kind == MODEL_FOLDER))
		return;
	make_parents(disk, path);
	disk_remove(disk, path);
	add_node(disk, path, MODEL_FOLDER);
	check(mkdir(path, 0755), path);
	trace("mkdir %s", path);
}

/* Returns the node of a file, which is created if it does not exist. *mtime_out: the mtime of an
 * existing file; a constant for a new one. */
static struct model_node *make_file(struct model_disk *disk, const char *path,
                                    struct timespec *mtime_out)
{
	struct model_node *node = disk_find(disk, path);
	struct stat found;
	*mtime_out = (struct timespec){.tv_sec = 1000000000, .tv_nsec = 7};
	if (node && node->kind == MODEL_FILE) {
		check(stat(path, &found), path);
		*mtime_out = found.st_mtim;
		return node;
	}
	make_parents(disk, path);
	disk_remove(disk, path);
	return add_node(disk, path, MODEL_FILE);
}

static void write_file(const char *path, const char *bytes, size_t n_bytes, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0644);
	check(fd, path);
	if (write(fd, bytes, n_bytes) != (ssize_t)n_bytes)
		fail_msg("%s: %s", path, strerror(errno));
	check(close(fd), path);
}

static void set_time(const char *path, enum model_time time, struct timespec before)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, before};
	if (time == MODEL_TIME_NOW)
		return;
	if (time == MODEL_TIME_PAST)
		times[1] = (struct timespec){.tv_sec = 1000000000 + below(3),
		                             .tv_nsec = by_chance(50) ? 0 : 5};
	if (time == MODEL_TIME_FUTURE)
		times[1] = (struct timespec){.tv_sec = 4000000000 + below(3)};
	check(utimensat(AT_FDCWD, path, times, 0), path);
	trace("touch -m -d @%lld.%09ld %s", (long long)times[1].tv_sec, times[1].tv_nsec, path);
}

void disk_write(struct model_disk *disk, const char *path, const char *bytes, size_t n_bytes,
                bool in_place, enum model_time time)
{
	struct timespec before;
	struct model_node *node = make_file(disk, path, &before);
	set_bytes(node, bytes, n_bytes);
	if (in_place) {
		write_file(path, bytes, n_bytes, O_TRUNC);
		trace("%s >%s", shell_bytes(bytes, n_bytes), path);
		set_time(path, time, before);
		return;
	}
	write_file("../new", bytes, n_bytes, O_TRUNC);
	trace("%s >../new", shell_bytes(bytes, n_bytes));
	set_time("../new", time, before);
	check(rename("../new", path), path);
	trace("mv ../new %s", path);
}

void disk_append(struct model_disk *disk, const char *path, const char *bytes, size_t n_bytes)
{
	struct timespec before;
	struct model_node *node = make_file(disk, path, &before);
	char *all = must_malloc(node->n_bytes + n_bytes + 1);
	memcpy(all, node->bytes, node->n_bytes);
	memcpy(all + node->n_bytes, bytes, n_bytes);
	set_bytes(node, all, node->n_bytes + n_bytes);
	free(all);
	write_file(path, bytes, n_bytes, O_APPEND);
	trace("%s >>%s", shell_bytes(bytes, n_bytes), path);
}

void disk_link(struct model_disk *disk, const char *path, const char *target)
{
	make_parents(disk, path);
	disk_remove(disk, path);
	add_node(disk, path, MODEL_LINK);
	check(symlink(target, path), path);
	trace("ln -s %s %s", target, path);
}

void disk_rename(struct model_disk *disk, const char *from, const char *to)
{
	char path[512];
	if (is_in(to, from) || is_in(from, to) || !disk_find(disk, from))
		return;
	make_parents(disk, to);
	/* make_parents may have removed `from`, if it was in the way. */
	if (!disk_find(disk, from))
		return;
	disk_remove(disk, to);
	check(rename(from, to), from);
	trace("mv %s %s", from, to);
	for (size_t i = 0; i < disk->n_nodes; i++) {
		struct model_node *node = &disk->nodes[i];
		if (!is_in(node->path, from))
			continue;
		snprintf(path, sizeof(path), "%s%s", to, node->path + strlen(from));
		free(node->path);
		node->path = strdup(path);
	}
}
