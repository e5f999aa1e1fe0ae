/* index_dir.c: see index_dir.h. */
#include "core/index_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTION_BITS 1u

enum bs_status bs_index_create_dir(const char *dir, struct bs_error *err)
{
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return bs_fail(err, BS_IO, "%s: cannot create: %s", dir, strerror(errno));
	struct stat info;
	if (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode))
		return bs_fail(err, BS_IO, "%s: not a directory", dir);
	return BS_OK;
}

char *bs_index_file_path(const char *dir, const char *prefix, uint64_t number)
{
	size_t n_bytes = strlen(dir) + strlen(prefix) + 32;
	char *path = malloc(n_bytes);
	if (path)
		snprintf(path, n_bytes, "%s/%s-%06llu", dir, prefix, (unsigned long long)number);
	return path;
}

/* ---- lock ---- */

static enum bs_status report_holder(const char *dir, int fd, struct bs_error *err)
{
	char holder[32] = "";
	ssize_t n = pread(fd, holder, sizeof(holder) - 1, 0);
	holder[n > 0 ? n : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	return bs_fail(err, BS_BUSY, "%s: another bitsift is writing this index (process %s); try again later, or use --wait",
	               dir, holder[0] ? holder : "unknown");
}

enum bs_status bs_index_lock_take(const char *dir, bool wait, struct bs_index_lock *lock_out, struct bs_error *err)
{
	lock_out->fd = -1;
	size_t n_bytes = strlen(dir) + 8;
	char *path = malloc(n_bytes);
	if (!path)
		return bs_fail_memory(err, "a path", n_bytes);
	snprintf(path, n_bytes, "%s/lock", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	free(path);
	if (fd < 0)
		return bs_fail(err, BS_IO, "%s: cannot open its lock: %s", dir, strerror(errno));
	int failed;
	do
		failed = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
	while (failed && errno == EINTR);
	if (failed) {
		enum bs_status status = errno == EWOULDBLOCK
			? report_holder(dir, fd, err)
			: bs_fail(err, BS_IO, "%s: cannot lock: %s", dir, strerror(errno));
		close(fd);
		return status;
	}
	/* For whoever finds it locked; the lock itself does not depend on what is written. */
	char holder[32];
	int n = snprintf(holder, sizeof(holder), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) != 0 || pwrite(fd, holder, (size_t)n, 0) != n)
		holder[0] = '\0';
	lock_out->fd = fd;
	return BS_OK;
}

void bs_index_lock_release(struct bs_index_lock *lock)
{
	if (lock->fd >= 0)
		close(lock->fd);
	lock->fd = -1;
}

/* ---- sweeping ---- */

static bool is_named(const struct bs_manifest *manifest, const char *name)
{
	char expected[40];
	for (uint32_t i = 0; manifest && i < manifest->n_segments; i++) {
		snprintf(expected, sizeof(expected), "seg-%06llu", (unsigned long long)manifest->segments[i].number);
		if (strcmp(name, expected) == 0)
			return true;
		snprintf(expected, sizeof(expected), "del-%06llu", (unsigned long long)manifest->segments[i].tombstones);
		if (manifest->segments[i].tombstones && strcmp(name, expected) == 0)
			return true;
	}
	return false;
}

/* The number in a name that bs_index_file_path gives; 0 if it is none such. */
static uint64_t number_of(const char *name)
{
	char same[40];
	bool is_numbered = strncmp(name, "seg-", 4) == 0 || strncmp(name, "del-", 4) == 0;
	uint64_t number = is_numbered ? strtoull(name + 4, NULL, 10) : 0;
	snprintf(same, sizeof(same), "%.4s%06llu", name, (unsigned long long)number);
	return strcmp(name, same) == 0 ? number : 0;
}

/* Only names that we ourselves give: somebody's own file in the folder is not ours to remove. */
static bool is_ours(const char *name)
{
	return number_of(name) != 0 || strcmp(name, "manifest.new") == 0;
}

void bs_index_sweep(const char *dir, const struct bs_manifest *manifest)
{
	DIR *stream = opendir(dir);
	if (!stream)
		return;
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
		if (is_ours(entry->d_name) && !is_named(manifest, entry->d_name))
			unlinkat(dirfd(stream), entry->d_name, 0);
	closedir(stream);
}

uint64_t bs_index_next_number(const char *dir)
{
	uint64_t next = 1;
	DIR *stream = opendir(dir);
	if (!stream)
		return next;
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
		uint64_t number = number_of(entry->d_name);
		if (number >= next && number < UINT64_MAX)
			next = number + 1;
	}
	closedir(stream);
	return next;
}

/* ---- tombstones ---- */

enum bs_status bs_tombstones_write(const char *dir, uint64_t number, const uint8_t *bits, uint64_t n_docs,
                                   struct bs_error *err)
{
	char *path = bs_index_file_path(dir, "del", number);
	if (!path)
		return bs_fail_memory(err, "a path", strlen(dir));
	struct bs_writer *writer;
	unlink(path);
	enum bs_status status = bs_writer_open(path, BS_FILE_TOMBSTONES, &writer, err);
	if (!status) {
		bs_writer_section(writer, SECTION_BITS, 0);
		bs_writer_bytes(writer, bits, (size_t)((n_docs + 7) / 8));
		status = bs_writer_finish(writer, NULL, err);
	}
	free(path);
	return status;
}

/* ---- snapshot ---- */

static enum bs_status open_tombstones(struct bs_snapshot *snapshot, uint32_t i, struct bs_error *err)
{
	char *path = bs_index_file_path(snapshot->dir, "del", snapshot->manifest.segments[i].tombstones);
	if (!path)
		return bs_fail_memory(err, "a path", strlen(snapshot->dir));
	struct bs_container **file = &snapshot->tombstone_files[i];
	enum bs_status status = bs_container_open(path, BS_FILE_TOMBSTONES, file, err);
	free(path);
	if (status)
		return status;
	struct bs_section bits = bs_container_section(*file, SECTION_BITS, 0);
	if (bits.n_bytes != (snapshot->segments[i].meta.n_docs + 7) / 8)
		return bs_container_corrupt(*file, err, "tombstones of another segment");
	snapshot->tombstones[i] = bits.data;
	return bs_section_touch(&bits, 0, bits.n_bytes, err);
}

static enum bs_status open_segment(struct bs_snapshot *snapshot, uint32_t i, struct bs_error *err)
{
	const struct bs_segment_record *record = &snapshot->manifest.segments[i];
	struct bs_segment *segment = &snapshot->segments[i];
	char *path = bs_index_file_path(snapshot->dir, "seg", record->number);
	if (!path)
		return bs_fail_memory(err, "a path", strlen(snapshot->dir));
	enum bs_status status = bs_segment_open(segment, path, err);
	free(path);
	if (status)
		return status;
	if (segment->meta.n_docs != record->n_docs || record->n_deleted > record->n_docs)
		return bs_container_corrupt(segment->file, err, "%llu documents where the manifest has %llu",
		                       (unsigned long long)segment->meta.n_docs, (unsigned long long)record->n_docs);
	snapshot->n_docs += segment->meta.n_docs;
	snapshot->n_live_docs += segment->meta.n_docs - record->n_deleted;
	snapshot->n_positions += segment->meta.n_positions;
	return record->tombstones ? open_tombstones(snapshot, i, err) : BS_OK;
}

static enum bs_status open_commit(const char *dir, struct bs_snapshot *snapshot, struct bs_error *err)
{
	*snapshot = (struct bs_snapshot){0};
	enum bs_status status = bs_manifest_read(dir, &snapshot->manifest, err);
	if (status)
		return status;
	size_t n = snapshot->manifest.n_segments ? snapshot->manifest.n_segments : 1;
	snapshot->dir = strdup(dir);
	snapshot->segments = calloc(n, sizeof(*snapshot->segments));
	snapshot->tombstone_files = calloc(n, sizeof(struct bs_container *));
	snapshot->tombstones = calloc(n, sizeof(const uint8_t *));
	if (!snapshot->dir || !snapshot->segments || !snapshot->tombstone_files || !snapshot->tombstones)
		status = bs_fail_memory(err, "a snapshot", n * sizeof(*snapshot->segments));
	for (uint32_t i = 0; i < snapshot->manifest.n_segments && !status; i++)
		status = open_segment(snapshot, i, err);
	if (status)
		bs_snapshot_deinit(snapshot);
	return status;
}

enum bs_status bs_snapshot_open(const char *dir, struct bs_snapshot *snapshot_out, struct bs_error *err)
{
	/* A writer may commit, and sweep what we were about to open, between our reading the manifest and its files: then
	 * there is a newer manifest. Files missing from one that stays the same are damage. */
	uint64_t generation = 0;
	for (;;) {
		enum bs_status status = open_commit(dir, snapshot_out, err);
		if (status != BS_NOT_FOUND)
			return status;
		struct bs_manifest manifest;
		if (bs_manifest_read(dir, &manifest, err) != BS_OK)
			return bs_fail(err, BS_NOT_FOUND, "%s: no index here; make one with `bitsift index`", dir);
		bool is_newer = manifest.generation > generation;
		generation = manifest.generation;
		bs_manifest_deinit(&manifest);
		if (!is_newer)
			return bs_fail(err, BS_CORRUPT, "%s: corrupt: a file that the manifest names is missing; rebuild it with "
			               "`bitsift index --rebuild`", dir);
	}
}

void bs_snapshot_deinit(struct bs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++) {
		if (snapshot->segments)
			bs_segment_deinit(&snapshot->segments[i]);
		if (snapshot->tombstone_files)
			bs_container_close(snapshot->tombstone_files[i]);
	}
	free(snapshot->segments);
	free(snapshot->tombstone_files);
	free(snapshot->tombstones);
	free(snapshot->dir);
	bs_manifest_deinit(&snapshot->manifest);
	*snapshot = (struct bs_snapshot){0};
}
