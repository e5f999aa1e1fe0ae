/* memory.c: see memory.h. */
#include "core/file/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/memory_index.h"
#include "core/collections/binary_search.h"
#include "core/system/deadline.h"

#define PLACE "an index in memory"

struct file {
	char name[BS_MEMORY_INDEX_NAME_BYTES];
	int fd;    /* owned */
	void *map; /* for bs_memory_index_file_at, mapped on demand; NULL: not mapped */
	size_t map_bytes;
};

/* An in-memory index. `files` is sorted by name; there are few. */
struct bs_memory_index {
	pthread_mutex_t mutex;   /* protects all fields */
	pthread_cond_t unlocked; /* signalled when is_locked becomes false */
	bool is_locked;          /* a writer holds the writer's lock */
	int folder;              /* descriptor of the folder for new files; -1: none */
	struct file *files;
	size_t n_files;
};

enum bs_status bs_memory_index_new(struct bs_memory_index **memory_out, struct bs_error *err)
{
	struct bs_memory_index *memory = calloc(1, sizeof(*memory));
	*memory_out = memory;
	if (!memory)
		return bs_fail_memory(err, PLACE, sizeof(*memory));
	memory->folder = -1;
	pthread_mutex_init(&memory->mutex, NULL);
	pthread_cond_init(&memory->unlocked, NULL);
	return BS_OK;
}

static void unmap(struct file *file)
{
	if (file->map)
		munmap(file->map, file->map_bytes);
	file->map = NULL;
}

void bs_memory_index_free(struct bs_memory_index *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->n_files; i++) {
		unmap(&memory->files[i]);
		close(memory->files[i].fd);
	}
	if (memory->folder >= 0)
		close(memory->folder);
	free(memory->files);
	pthread_cond_destroy(&memory->unlocked);
	pthread_mutex_destroy(&memory->mutex);
	free(memory);
}

/* True if the file exists. Sets its position in `files`, or the position where it would be
 * inserted. */
static bool find(const struct bs_memory_index *memory, const char *name, size_t *i_out)
{
	BS_BINARY_SEARCH(*i_out, i, 0, memory->n_files, strcmp(memory->files[i].name, name) < 0);
	return *i_out < memory->n_files && strcmp(memory->files[*i_out].name, name) == 0;
}

/* Inserts a file at position i of `files`, which then owns fd. The caller holds the mutex, or no
 * other thread has the index yet. */
static enum bs_status put_at(struct bs_memory_index *memory, size_t i, const char *name, int fd,
                             struct bs_error *err)
{
	size_t n_bytes = (memory->n_files + 1) * sizeof(*memory->files);
	struct file *files = realloc(memory->files, n_bytes);
	if (!files)
		return bs_fail_memory(err, "a list of files", n_bytes);
	memory->files = files;
	memmove(files + i + 1, files + i, (memory->n_files++ - i) * sizeof(*files));
	files[i] = (struct file){.fd = fd};
	strcpy(files[i].name, name);
	return BS_OK;
}

static void replace_at(struct bs_memory_index *memory, size_t i, int fd)
{
	struct file *file = &memory->files[i];
	unmap(file);
	close(file->fd);
	file->fd = fd;
}

static void remove_at(struct bs_memory_index *memory, size_t i)
{
	struct file *file = &memory->files[i];
	unmap(file);
	close(file->fd);
	memmove(file, file + 1, (--memory->n_files - i) * sizeof(*file));
}

static enum bs_status fail(const char *name, const char *what, struct bs_error *err)
{
	return bs_fail(err, BS_IO, PLACE ": %s: %s: %s", name, what, strerror(errno));
}

static enum bs_status copy_descriptor(const struct file *file, int *fd_out, struct bs_error *err)
{
	*fd_out = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	return *fd_out < 0 ? fail(file->name, "cannot open", err) : BS_OK;
}

/* Creates a file without a name. at: the descriptor of its folder, path "."; or AT_FDCWD and the
 * path of the folder. */
static int open_nameless(int at, const char *path)
{
	return openat(at, path, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}

enum bs_status bs_memory_index_create_nameless(struct bs_memory_index *memory, int *fd_out,
                                               struct bs_error *err)
{
	pthread_mutex_lock(&memory->mutex);
	*fd_out = memory->folder >= 0 ? open_nameless(memory->folder, ".")
	                              : memfd_create("bitsift", MFD_CLOEXEC);
	/* A kernel without memfd_create: use a nameless file on disk. */
	if (*fd_out < 0 && errno == ENOSYS && memory->folder < 0)
		*fd_out = open_nameless(AT_FDCWD, "/tmp");
	pthread_mutex_unlock(&memory->mutex);
	return *fd_out < 0 ? fail("a file", "cannot create", err) : BS_OK;
}

enum bs_status bs_memory_index_use_folder(struct bs_memory_index *memory, const char *dir,
                                          struct bs_error *err)
{
	int folder = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int probe = folder >= 0 ? open_nameless(folder, ".") : -1;
	if (dir && probe < 0) {
		enum bs_status status = fail(dir, "cannot make files in it", err);
		if (folder >= 0)
			close(folder);
		return status;
	}
	if (probe >= 0)
		close(probe);
	pthread_mutex_lock(&memory->mutex);
	int before = memory->folder;
	memory->folder = folder;
	pthread_mutex_unlock(&memory->mutex);
	if (before >= 0)
		close(before);
	return BS_OK;
}

bool bs_memory_index_has_folder(struct bs_memory_index *memory)
{
	pthread_mutex_lock(&memory->mutex);
	bool has_folder = memory->folder >= 0;
	pthread_mutex_unlock(&memory->mutex);
	return has_folder;
}

enum bs_status bs_memory_index_open_file(struct bs_memory_index *memory, const char *name,
                                         int *fd_out, struct bs_error *err)
{
	size_t i;
	*fd_out = -1;
	pthread_mutex_lock(&memory->mutex);
	enum bs_status status =
		find(memory, name, &i)
			? copy_descriptor(&memory->files[i], fd_out, err)
			: bs_fail(err, BS_NOT_FOUND, PLACE ": %s: no such file", name);
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

/* Adds a file. The name must be new unless replaces is true. On success the index owns fd. */
static enum bs_status put(struct bs_memory_index *memory, const char *name, int fd, bool replaces,
                          struct bs_error *err)
{
	size_t i;
	enum bs_status status = BS_OK;
	pthread_mutex_lock(&memory->mutex);
	if (!find(memory, name, &i))
		status = put_at(memory, i, name, fd, err);
	else if (replaces)
		replace_at(memory, i, fd);
	else
		status = bs_fail(err, BS_IO, PLACE ": %s: cannot create: it is there", name);
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

enum bs_status bs_memory_index_create_file(struct bs_memory_index *memory, const char *name,
                                           int *fd_out, struct bs_error *err)
{
	int fd = -1;
	enum bs_status status = bs_memory_index_create_nameless(memory, fd_out, err);
	if (!status && (fd = fcntl(*fd_out, F_DUPFD_CLOEXEC, 0)) < 0)
		status = fail(name, "cannot create", err);
	if (!status)
		status = put(memory, name, fd, false, err);
	if (!status)
		return BS_OK;
	if (fd >= 0)
		close(fd);
	if (*fd_out >= 0)
		close(*fd_out);
	*fd_out = -1;
	return status;
}

int64_t bs_memory_index_file_bytes(struct bs_memory_index *memory, const char *name)
{
	struct stat found;
	int64_t n_bytes = -1;
	size_t i;
	pthread_mutex_lock(&memory->mutex);
	if (find(memory, name, &i))
		n_bytes = fstat(memory->files[i].fd, &found) == 0 ? (int64_t)found.st_size : 0;
	pthread_mutex_unlock(&memory->mutex);
	return n_bytes;
}

void bs_memory_index_remove(struct bs_memory_index *memory, const char *name)
{
	size_t i;
	pthread_mutex_lock(&memory->mutex);
	if (find(memory, name, &i))
		remove_at(memory, i);
	pthread_mutex_unlock(&memory->mutex);
}

/* Renames a file, which may replace another one. Commits use this; therefore a failure changes
 * nothing. */
enum bs_status bs_memory_index_rename(struct bs_memory_index *memory, const char *from,
                                      const char *to, struct bs_error *err)
{
	size_t i, old;
	int fd = -1;
	enum bs_status status = BS_OK;
	pthread_mutex_lock(&memory->mutex);
	if (!find(memory, from, &i))
		status = bs_fail(err, BS_IO, PLACE ": %s: cannot rename: no such file", from);
	else
		status = copy_descriptor(&memory->files[i], &fd, err);
	if (!status && find(memory, to, &old))
		replace_at(memory, old, fd);
	else if (!status && (status = put_at(memory, old, to, fd, err)))
		close(fd);
	if (!status && find(memory, from, &i))
		remove_at(memory, i);
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

enum bs_status bs_memory_index_list(struct bs_memory_index *memory, struct bs_buffer *names,
                                    struct bs_error *err)
{
	enum bs_status status = BS_OK;
	pthread_mutex_lock(&memory->mutex);
	for (size_t i = 0; i < memory->n_files && !status; i++)
		status = bs_buffer_append(names, memory->files[i].name,
		                          strlen(memory->files[i].name) + 1, err);
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

enum bs_status bs_memory_index_lock(struct bs_memory_index *memory, bool wait, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	pthread_mutex_lock(&memory->mutex);
	while (memory->is_locked && wait && !status) {
		if (!bs_deadline_here) {
			pthread_cond_wait(&memory->unlocked, &memory->mutex);
			continue;
		}
		pthread_mutex_unlock(&memory->mutex);
		status = bs_deadline_sleep(err);
		pthread_mutex_lock(&memory->mutex);
	}
	if (!status && memory->is_locked)
		status = bs_fail(err, BS_BUSY, PLACE ": another writer is writing it");
	memory->is_locked |= !status;
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

void bs_memory_index_unlock(struct bs_memory_index *memory)
{
	pthread_mutex_lock(&memory->mutex);
	memory->is_locked = false;
	pthread_cond_signal(&memory->unlocked);
	pthread_mutex_unlock(&memory->mutex);
}

enum bs_status bs_memory_index_copy(const struct bs_memory_index *memory,
                                    struct bs_memory_index **copy_out, struct bs_error *err)
{
	struct bs_memory_index *from = (struct bs_memory_index *)(uintptr_t)memory, *copy;
	enum bs_status status = bs_memory_index_new(&copy, err);
	*copy_out = copy;
	if (status)
		return status;
	pthread_mutex_lock(&from->mutex);
	if (from->folder >= 0 && (copy->folder = fcntl(from->folder, F_DUPFD_CLOEXEC, 0)) < 0)
		status = fail("its folder", "cannot open", err);
	for (size_t i = 0; i < from->n_files && !status; i++) {
		int fd;
		status = copy_descriptor(&from->files[i], &fd, err);
		if (!status && (status = put_at(copy, copy->n_files, from->files[i].name, fd, err)))
			close(fd);
	}
	pthread_mutex_unlock(&from->mutex);
	if (status) {
		bs_memory_index_free(copy);
		*copy_out = NULL;
	}
	return status;
}

size_t bs_memory_index_n_files(const struct bs_memory_index *memory)
{
	struct bs_memory_index *from = (struct bs_memory_index *)(uintptr_t)memory;
	pthread_mutex_lock(&from->mutex);
	size_t n_files = from->n_files;
	pthread_mutex_unlock(&from->mutex);
	return n_files;
}

/* Maps a file. The map of an empty file, which cannot be mapped, stays NULL. */
static enum bs_status map(struct file *file, struct bs_error *err)
{
	struct stat found;
	if (fstat(file->fd, &found) != 0)
		return fail(file->name, "cannot read", err);
	file->map_bytes = (size_t)found.st_size;
	void *map = file->map_bytes
	                    ? mmap(NULL, file->map_bytes, PROT_READ, MAP_SHARED, file->fd, 0)
	                    : NULL;
	if (map == MAP_FAILED)
		return bs_fail_memory(err, "a file", file->map_bytes);
	file->map = map;
	return BS_OK;
}

enum bs_status bs_memory_index_file_at(const struct bs_memory_index *memory, size_t i,
                                       struct bs_memory_index_file *file_out, struct bs_error *err)
{
	struct bs_memory_index *from = (struct bs_memory_index *)(uintptr_t)memory;
	enum bs_status status = BS_OK;
	*file_out = (struct bs_memory_index_file){.bytes = ""};
	pthread_mutex_lock(&from->mutex);
	if (i >= from->n_files)
		status = bs_fail(err, BS_NOT_FOUND, PLACE ": no file %zu", i);
	else if (!from->files[i].map)
		status = map(&from->files[i], err);
	if (!status) {
		const struct file *file = &from->files[i];
		strcpy(file_out->name, file->name);
		file_out->bytes = file->map ? file->map : "";
		file_out->n_bytes = file->map ? file->map_bytes : 0;
	}
	pthread_mutex_unlock(&from->mutex);
	return status;
}

static enum bs_status check_name(const char *name, struct bs_error *err)
{
	return *name && strlen(name) < BS_MEMORY_INDEX_NAME_BYTES
	               ? BS_OK
	               : bs_fail(err, BS_INVALID, PLACE ": a file's name has 1 to %d bytes",
	                         BS_MEMORY_INDEX_NAME_BYTES - 1);
}

enum bs_status bs_memory_index_descriptor_at(const struct bs_memory_index *memory, size_t i,
                                             int *fd_out, struct bs_error *err)
{
	struct bs_memory_index *from = (struct bs_memory_index *)(uintptr_t)memory;
	*fd_out = -1;
	pthread_mutex_lock(&from->mutex);
	enum bs_status status = i < from->n_files
	                                ? copy_descriptor(&from->files[i], fd_out, err)
	                                : bs_fail(err, BS_NOT_FOUND, PLACE ": no file %zu", i);
	pthread_mutex_unlock(&from->mutex);
	return status;
}

enum bs_status bs_memory_index_put_file(struct bs_memory_index *memory, const char *name, int fd,
                                        struct bs_error *err)
{
	struct stat found;
	enum bs_status status = check_name(name, err);
	if (!status && fstat(fd, &found) != 0)
		status = fail(name, "cannot read", err);
	if (!status && !S_ISREG(found.st_mode))
		status = bs_fail(err, BS_INVALID, PLACE ": %s: no regular file", name);
	if (status)
		return status;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	status = own < 0 ? fail(name, "cannot open", err) : put(memory, name, own, true, err);
	if (status && own >= 0)
		close(own);
	return status;
}

enum bs_status bs_memory_index_put(struct bs_memory_index *memory, const char *name,
                                   const void *bytes, size_t n_bytes, struct bs_error *err)
{
	size_t n_done = 0;
	int fd;
	enum bs_status status = check_name(name, err);
	if (status)
		return status;
	status = bs_memory_index_create_nameless(memory, &fd, err);
	while (!status && n_done < n_bytes) {
		ssize_t n =
			pwrite(fd, (const char *)bytes + n_done, n_bytes - n_done, (off_t)n_done);
		if (n >= 0)
			n_done += (size_t)n;
		else if (errno != EINTR)
			status = fail(name, "cannot write", err);
	}
	if (!status)
		status = put(memory, name, fd, true, err);
	if (status && fd >= 0)
		close(fd);
	return status;
}
