/* index_dir.c: see index_dir.h. */
#include "core/store/index_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/index_locate.h"
#include "core/bitsift/terminal.h"
#include "core/file/memory.h"
#include "core/file/segment_sections.h"
#include "core/system/deadline.h"

/* Files that make git and backup programs skip the index (https://bford.info/cachedir). */
static const struct {
	const char *name, *text;
} courtesies[] = {
	{".gitignore", "*\n"},
	{"CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# An index of bitsift, "
                         "which can be made again from its sources.\n"},
};
#define N_COURTESIES (sizeof(courtesies) / sizeof(courtesies[0]))

/* Creates the files of `courtesies`. An index works without them, so failures are ignored. */
static void put_courtesies(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (size_t i = 0; i < N_COURTESIES && dir >= 0; i++) {
		int fd = openat(dir, courtesies[i].name,
		                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		size_t n_bytes = strlen(courtesies[i].text);
		if (fd >= 0 && write(fd, courtesies[i].text, n_bytes) != (ssize_t)n_bytes)
			(void)unlinkat(dir, courtesies[i].name, 0);
		if (fd >= 0)
			close(fd);
	}
	if (dir >= 0)
		close(dir);
}

/* Removes the parents of the path that make_folders created, if they are empty. made_bytes: as from
 * make_folders. */
static void remove_folders(const char *path, size_t made_bytes)
{
	char *above = made_bytes > 0 && made_bytes < strlen(path) ? strdup(path) : NULL;
	for (char *slash; above && (slash = strrchr(above, '/')) != NULL &&
	                  (size_t)(slash - above) >= made_bytes;) {
		*slash = '\0';
		(void)rmdir(above);
	}
	free(above);
}

/* Creates the missing folders above the path. *made_bytes_out is the length of the path of the
 * outermost folder created; 0 if none was missing. Failures show when the directory itself is
 * created. */
static enum bs_status make_folders(const char *path, size_t *made_bytes_out, struct bs_error *err)
{
	char *above = strdup(path);
	if (!above)
		return bs_fail_memory(err, "a path", strlen(path));
	for (size_t n = strlen(above); n > 0 && above[n - 1] == '/'; n--)
		above[n - 1] = '\0';
	for (char *slash = above; *above && (slash = strchr(slash + 1, '/')) != NULL;
	     *slash = '/') {
		*slash = '\0';
		if (mkdir(above, 0777) == 0 && *made_bytes_out == 0)
			*made_bytes_out = strlen(above);
	}
	free(above);
	return BS_OK;
}

enum bs_status bs_index_create_dir(const char *dir, size_t *made_bytes_out, struct bs_error *err)
{
	struct stat info;
	enum bs_status status = BS_OK;
	*made_bytes_out = 0;
	bool is_made = mkdir(dir, 0700) == 0;
	if (!is_made && errno == ENOENT && *dir) {
		status = make_folders(dir, made_bytes_out, err);
		is_made = !status && mkdir(dir, 0700) == 0;
	}
	if (!status && !is_made && errno != EEXIST)
		status = bs_fail(err, BS_IO, "%s: cannot create: %s", dir, strerror(errno));
	else if (!status && (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode)))
		status = bs_fail(err, BS_IO, "%s: not a directory", dir);
	if (status) {
		remove_folders(dir, *made_bytes_out);
		return status;
	}
	if (is_made) {
		*made_bytes_out = *made_bytes_out ? *made_bytes_out : strlen(dir);
		put_courtesies(dir);
	}
	return BS_OK;
}

void bs_index_remove_new(const struct bs_dir *dir, size_t made_bytes)
{
	if (bs_dir_has(dir, "manifest"))
		return;
	for (size_t i = 0; i < N_COURTESIES; i++)
		bs_dir_remove(dir, courtesies[i].name);
	bs_dir_remove(dir, "lock");
	(void)rmdir(dir->path);
	remove_folders(dir->path, made_bytes);
}

static bool is_courtesy(const char *name)
{
	for (size_t i = 0; i < N_COURTESIES; i++)
		if (strcmp(name, courtesies[i].name) == 0)
			return true;
	return false;
}

enum bs_status bs_index_refuse_link(const char *path, struct bs_error *err)
{
	struct stat info;
	if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode))
		return BS_OK;
	(void)bs_fail(err, BS_UNTRUSTED,
	              "%s: a symbolic link, which is followed only if it is named", path);
	bs_advise(err, ": ", (const char *const[]){"--index", path, NULL});
	return BS_UNTRUSTED;
}

enum bs_status bs_index_locate(char **dir_out, struct bs_error *err)
{
	static const char name[] = ".bitsift", manifest[] = ".bitsift/manifest";
	char *here = getcwd(NULL, 0);
	*dir_out = NULL;
	if (!here)
		return bs_fail(err, BS_IO, "the current directory: %s", strerror(errno));
	/* The maximum number of steps up: the components of the current directory. */
	size_t n_up = 0;
	for (const char *at = here; *at; at++)
		n_up += at[0] == '/' && at[1] != '\0';
	free(here);
	char *path = malloc(3 * n_up + sizeof(manifest));
	if (!path)
		return bs_fail_memory(err, "a path", 3 * n_up + sizeof(manifest));
	for (char *at = path; at <= path + 3 * n_up; at += 3) {
		struct stat info;
		memcpy(at, manifest, sizeof(manifest));
		bool is_there = stat(path, &info) == 0;
		bool is_closed = !is_there && errno == EACCES;
		memcpy(at, name, sizeof(name));
		/* Also returns an index that this user may not enter; opening it then reports the
		 * reason. */
		if (is_there || (is_closed && stat(path, &info) == 0)) {
			enum bs_status status = bs_index_refuse_link(path, err);
			if (status)
				free(path);
			else
				*dir_out = path;
			return status;
		}
		memcpy(at, "../", 3);
	}
	free(path);
	return bs_fail(
		err, BS_NOT_FOUND,
		"no index here or above (.bitsift); make one with `bitsift index .`, or name one "
		"with --index DIR");
}

static enum bs_status report_holder(const struct bs_dir *dir, int fd, struct bs_error *err)
{
	char holder[32] = "";
	ssize_t n = pread(fd, holder, sizeof(holder) - 1, 0);
	holder[n > 0 ? n : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	return bs_fail(err, BS_BUSY,
	               "%s: another bitsift is writing this index (process %s); try again later, "
	               "or use --wait",
	               dir->path, holder[0] ? holder : "unknown");
}

/* Takes the lock with flock(). With `wait`, waits until the deadline; *status is then BS_DEADLINE
 * or BS_STOPPED. */
static int take_flock(int fd, bool wait, enum bs_status *status, struct bs_error *err)
{
	int failed;
	do
		failed = flock(fd, wait && !bs_deadline_here ? LOCK_EX : LOCK_EX | LOCK_NB);
	while (failed && (errno == EINTR ||
	                  (errno == EWOULDBLOCK && wait && !(*status = bs_deadline_sleep(err)))));
	return failed;
}

enum bs_status bs_index_lock_take(const struct bs_dir *dir, const char *name, bool wait,
                                  struct bs_index_lock *lock_out, struct bs_error *err)
{
	struct stat locked;
	int fd = -1, failed;
	enum bs_status status = BS_OK;
	*lock_out = (struct bs_index_lock){.fd = -1};
	if (dir->memory) {
		status = bs_memory_index_lock(dir->memory, wait, err);
		lock_out->memory = status ? NULL : dir->memory;
		return status;
	}
	/* The last holder may have removed the lock file (bs_index_remove_new), and another process
	 * may hold a new one. */
	do {
		if (fd >= 0)
			close(fd);
		status = bs_dir_open_lock(dir, name, &fd, err);
		if (status)
			return status;
		failed = take_flock(fd, wait, &status, err);
	} while (!failed && fstat(fd, &locked) == 0 && locked.st_nlink == 0);
	if (failed) {
		if (!status)
			status = errno == EWOULDBLOCK ? report_holder(dir, fd, err)
			                              : bs_fail(err, BS_IO, "%s: cannot lock: %s",
			                                        dir->path, strerror(errno));
		close(fd);
		return status;
	}
	/* Writes the process id for messages of other processes; locking does not depend on it. */
	char holder[32];
	int n = snprintf(holder, sizeof(holder), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) != 0 || pwrite(fd, holder, (size_t)n, 0) != n)
		holder[0] = '\0';
	lock_out->fd = fd;
	return BS_OK;
}

enum bs_status bs_index_lock_existing(struct bs_dir *dir, bool wait, struct bs_index_lock *lock_out,
                                      struct bs_error *err)
{
	struct stat found;
	int fd;
	*lock_out = (struct bs_index_lock){.fd = -1};
	enum bs_status status = bs_dir_open_file(dir, "manifest", &fd, &found, err);
	if (status == BS_NOT_FOUND)
		return bs_fail(err, status, "%s: no index here; make one with `bitsift index`",
		               dir->path);
	if (status)
		return status;
	close(fd);
	dir->file_mode = found.st_mode & 0666;
	return bs_index_lock_take(dir, BS_INDEX_LOCK, wait, lock_out, err);
}

void bs_index_lock_release(struct bs_index_lock *lock)
{
	if (lock->memory)
		bs_memory_index_unlock(lock->memory);
	if (lock->fd >= 0)
		close(lock->fd);
	*lock = (struct bs_index_lock){.fd = -1};
}

/* Whether the manifest names the file. A condensed segment counts as named if its segment is. */
static bool is_named(const struct bs_manifest *manifest, const char *name)
{
	static const char condensed[] = "condensed-";
	uint64_t number;
	char named[BS_INDEX_NAME_BYTES], segment[BS_INDEX_NAME_BYTES];
	if (strncmp(name, condensed, strlen(condensed)) == 0)
		name = bs_index_file_name("seg", strtoull(name + strlen(condensed), NULL, 10),
		                          segment);
	for (size_t at = 0; manifest && bs_manifest_next_file(manifest, &at, &number, named);)
		if (strcmp(name, named) == 0)
			return true;
	return false;
}

/* The number in a name made by bs_index_file_name; 0 if the name is not one of these. */
static uint64_t number_of(const char *name)
{
	static const char *const prefixes[] = {"seg",     "del",    "exc",
	                                       "summary", "counts", "condensed"};
	char same[BS_INDEX_NAME_BYTES];
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i]);
		uint64_t number = strncmp(name, prefixes[i], n) == 0 && name[n] == '-'
		                          ? strtoull(name + n + 1, NULL, 10)
		                          : 0;
		if (number && number < BS_MOST_NUMBER &&
		    strcmp(name, bs_index_file_name(prefixes[i], number, same)) == 0)
			return number;
	}
	return 0;
}

/* The next name in a list; the first if name is NULL. NULL at the end. */
static const char *next_name(const struct bs_buffer *names, const char *name)
{
	const char *next = name ? name + strlen(name) + 1 : (const char *)names->data;
	return names->used_bytes && next < (const char *)names->data + names->used_bytes ? next
	                                                                                 : NULL;
}

void bs_index_sweep(const struct bs_dir *dir, const struct bs_manifest *manifest)
{
	struct bs_buffer names = {0};
	if (bs_dir_list(dir, &names, NULL) != BS_OK)
		names.used_bytes = 0;
	for (const char *name = NULL; (name = next_name(&names, name)) != NULL;) {
		/* Remove only files with names of index files. Others in the folder are the
		 * user's. */
		bool is_ours = number_of(name) != 0 || strcmp(name, "manifest.new") == 0 ||
		               strcmp(name, "folders.new") == 0;
		if (is_ours && !is_named(manifest, name))
			bs_dir_remove(dir, name);
	}
	bs_buffer_deinit(&names);
}

void bs_index_sweep_failed(const struct bs_dir *dir, const struct bs_manifest *old)
{
	struct bs_manifest last;
	enum bs_status status = bs_manifest_read(dir, &last, NULL);
	if (status == BS_NOT_FOUND ? !old : !status && old && last.generation == old->generation)
		bs_index_sweep(dir, old);
	bs_manifest_deinit(&last);
}

uint64_t bs_index_next_number(const struct bs_dir *dir, const struct bs_manifest *old)
{
	uint64_t next = old && old->next_number > 1 ? old->next_number : 1;
	struct bs_buffer names = {0};
	if (bs_dir_list(dir, &names, NULL) != BS_OK)
		names.used_bytes = 0;
	for (const char *name = NULL; (name = next_name(&names, name)) != NULL;) {
		uint64_t number = number_of(name);
		if (number >= next)
			next = number + 1;
	}
	bs_buffer_deinit(&names);
	return next;
}

uint64_t bs_index_bytes(const struct bs_dir *dir, const struct bs_manifest *manifest)
{
	uint64_t number,
		n_bytes = bs_dir_file_bytes(dir, "manifest") + bs_dir_file_bytes(dir, "folders");
	char name[BS_INDEX_NAME_BYTES];
	for (size_t at = 0; bs_manifest_next_file(manifest, &at, &number, name);)
		n_bytes += bs_dir_file_bytes(dir, name);
	return n_bytes;
}

/* Finds the group of new files, and the mode that the umask, or the directory's default ACL, leaves
 * of 0666. */
static enum bs_status look_at_new_file(const struct bs_dir *dir, struct stat *found,
                                       struct bs_error *err)
{
	int fd;
	enum bs_status status = bs_dir_create_nameless(dir, 0666, &fd, err);
	if (status)
		return status;
	if (fstat(fd, found) != 0)
		status = bs_fail(err, BS_IO, "%s: %s", dir->path, strerror(errno));
	close(fd);
	return status;
}

enum bs_status bs_index_group(const struct bs_dir *dir, uint64_t *group_out, struct bs_error *err)
{
	struct stat found = {.st_gid = 0};
	enum bs_status status = dir->memory ? BS_OK : look_at_new_file(dir, &found, err);
	*group_out = found.st_gid;
	return status;
}

static enum bs_status set_file_modes(const struct bs_dir *dir, mode_t mode, struct bs_error *err)
{
	struct bs_buffer names = {0};
	enum bs_status status = bs_dir_list(dir, &names, err);
	for (const char *name = NULL; !status && (name = next_name(&names, name)) != NULL;)
		if (number_of(name) != 0 || strcmp(name, "manifest") == 0 ||
		    strcmp(name, "folders") == 0 || strcmp(name, "lock") == 0 || is_courtesy(name))
			status = bs_dir_set_file_mode(dir, name, mode, err);
	bs_buffer_deinit(&names);
	return status;
}

enum bs_status bs_index_set_modes(struct bs_dir *dir, mode_t denied, struct bs_error *err)
{
	bool is_shared = (denied & 0066) != 0066;
	struct stat found = {.st_mode = 0};
	if (dir->memory)
		return BS_OK;
	enum bs_status status = is_shared ? look_at_new_file(dir, &found, err) : BS_OK;
	if (status)
		return status;
	mode_t mode = 0600 | (found.st_mode & 0666 & ~denied);
	dir->file_mode = mode;
	/* Users who may read the folder may also enter it. The folder's mode is set first if the
	 * index becomes private, and last if it becomes shared. */
	mode_t folder_mode = 0700 | mode | (mode & 0444) >> 2;
	if (!is_shared)
		status = bs_dir_set_mode(dir, folder_mode, err);
	if (!status)
		status = set_file_modes(dir, mode, err);
	return status || !is_shared ? status : bs_dir_set_mode(dir, folder_mode, err);
}

enum bs_status bs_tombstones_write(const struct bs_dir *dir, uint64_t number, const uint8_t *bits,
                                   uint64_t n_docs, struct bs_error *err)
{
	struct bs_file_writer *writer;
	enum bs_status status =
		bs_index_file_begin(dir, "del", number, BS_FILE_TOMBSTONES, &writer, err);
	if (status)
		return status;
	bs_file_writer_put(writer, BS_SECTION_BITS, 0, bits, (size_t)((n_docs + 7) / 8));
	return bs_file_writer_finish(writer, NULL, err);
}

enum bs_status bs_exclusions_write(const struct bs_dir *dir, uint64_t number,
                                   const struct bs_doc_table_builder *excluded,
                                   struct bs_error *err)
{
	struct bs_file_writer *writer;
	enum bs_status status =
		bs_index_file_begin(dir, "exc", number, BS_FILE_EXCLUSIONS, &writer, err);
	if (status)
		return status;
	status = bs_doc_table_write(excluded, writer, err);
	if (status) {
		bs_file_writer_abort(writer);
		return status;
	}
	return bs_file_writer_finish(writer, NULL, err);
}

enum bs_status bs_index_keep_segments(const struct bs_snapshot *snapshot,
                                      struct bs_manifest *manifest, uint32_t *n_changed_out,
                                      struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*n_changed_out = 0;
	for (uint32_t i = 0; i < snapshot->manifest.n_segments && !status; i++) {
		struct bs_segment_record record = snapshot->manifest.segments[i];
		uint64_t n_deleted = snapshot->tombstones.changed[i]
		                             ? bs_snapshot_n_deleted(snapshot, i)
		                             : record.n_deleted;
		bool is_changed = n_deleted != record.n_deleted;
		*n_changed_out += is_changed;
		if (n_deleted == record.n_docs && is_changed)
			continue;
		if (is_changed) {
			record.tombstones = n_deleted ? manifest->next_number++ : 0;
			record.n_deleted = n_deleted;
		}
		if (is_changed && n_deleted)
			status = bs_tombstones_write(snapshot->dir, record.tombstones,
			                             snapshot->tombstones.bits[i], record.n_docs,
			                             err);
		if (!status)
			status = bs_manifest_add_segment(manifest, &record, err);
	}
	return status;
}
