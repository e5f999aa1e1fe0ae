/* dir.c: see dir.h. */
#include "core/file/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/memory_index.h"
#include "core/bitsift/terminal.h"
#include "core/file/memory.h"

#define ROOT 0u
/* Place of an in-memory index. The path cannot exist, because a device has no entries. */
#define MEMORY_PLACE "/dev/null/memory"

static bool is_trusted(const struct bs_dir *dir, uid_t owner)
{
	const struct bs_consent *consent = dir->consent;
	return owner == dir->user || owner == ROOT || owner == dir->owner ||
	       (consent &&
	        (consent->all ||
	         (consent->trusts && consent->trusts(consent->context, dir->place, owner))));
}

/* Fails because the owner is not trusted. name: a file of the directory, or NULL for the directory
 * itself. */
static enum bs_status refuse_owner(const struct bs_dir *dir, const char *name, uid_t owner,
                                   struct bs_error *err)
{
	(void)bs_fail(err, BS_UNTRUSTED, "%s%s%s: belongs to another user (%u)", dir->path,
	              name ? "/" : "", name ? name : "", (unsigned)owner);
	bs_advise(err, "; to trust this index: ",
	          (const char *const[]){"bitsift", "trust", dir->place, NULL});
	return BS_UNTRUSTED;
}

static enum bs_status open_memory(struct bs_dir *dir, struct bs_error *err)
{
	dir->path = strdup("(memory)");
	dir->place = strdup(MEMORY_PLACE);
	if (dir->path && dir->place)
		return BS_OK;
	bs_dir_close(dir);
	return bs_fail_memory(err, "a path", sizeof(MEMORY_PLACE));
}

enum bs_status bs_dir_open(struct bs_dir *dir, const char *path, struct bs_memory_index *memory,
                           const struct bs_consent *consent, struct bs_error *err)
{
	struct stat found;
	*dir = (struct bs_dir){.memory = memory,
	                       .fd = -1,
	                       .user = geteuid(),
	                       .file_mode = 0600,
	                       .consent = consent};
	dir->owner = dir->user;
	if (consent && BS_CHECK_RESERVED(err, BS_RESERVED(bs_consent, *consent)) != BS_OK)
		return BS_UNSUPPORTED;
	if (!path == !memory)
		return bs_fail(err, BS_INVALID, "an index is either in a directory or in memory");
	if (memory)
		return open_memory(dir, err);
	dir->path = strdup(path);
	if (!dir->path)
		return bs_fail_memory(err, "a path", strlen(path));
	dir->place = realpath(path, NULL);
	if (dir->place)
		dir->fd = open(dir->place, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	enum bs_status status = BS_OK;
	if (dir->fd < 0 && errno == ENOENT)
		status = bs_fail(err, BS_NOT_FOUND,
		                 "%s: no index here; make one with `bitsift index`", path);
	else if (dir->fd < 0 || fstat(dir->fd, &found) != 0)
		status = bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));
	else if (!is_trusted(dir, found.st_uid))
		status = refuse_owner(dir, NULL, found.st_uid, err);
	if (status) {
		bs_dir_close(dir);
		return status;
	}
	dir->owner = found.st_uid;
	dir->device = found.st_dev;
	dir->inode = found.st_ino;
	return BS_OK;
}

void bs_dir_close_descriptor(struct bs_dir *dir)
{
	if (dir->place && dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}

void bs_dir_close(struct bs_dir *dir)
{
	bs_dir_close_descriptor(dir);
	free(dir->path);
	free(dir->place);
	*dir = (struct bs_dir){.fd = -1};
}

static enum bs_status refuse_file(const struct bs_dir *dir, const char *name, const char *what,
                                  struct bs_error *err)
{
	return bs_fail(err, BS_CORRUPT,
	               "%s/%s: corrupt: %s, but index files must be plain files with one name: "
	               "remove it; `bitsift index --rebuild` restores what is missing",
	               dir->path, name, what);
}

static enum bs_status fail_open(const struct bs_dir *dir, const char *name, struct bs_error *err)
{
	if (errno == ELOOP)
		return refuse_file(dir, name, "it is a symbolic link", err);
	if (errno == ENXIO)
		return refuse_file(dir, name, "it is a pipe, device or folder", err);
	return bs_fail(err, errno == ENOENT ? BS_NOT_FOUND : BS_IO, "%s/%s: %s", dir->path, name,
	               strerror(errno));
}

/* Checks an opened file before it is used. On failure the file is closed and *fd is -1. */
static enum bs_status admit(const struct bs_dir *dir, const char *name, int *fd, struct stat *found,
                            struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (fstat(*fd, found) != 0)
		status = bs_fail(err, BS_IO, "%s/%s: %s", dir->path, name, strerror(errno));
	else if (!S_ISREG(found->st_mode))
		status = refuse_file(dir, name, "it is a pipe, device or folder", err);
	/* A file with 0 links is accepted: a writer may just have removed it. */
	else if (found->st_nlink > 1)
		status = refuse_file(dir, name, "it has several names (hard links)", err);
	else if (!is_trusted(dir, found->st_uid))
		status = refuse_owner(dir, name, found->st_uid, err);
	if (status) {
		close(*fd);
		*fd = -1;
	}
	return status;
}

/* Flags for opening a file. O_NONBLOCK, because opening a pipe would wait for a writer of the
 * pipe. */
#define SAFE_FLAGS (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

enum bs_status bs_dir_open_file(const struct bs_dir *dir, const char *name, int *fd_out,
                                struct stat *found_out, struct bs_error *err)
{
	if (dir->memory) {
		enum bs_status status = bs_memory_index_open_file(dir->memory, name, fd_out, err);
		return status || fstat(*fd_out, found_out) == 0 ? status
		                                                : fail_open(dir, name, err);
	}
	*fd_out = openat(dir->fd, name, O_RDONLY | SAFE_FLAGS);
	return *fd_out < 0 ? fail_open(dir, name, err) : admit(dir, name, fd_out, found_out, err);
}

/* If root created the file in the index of another user, gives the file to that user, because
 * otherwise the user could not use the index. */
static void give_away(const struct bs_dir *dir, int fd)
{
	if (dir->user == ROOT && dir->owner != ROOT)
		(void)!fchown(fd, dir->owner, (gid_t)-1);
}

enum bs_status bs_dir_open_lock(const struct bs_dir *dir, const char *name, int *fd_out,
                                struct bs_error *err)
{
	struct stat found;
	*fd_out = openat(dir->fd, name, O_RDWR | SAFE_FLAGS);
	if (*fd_out < 0 && errno == ENOENT) {
		*fd_out = openat(dir->fd, name, O_RDWR | O_CREAT | SAFE_FLAGS, dir->file_mode);
		if (*fd_out >= 0)
			give_away(dir, *fd_out);
	}
	return *fd_out < 0 ? fail_open(dir, name, err) : admit(dir, name, fd_out, &found, err);
}

enum bs_status bs_dir_create_file(const struct bs_dir *dir, const char *name, int *fd_out,
                                  struct bs_error *err)
{
	if (dir->memory)
		return bs_memory_index_create_file(dir->memory, name, fd_out, err);
	*fd_out = openat(dir->fd, name, O_RDWR | O_CREAT | O_EXCL | SAFE_FLAGS, dir->file_mode);
	if (*fd_out < 0)
		return bs_fail(err, BS_IO, "%s/%s: cannot create: %s", dir->path, name,
		               strerror(errno));
	give_away(dir, *fd_out);
	return BS_OK;
}

enum bs_status bs_dir_create_nameless(const struct bs_dir *dir, mode_t mode, int *fd_out,
                                      struct bs_error *err)
{
	char name[64];
	if (dir->memory)
		return bs_memory_index_create_nameless(dir->memory, fd_out, err);
	*fd_out = openat(dir->fd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, mode);
	/* Fallback for file systems without O_TMPFILE: create a file with a name and unlink it. */
	for (unsigned i = 0;
	     *fd_out < 0 && i < 100 &&
	     (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == EEXIST);
	     i++) {
		snprintf(name, sizeof(name), ".bitsift-%ld-%u", (long)getpid(), i);
		*fd_out = openat(dir->fd, name, O_RDWR | O_CREAT | O_EXCL | SAFE_FLAGS, mode);
		if (*fd_out >= 0)
			unlinkat(dir->fd, name, 0);
	}
	return *fd_out < 0 ? bs_fail(err, BS_IO, "%s: cannot make a temporary file: %s", dir->path,
	                             strerror(errno))
	                   : BS_OK;
}

enum bs_status bs_dir_place(const struct bs_dir *dir, struct bs_buffer *buffer,
                            struct bs_error *err)
{
	int fd;
	if (buffer->file || buffer->capacity_bytes)
		return BS_OK;
	enum bs_status status = bs_dir_create_nameless(dir, 0600, &fd, err);
	if (!status)
		bs_buffer_use_file(buffer, fd);
	return status;
}

bool bs_dir_has_folder(const struct bs_dir *dir)
{
	return !dir->memory || bs_memory_index_has_folder(dir->memory);
}

enum bs_status bs_dir_spill(const struct bs_dir *dir, struct bs_buffer *buffer, uint64_t most_bytes,
                            struct bs_error *err)
{
	struct bs_buffer in_file = {0};
	if (buffer->file || buffer->used_bytes <= most_bytes || !bs_dir_has_folder(dir))
		return BS_OK;
	enum bs_status status = bs_dir_place(dir, &in_file, err);
	if (!status)
		status = bs_buffer_append(&in_file, buffer->data, buffer->used_bytes, err);
	if (status) {
		bs_buffer_deinit(&in_file);
		return status;
	}
	bs_buffer_deinit(buffer);
	*buffer = in_file;
	return BS_OK;
}

bool bs_dir_has(const struct bs_dir *dir, const char *name)
{
	struct stat found;
	if (dir->memory)
		return bs_memory_index_file_bytes(dir->memory, name) >= 0;
	return fstatat(dir->fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

uint64_t bs_dir_file_bytes(const struct bs_dir *dir, const char *name)
{
	struct stat found;
	if (dir->memory) {
		int64_t n_bytes = bs_memory_index_file_bytes(dir->memory, name);
		return n_bytes < 0 ? 0 : (uint64_t)n_bytes;
	}
	return fstatat(dir->fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)found.st_size
	                                                                : 0;
}

void bs_dir_remove(const struct bs_dir *dir, const char *name)
{
	if (dir->memory)
		bs_memory_index_remove(dir->memory, name);
	else
		unlinkat(dir->fd, name, 0);
}

enum bs_status bs_dir_rename(const struct bs_dir *dir, const char *from, const char *to,
                             struct bs_error *err)
{
	if (dir->memory)
		return bs_memory_index_rename(dir->memory, from, to, err);
	if (renameat(dir->fd, from, dir->fd, to) == 0)
		return BS_OK;
	return bs_fail(err, BS_IO, "%s/%s: cannot rename: %s", dir->path, from, strerror(errno));
}

static int open_list(const struct bs_dir *dir)
{
	return openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

enum bs_status bs_dir_flush(const struct bs_dir *dir, struct bs_error *err)
{
	if (dir->memory)
		return BS_OK;
	int fd = open_list(dir);
	if (fd < 0)
		return bs_fail(err, BS_IO, "%s: %s", dir->path, strerror(errno));
	enum bs_status status = BS_OK;
	if (fsync(fd) != 0)
		status = bs_fail(err, BS_IO, "%s: cannot flush to disk: %s", dir->path,
		                 strerror(errno));
	close(fd);
	return status;
}

enum bs_status bs_dir_list(const struct bs_dir *dir, struct bs_buffer *names, struct bs_error *err)
{
	if (dir->memory)
		return bs_memory_index_list(dir->memory, names, err);
	int fd = open_list(dir);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	enum bs_status status =
		list ? BS_OK : bs_fail(err, BS_IO, "%s: %s", dir->path, strerror(errno));
	for (struct dirent *entry; !status && (entry = readdir(list)) != NULL;)
		status = bs_buffer_append(names, entry->d_name, strlen(entry->d_name) + 1, err);
	if (list)
		closedir(list);
	else if (fd >= 0)
		close(fd);
	return status;
}

/* Sets the permission bits of an open file, or of the directory if name is NULL. before: the mode
 * that the file or directory has now. */
static enum bs_status set_mode(const struct bs_dir *dir, const char *name, int fd, mode_t before,
                               mode_t mode, struct bs_error *err)
{
	/* The error EPERM (a file of another user, or a file system without permission bits) is
	 * ignored. */
	if ((before & 0777) == mode || fchmod(fd, (before & 07000) | mode) == 0 || errno == EPERM)
		return BS_OK;
	return bs_fail(err, BS_IO, "%s%s%s: cannot set its mode: %s", dir->path, name ? "/" : "",
	               name ? name : "", strerror(errno));
}

enum bs_status bs_dir_set_file_mode(const struct bs_dir *dir, const char *name, mode_t mode,
                                    struct bs_error *err)
{
	struct stat found;
	int fd;
	if (dir->memory)
		return BS_OK;
	/* Ignores entries that are not regular files, or that have several hard links. */
	if (fstatat(dir->fd, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode) ||
	    found.st_nlink > 1 || (found.st_mode & 0777) == mode)
		return BS_OK;
	enum bs_status status = bs_dir_open_file(dir, name, &fd, &found, err);
	if (status)
		return status == BS_NOT_FOUND ? BS_OK : status;
	status = set_mode(dir, name, fd, found.st_mode, mode, err);
	close(fd);
	return status;
}

enum bs_status bs_dir_set_mode(const struct bs_dir *dir, mode_t mode, struct bs_error *err)
{
	struct stat found;
	if (dir->memory)
		return BS_OK;
	int fd = open_list(dir);
	enum bs_status status;
	if (fd < 0 || fstat(fd, &found) != 0)
		status = bs_fail(err, BS_IO, "%s: %s", dir->path, strerror(errno));
	else
		status = set_mode(dir, NULL, fd, found.st_mode, mode, err);
	if (fd >= 0)
		close(fd);
	return status;
}

/* True if the path is inside the folder or does not exist. Used if the kernel has no openat2, or if
 * openat2 does not decide (EPERM, EAGAIN). Resolves the path with realpath, which may access files
 * outside the folder. */
static bool resolves_below(int folder, const char *path)
{
	char proc[40], base[4096];
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", folder);
	ssize_t n = readlink(proc, base, sizeof(base) - 1);
	char *joined = NULL;
	if (n <= 0)
		return false;
	base[n] = '\0';
	if (asprintf(&joined, "%s/%s", base, path) < 0)
		return false;
	char *real = realpath(joined, NULL);
	bool is_gone = !real && (errno == ENOENT || errno == ENOTDIR);
	bool is_below = n == 1 || (real && strncmp(real, base, (size_t)n) == 0 &&
	                           (real[n] == '/' || !real[n]));
	free(joined);
	free(real);
	return is_gone || is_below;
}

/* Opens the parent folder of the directory. Opens the directory by its path if its descriptor is
 * closed. Returns -1 on failure, for an in-memory index, and if the path now leads to another
 * directory. */
static int open_parent(const struct bs_dir *dir)
{
	struct stat found;
	if (dir->memory)
		return -1;
	int fd = dir->fd >= 0 ? dir->fd
	                      : open(dir->place, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_it = fd >= 0 &&
	             (fd == dir->fd || (fstat(fd, &found) == 0 && found.st_dev == dir->device &&
	                                found.st_ino == dir->inode));
	int parent = is_it ? openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0 && fd != dir->fd)
		close(fd);
	return parent;
}

bool bs_dir_parent_contains(const struct bs_dir *dir, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	                       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	int folder = open_parent(dir);
	if (folder < 0)
		return false;
	int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	/* After these errors the path counts as inside: the code that reads it will report them. */
	bool is_beside = fd >= 0 || errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
	                 errno == EIO || errno == ESTALE;
	if (fd >= 0)
		close(fd);
	else if (errno == ENOSYS || errno == EPERM || errno == EAGAIN)
		is_beside = resolves_below(folder, path);
	close(folder);
	return is_beside;
}
