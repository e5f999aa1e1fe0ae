/* pg_cache.c: see pg_cache.h. */
#include "bindings/postgresql/storage/pg_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/relpath.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/lmgr.h"
#include "utils/timestamp.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/storage/pg_extent.h"
#include "core/bitsift/index_restore.h"
#include "core/bitsift/memory_index.h"

#define FOLDER "pg_stat_tmp/bitsift"
/* The number at the end must be increased if files are named differently, or if the library
 * restores a condensed segment to other bytes than before. */
#define LAYOUT      FOLDER "/1"
#define NAME_DIGITS (2 * sizeof(struct bsp_name))
/* A backend looks for files of dropped relations at most once in this time. */
#define SWEEP_MS 60000
/* The number of a heavyweight "page" lock, as in pg_pending.c. The backend that restores a segment
 * holds this lock. */
#define RESTORE_LOCK_BLOCK 2

/* The prefix of the names of all cached files of the relation: the path of the relation with "+"
 * instead of "/". */
static char *prefix_of(Relation index)
{
	char *path = relpathbackend(BSP_LOCATOR(index), index->rd_backend, MAIN_FORKNUM);
	char *prefix = psprintf("%s.", path);
	for (char *at = prefix; *at; at++)
		if (*at == '/')
			*at = '+';
	pfree(path);
	return prefix;
}

static char *path_of(Relation index, const struct bsp_name *chain, const char *ending)
{
	char digits[NAME_DIGITS + 1];
	for (size_t i = 0; i < sizeof(chain->bytes); i++)
		snprintf(digits + 2 * i, 3, "%02x", chain->bytes[i]);
	char *prefix = prefix_of(index);
	char *path = psprintf(LAYOUT "/%s%s%s", prefix, digits, ending);
	pfree(prefix);
	return path;
}

#define TEMPORARY ".tmp"

/* True if the backend that was creating a temporary file is gone. `ending`, of the file's name, has
 * the start time of the server and the process id. Process ids are compared only within this run of
 * the server, because a later run may reuse them. */
static bool maker_is_gone(const char *ending)
{
	char *end;
	bool is_of_run =
		strtoull(ending + strlen(TEMPORARY), &end, 16) == (unsigned long long)PgStartTime;
	long pid = *end == '-' ? strtol(end + 1, NULL, 10) : 0;
	return !is_of_run || pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

/* True if an entry of the folder belongs to a dropped relation, or is the temporary file of a dead
 * backend. */
static bool is_orphan(const char *name)
{
	const char *dot = strrchr(name, '.');
	bool is_temporary = dot && strncmp(dot, TEMPORARY, strlen(TEMPORARY)) == 0;
	const char *end = is_temporary ? memrchr(name, '.', (size_t)(dot - name)) : dot;
	if (!end || end - name >= MAXPGPATH || (is_temporary && maker_is_gone(dot)))
		return true;
	char path[MAXPGPATH];
	memcpy(path, name, (size_t)(end - name));
	path[end - name] = '\0';
	for (char *at = path; *at; at++)
		if (*at == '+')
			*at = '/';
	struct stat about;
	return stat(path, &about) != 0 && errno == ENOENT;
}

static void make_folder(void)
{
	(void)MakePGDirectory("pg_stat_tmp");
	(void)MakePGDirectory(FOLDER);
	(void)MakePGDirectory(LAYOUT);
}

/* Removes the entries of the folder for which is_gone returns true. */
static void remove_files(bool (*is_gone)(void *context, const char *name), void *context)
{
	DIR *dir = opendir(LAYOUT);
	struct dirent *entry;
	while (dir && (entry = readdir(dir)) != NULL) {
		char path[MAXPGPATH];
		if (entry->d_name[0] == '.' || !is_gone(context, entry->d_name))
			continue;
		snprintf(path, sizeof(path), LAYOUT "/%s", entry->d_name);
		(void)unlink(path);
	}
	if (dir)
		closedir(dir);
}

static bool orphan_is_gone(void *context, const char *name)
{
	return is_orphan(name);
}

static void sweep_orphans(void)
{
	static TimestampTz last;
	TimestampTz now = GetCurrentTimestamp();
	if (last && !TimestampDifferenceExceeds(last, now, SWEEP_MS))
		return;
	last = now;
	remove_files(orphan_is_gone, NULL);
}

/* Removes the folders of other layouts and the marks of other runs. */
static void remove_others(const char *run)
{
	DIR *dir = AllocateDir(FOLDER);
	struct dirent *entry;
	while (dir && (entry = ReadDirExtended(dir, FOLDER, LOG)) != NULL) {
		char path[MAXPGPATH];
		snprintf(path, sizeof(path), FOLDER "/%s", entry->d_name);
		if (entry->d_name[0] != '.' && strcmp(path, LAYOUT) != 0 && strcmp(path, run) != 0)
			(void)rmtree(path, true);
	}
	if (dir)
		FreeDir(dir);
}

/* The first backend that uses the cache in a run of the server removes other layouts and orphans.
 * An empty folder with the name of the run marks that this is done. */
static void begin_run(void)
{
	static bool is_begun;
	char run[MAXPGPATH];
	if (is_begun)
		return;
	is_begun = true;
	make_folder();
	snprintf(run, sizeof(run), FOLDER "/run-%016llx", (unsigned long long)PgStartTime);
	if (MakePGDirectory(run) != 0)
		return;
	remove_others(run);
	sweep_orphans();
}

/* The context of is_unnamed. */
struct sweep {
	const char *prefix;          /* see prefix_of */
	const struct bsp_meta *meta; /* the files it lists are kept; NULL: none is kept */
};

/* True for a complete (not temporary) file of the index that the metapage does not list. */
static bool is_unnamed(void *context, const char *name)
{
	const struct sweep *sweep = context;
	size_t prefix_bytes = strlen(sweep->prefix);
	if (strncmp(name, sweep->prefix, prefix_bytes) != 0 ||
	    strlen(name) != prefix_bytes + NAME_DIGITS)
		return false;
	for (uint32 i = 0; sweep->meta && i < sweep->meta->n_files; i++) {
		const uint8 *bytes = sweep->meta->files[i].chain.bytes;
		char digits[NAME_DIGITS + 1];
		for (size_t k = 0; k < sizeof(struct bsp_name); k++)
			snprintf(digits + 2 * k, 3, "%02x", bytes[k]);
		if (strcmp(name + prefix_bytes, digits) == 0)
			return false;
	}
	return true;
}

void bsp_cache_sweep(Relation index, const struct bsp_meta *meta)
{
	struct sweep sweep = {prefix_of(index), meta};
	remove_files(is_unnamed, &sweep);
	sweep_orphans();
}

void bsp_cache_forget(Relation index)
{
	struct sweep sweep = {prefix_of(index), NULL};
	remove_files(is_unnamed, &sweep);
}

static int open_new(const char *path)
{
	int fd = OpenTransientFile(path, O_CREAT | O_EXCL | O_RDWR | PG_BINARY);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	make_folder();
	return OpenTransientFile(path, O_CREAT | O_EXCL | O_RDWR | PG_BINARY);
}

static bool write_all(void *context, const void *bytes, size_t n_bytes)
{
	int fd = *(const int *)context;
	const char *at = bytes;
	while (n_bytes > 0) {
		ssize_t n = write(fd, at, n_bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		n_bytes -= (size_t)n;
	}
	return true;
}

/* The name of an unfinished file contains the start time of the server and the process id. */
static char *temporary_path(Relation index, const struct bsp_file *file)
{
	char ending[64];
	snprintf(ending, sizeof(ending), TEMPORARY "%016llx-%d", (unsigned long long)PgStartTime,
	         MyProcPid);
	return path_of(index, &file->chain, ending);
}

static bool write_or_fail(void *context, const void *bytes, size_t n_bytes)
{
	if (!write_all(context, bytes, n_bytes))
		ereport(ERROR, (errcode_for_file_access(),
		                errmsg("could not write a file in \"%s\": %m", LAYOUT)));
	return true;
}

static int create_or_fail(const char *path)
{
	(void)unlink(path);
	int fd = open_new(path);
	if (fd < 0)
		ereport(ERROR, (errcode_for_file_access(),
		                errmsg("could not create file \"%s\": %m", path)));
	return fd;
}

/* Reads the condensed segment from its pages into the memory index, through an unlinked file. False
 * if the pages no longer exist. */
static bool put_condensed(Relation index, const struct bsp_file *file,
                          struct bs_memory_index *memory, const char *name, const char *temporary)
{
	int fd = create_or_fail(temporary);
	(void)unlink(temporary);
	bool is_good = bsp_extent_read(index, file, write_or_fail, &fd);
	struct bs_error err;
	enum bs_status status = is_good ? bs_memory_index_put_file(memory, name, fd, &err) : BS_OK;
	CloseTransientFile(fd);
	bsp_check(status, &err, index);
	return is_good;
}

/* Restores the condensed segment `name`, which must be the only file of the memory index, checks
 * the result against the metapage and writes it to fd. If the result is wrong, the pages are
 * damaged and not the cached files; so the error is not thrown by bsp_check, which would drop the
 * cache. */
static void write_restored(Relation index, const struct bsp_file *file,
                           struct bs_memory_index *memory, const char *name, int fd)
{
	struct bs_memory_index_file restored = {.n_bytes = 0};
	struct bs_error err;
	enum bs_status status = bs_memory_index_restore(memory, name, bsp_limits(), &err);
	if (status != BS_CORRUPT) {
		bsp_check(status, &err, index);
		bs_memory_index_remove(memory, name);
		bsp_check(bs_memory_index_file_at(memory, 0, &restored, &err), &err, index);
	}
	if (status == BS_CORRUPT || restored.n_bytes != file->n_bytes ||
	    bsp_checksum(restored.bytes, restored.n_bytes) != file->checksum)
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
		                errmsg("index \"%s\": %s cannot be restored",
		                       RelationGetRelationName(index), file->name),
		                status == BS_CORRUPT ? errdetail("%s", bsp_message(&err)) : 0,
		                errhint("REINDEX makes it anew.")));
	(void)write_or_fail(&fd, restored.bytes, restored.n_bytes);
}

/* Restores a condensed segment from its pages to fd. False if the pages no longer exist. The result
 * is kept in the cache's folder, or in memory if its file system lacks unnamed files. */
static bool restore(Relation index, const struct bsp_file *file, int fd, const char *temporary)
{
	char name[BS_MEMORY_INDEX_NAME_BYTES];
	struct bs_memory_index *memory;
	struct bs_error err;
	bool is_good;
	snprintf(name, sizeof(name), BSP_CONDENSED "%s", file->name + strlen(BSP_SEGMENT));
	bsp_check(bs_memory_index_new(&memory, &err), &err, index);
	PG_TRY();
	{
		(void)!bs_memory_index_use_folder(memory, LAYOUT, NULL);
		is_good = put_condensed(index, file, memory, name, temporary);
		if (is_good)
			write_restored(index, file, memory, name, fd);
	}
	PG_FINALLY();
	{
		bs_memory_index_free(memory);
	}
	PG_END_TRY();
	return is_good;
}

/* Writes the bytes of the file from its pages to fd. False if the pages no longer exist. */
static bool fill_file(Relation index, const struct bsp_file *file, int fd, const char *temporary)
{
	if (!file->is_condensed)
		return bsp_extent_read(index, file, write_or_fail, &fd);
	char *second = psprintf("%s-condensed", temporary);
	bool is_good = restore(index, file, fd, second);
	pfree(second);
	return is_good;
}

/* Syncs before the rename, so that a file with its final name is complete even after a crash. */
static bool name_file(int fd, const char *temporary, const char *path)
{
	return pg_fsync(fd) == 0 && rename(temporary, path) == 0;
}

/* Creates the file from its pages and returns its descriptor; -1 if the pages no longer exist.
 * is_named: gives the file its final name, `path`; false: the file is unlinked. */
static int make_file(Relation index, const struct bsp_file *file, const char *path, bool is_named)
{
	char *temporary = temporary_path(index, file);
	int fd = create_or_fail(temporary);
	bool is_good;
	PG_TRY();
	{
		is_good = fill_file(index, file, fd, temporary);
		if (is_good && is_named && !name_file(fd, temporary, path))
			ereport(ERROR, (errcode_for_file_access(),
			                errmsg("could not name file \"%s\": %m", path)));
	}
	PG_FINALLY();
	{
		/* Fails without effect if the file has been renamed. */
		(void)unlink(temporary);
	}
	PG_END_TRY();
	pfree(temporary);
	if (is_good)
		return fd;
	CloseTransientFile(fd);
	return -1;
}

/* Opens a cached file; -1 if it is missing. Removes a file of the wrong size and treats it as
 * missing; the disk may have been full when it was written. */
static int open_file(const char *path, uint64 n_bytes)
{
	int fd = OpenTransientFile(path, O_RDONLY | PG_BINARY);
	struct stat about;
	if (fd >= 0 && (fstat(fd, &about) != 0 || (uint64)about.st_size != n_bytes)) {
		CloseTransientFile(fd);
		(void)unlink(path);
		return -1;
	}
	return fd;
}

/* True if the cached file has the checksum that the metapage lists. */
static bool is_whole(const struct bsp_file *file, int fd)
{
	void *bytes =
		file->n_bytes ? mmap(NULL, file->n_bytes, PROT_READ, MAP_SHARED, fd, 0) : NULL;
	if (bytes == MAP_FAILED)
		ereport(ERROR, (errcode_for_file_access(),
		                errmsg("could not map a file in \"%s\": %m", LAYOUT)));
	bool is_whole = bsp_checksum(bytes, file->n_bytes) == file->checksum;
	if (bytes)
		munmap(bytes, file->n_bytes);
	return is_whole;
}

/* Checks that the file can be created from its pages and that the cached file is intact. False if
 * the pages no longer exist. */
static bool prove(Relation index, const struct bsp_file *file, const char *path, int cached)
{
	int fd = make_file(index, file, path, false);
	struct bs_error err;
	if (fd < 0)
		return false;
	CloseTransientFile(fd);
	if (is_whole(file, cached))
		return true;
	snprintf(err.text, sizeof(err.text), "%s in the cache has a wrong checksum", file->name);
	bsp_check(BS_CORRUPT, &err, index);
	return false;
}

/* Creates a file that was not in the cache and returns its descriptor; -1 if its pages no longer
 * exist. Restoring a condensed segment takes long, and after a failover all sessions need it at
 * once; so one backend restores it while others wait for a lock. The holder of this lock waits for
 * no other lock. */
static int make_once(Relation index, const struct bsp_file *file, const char *path)
{
	if (!file->is_condensed)
		return make_file(index, file, path, true);
	LockPage(index, RESTORE_LOCK_BLOCK, ExclusiveLock);
	int fd = open_file(path, file->n_bytes);
	if (fd < 0)
		fd = make_file(index, file, path, true);
	UnlockPage(index, RESTORE_LOCK_BLOCK, ExclusiveLock);
	return fd;
}

/* Adds a file to the memory index; creates it if it is not in the cache (*is_new). proves: also
 * checks a cached file. False if its pages no longer exist. */
static bool put_cached(Relation index, const struct bsp_file *file, bool proves,
                       struct bs_memory_index *memory, bool *is_new)
{
	char *path = path_of(index, &file->chain, "");
	int fd = open_file(path, file->n_bytes);
	bool is_good = true;
	if (fd < 0) {
		fd = make_once(index, file, path);
		*is_new = true;
	} else if (proves) {
		is_good = prove(index, file, path, fd);
	}
	struct bs_error err;
	enum bs_status status =
		fd >= 0 && is_good ? bs_memory_index_put_file(memory, file->name, fd, &err) : BS_OK;
	if (fd >= 0)
		CloseTransientFile(fd);
	bsp_check(status, &err, index);
	pfree(path);
	return fd >= 0 && is_good;
}

static bool load(Relation index, const struct bsp_meta *meta, bool proves,
                 struct bs_memory_index **memory_out)
{
	struct bs_error err;
	struct bs_memory_index *memory;
	begin_run();
	bsp_check(bs_memory_index_new(&memory, &err), &err, index);
	bool is_good = true, is_new = false;
	PG_TRY();
	{
		for (uint32 i = 0; is_good && i < meta->n_files; i++)
			is_good = put_cached(index, &meta->files[i], proves, memory, &is_new);
		if (is_good && is_new)
			bsp_cache_sweep(index, meta);
	}
	PG_CATCH();
	{
		bs_memory_index_free(memory);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!is_good)
		bs_memory_index_free(memory);
	*memory_out = is_good ? memory : NULL;
	return is_good;
}

bool bsp_cache_load(Relation index, const struct bsp_meta *meta,
                    struct bs_memory_index **memory_out)
{
	return load(index, meta, false, memory_out);
}

bool bsp_cache_verify(Relation index, const struct bsp_meta *meta,
                      struct bs_memory_index **memory_out)
{
	return load(index, meta, true, memory_out);
}

void bsp_cache_put(Relation index, const struct bsp_file *file, const void *bytes, size_t n_bytes)
{
	char *temporary = temporary_path(index, file);
	char *path = path_of(index, &file->chain, "");
	begin_run();
	int fd = open_new(temporary);
	if (fd >= 0) {
		if (!write_all(&fd, bytes, n_bytes) || !name_file(fd, temporary, path))
			(void)unlink(temporary);
		CloseTransientFile(fd);
	}
	pfree(temporary);
	pfree(path);
}
