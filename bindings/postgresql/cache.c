/* cache.c: see cache.h. */
#include "cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/relpath.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/timestamp.h"

#include "error.h"
#include "extent.h"
#include "versions.h"

#define FOLDER      "pg_stat_tmp/bitsift"
#define NAME_DIGITS (2 * sizeof(struct bsp_name))
/* So often a backend looks for files of relations that are gone. */
#define SWEEP_MS 60000

/* The folder of this run of the server. */
static const char *folder(void)
{
	static char path[64];
	if (!path[0])
		snprintf(path, sizeof(path), FOLDER "/%016llx", (unsigned long long)PgStartTime);
	return path;
}

static char *relation_path(Relation index)
{
	return relpathbackend(BSP_LOCATOR(index), index->rd_backend, MAIN_FORKNUM);
}

/* What the names of all files of the relation begin with: its path, in one component. */
static char *prefix_of(Relation index)
{
	char *path = relation_path(index);
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
	char *path = psprintf("%s/%s%s%s", folder(), prefix, digits, ending);
	pfree(prefix);
	return path;
}

#define TEMPORARY ".tmp"

/* Of a file that is being made: is whoever makes it gone? */
static bool maker_is_gone(const char *ending)
{
	long pid = strtol(ending + strlen(TEMPORARY), NULL, 10);
	return pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Of an entry of the folder, is it of a relation that is not there any more, or what a backend left that died while it made it? */
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

static void remove_old_runs(void)
{
	DIR *dir = AllocateDir(FOLDER);
	struct dirent *entry;
	const char *own = strrchr(folder(), '/') + 1;
	while (dir && (entry = ReadDirExtended(dir, FOLDER, LOG)) != NULL) {
		if (entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0)
			continue;
		char path[MAXPGPATH];
		snprintf(path, sizeof(path), FOLDER "/%s", entry->d_name);
		(void)rmtree(path, true);
	}
	if (dir)
		FreeDir(dir);
}

static void make_folder(void)
{
	(void)MakePGDirectory("pg_stat_tmp");
	(void)MakePGDirectory(FOLDER);
	if (MakePGDirectory(folder()) == 0)
		remove_old_runs();
}

/* Files of the folder that is_gone says so of. */
static void remove_files(bool (*is_gone)(void *context, const char *name), void *context)
{
	DIR *dir = opendir(folder());
	struct dirent *entry;
	while (dir && (entry = readdir(dir)) != NULL) {
		char path[MAXPGPATH];
		if (entry->d_name[0] == '.' || !is_gone(context, entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder(), entry->d_name);
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

struct sweep {
	const char *prefix;
	const struct bsp_meta *meta;
};

static bool is_unnamed(void *context, const char *name)
{
	const struct sweep *sweep = context;
	size_t prefix_bytes = strlen(sweep->prefix);
	if (strncmp(name, sweep->prefix, prefix_bytes) != 0 || strlen(name) != prefix_bytes + NAME_DIGITS)
		return false;
	for (uint32 i = 0; i < sweep->meta->n_files; i++) {
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

static char *temporary_path(Relation index, const struct bsp_file *file)
{
	char ending[32];
	snprintf(ending, sizeof(ending), TEMPORARY "%d", MyProcPid);
	return path_of(index, &file->chain, ending);
}

static bool write_or_fail(void *context, const void *bytes, size_t n_bytes)
{
	if (!write_all(context, bytes, n_bytes))
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not write a file in \"%s\": %m", folder())));
	return true;
}

/* The file from its pages, for reading; -1: they are not there any more. */
static int make_file(Relation index, const struct bsp_file *file, const char *path)
{
	char *temporary = temporary_path(index, file);
	(void)unlink(temporary);
	int fd = open_new(temporary);
	if (fd < 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not create file \"%s\": %m", temporary)));
	bool is_good;
	PG_TRY();
	{
		is_good = bsp_extent_read(index, file, write_or_fail, &fd);
		if (is_good && rename(temporary, path) != 0)
			ereport(ERROR,
			        (errcode_for_file_access(), errmsg("could not rename file \"%s\": %m", temporary)));
	}
	PG_CATCH();
	{
		(void)unlink(temporary);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (is_good)
		return fd;
	(void)unlink(temporary);
	CloseTransientFile(fd);
	return -1;
}

/* A file with other bytes than there must be is none: the disk was full once, perhaps. */
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

static bool put_cached(Relation index, const struct bsp_file *file, struct bs_memory *memory, bool *is_new)
{
	char *path = path_of(index, &file->chain, "");
	int fd = open_file(path, file->n_bytes);
	if (fd < 0) {
		fd = make_file(index, file, path);
		*is_new = true;
	}
	if (fd < 0)
		return false;
	struct bs_error err;
	enum bs_status status = bs_memory_put_file(memory, file->name, fd, &err);
	CloseTransientFile(fd);
	bsp_check(status, &err, index);
	pfree(path);
	return true;
}

bool bsp_cache_load(Relation index, const struct bsp_meta *meta, struct bs_memory **memory_out)
{
	struct bs_error err;
	struct bs_memory *memory;
	bsp_check(bs_memory_new(&memory, &err), &err, index);
	bool is_good = true, is_new = false;
	PG_TRY();
	{
		for (uint32 i = 0; is_good && i < meta->n_files; i++)
			is_good = put_cached(index, &meta->files[i], memory, &is_new);
		if (is_good && is_new)
			bsp_cache_sweep(index, meta);
	}
	PG_CATCH();
	{
		bs_memory_free(memory);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!is_good)
		bs_memory_free(memory);
	*memory_out = is_good ? memory : NULL;
	return is_good;
}

void bsp_cache_put(Relation index, const struct bsp_file *file, const void *bytes, size_t n_bytes)
{
	char *temporary = temporary_path(index, file);
	char *path = path_of(index, &file->chain, "");
	int fd = open_new(temporary);
	if (fd >= 0) {
		if (!write_all(&fd, bytes, n_bytes) || rename(temporary, path) != 0)
			(void)unlink(temporary);
		CloseTransientFile(fd);
	}
	pfree(temporary);
	pfree(path);
}
