/* core_rig.c: see core_rig.h. */
#include "tests/rigs/core_rig.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"

/* ---- the folder of a test ---- */

static char *folder;

int enter_folder(void **state)
{
	/* Without TMPDIR, in memory if possible: these tests call fsync a thousand times, which is
	 * slow on a busy disk. */
	const char *base = getenv("TMPDIR");
	const char *usual = access("/dev/shm", R_OK | W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
	if (asprintf(&folder, "%s/bitsift-core-XXXXXX", base ? base : usual) < 0)
		return -1;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

/* ---- directories ---- */

#define MOST_DIRS 8
static struct bs_dir dirs[MOST_DIRS];
static unsigned n_dirs;

/* Whether the path still leads to this directory. Another directory may have replaced it. */
static bool is_same(const struct bs_dir *dir, const char *path)
{
	struct stat found;
	FREED char *place = realpath(path, NULL);
	return place && strcmp(dir->place, place) == 0 && strcmp(dir->path, path) == 0 &&
	       stat(path, &found) == 0 && found.st_dev == dir->device && found.st_ino == dir->inode;
}

struct bs_dir *dir_at(const char *path)
{
	for (unsigned i = 0; i < n_dirs; i++)
		if (is_same(&dirs[i], path))
			return &dirs[i];
	assert_true(n_dirs < MOST_DIRS);
	ok(bs_dir_open(&dirs[n_dirs], path, NULL, NULL, ERR));
	return &dirs[n_dirs++];
}

int leave_folder(void **state)
{
	while (n_dirs > 0)
		bs_dir_close(&dirs[--n_dirs]);
	limit_file_bytes(UINT64_MAX);
	FREED char *command = NULL;
	int n = asprintf(&command, "rm -rf '%s'", folder);
	free(folder);
	return n < 0 || chdir("/") || system(command) ? -1 : 0;
}

/* ---- random numbers ---- */

uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t random_below(uint64_t *state, uint64_t bound)
{
	return (next_random(state) >> 11) % bound;
}

void fill_random(uint8_t *bytes, size_t n_bytes, uint64_t *state)
{
	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)next_random(state);
}

/* ---- files ---- */

void write_bytes(const char *path, const void *bytes, size_t n_bytes)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	if (n_bytes)
		assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
	assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

void read_bytes(const char *path, struct bs_buffer *bytes)
{
	uint8_t piece[4096];
	FILE *file = fopen(path, "rb");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	for (size_t n; (n = fread(piece, 1, sizeof(piece), file)) > 0;)
		append_bytes(bytes, piece, n);
	fclose(file);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

void assert_buffers_equal(const struct bs_buffer *a, const struct bs_buffer *b)
{
	assert_int_equal(a->used_bytes, b->used_bytes);
	if (a->used_bytes)
		assert_memory_equal(a->data, b->data, a->used_bytes);
}

void copy_bytes(struct bs_buffer *bad, const struct bs_buffer *good)
{
	bs_buffer_clear(bad);
	append_bytes(bad, good->data, good->used_bytes);
}

void limit_file_bytes(uint64_t n_bytes)
{
	struct rlimit limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = n_bytes < limit.rlim_max ? (rlim_t)n_bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* ---- index files ---- */

struct bs_file_writer *new_file(const char *path)
{
	struct bs_file_writer *writer;
	ok(bs_file_writer_open(dir_at("."), path, BS_FILE_SEGMENT, &writer, ERR));
	return writer;
}

void finish_file(struct bs_file_writer *writer)
{
	ok(bs_file_writer_finish(writer, NULL, ERR));
}

struct bs_container *open_file(const char *path)
{
	struct bs_container *file;
	ok(bs_container_open(dir_at("."), path, BS_FILE_SEGMENT, &file, ERR));
	return file;
}

void reseal(uint8_t *file, size_t n_bytes)
{
	size_t table_off = (size_t)bs_load_u64(file + 24);
	uint32_t n_sections = bs_load_u32(file + 32);
	assert_true(table_off <= n_bytes && (size_t)n_sections * 32 <= n_bytes - table_off);
	uint8_t *sums = file + table_off + (size_t)n_sections * 32;
	for (uint32_t i = 0; i < n_sections; i++) {
		const uint8_t *entry = file + table_off + (size_t)i * 32;
		uint64_t offset = bs_load_u64(entry + 8);
		uint64_t left = bs_load_u64(entry + 16);
		uint64_t page = bs_load_u64(entry + 24);
		if (offset > table_off || left > table_off - offset)
			continue;
		for (; left > 0; page++) {
			size_t n = left < BS_PAGE_BYTES ? (size_t)left : BS_PAGE_BYTES;
			if (page < (size_t)(file + n_bytes - sums) / 4)
				bs_store_u32(sums + page * 4,
				             (uint32_t)bs_checksum(file + offset, n));
			offset += n;
			left -= n;
		}
	}
	bs_store_u64(file + 40, bs_checksum(file + table_off, n_bytes - table_off));
	bs_store_u64(file + 56, bs_checksum(file, 56));
}

void write_resealed(const char *path, struct bs_buffer *file)
{
	reseal(file->data, file->used_bytes);
	write_bytes(path, file->data, file->used_bytes);
}

void write_flipped(const struct bs_buffer *good, size_t end, bool is_sealed, uint64_t *random)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bad = {0};
	copy_bytes(&bad, good);
	for (uint64_t flips = 1 + random_below(random, 3); flips > 0; flips--)
		bad.data[64 + random_below(random, end - 64)] ^=
			(uint8_t)(1u << random_below(random, 8));
	if (is_sealed)
		reseal(bad.data, bad.used_bytes);
	write_bytes("file", bad.data, bad.used_bytes);
}

void damage_bytes(uint8_t *bytes, size_t first, size_t end, uint64_t *random)
{
	static const uint8_t harmful[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	for (uint64_t n = 1 + random_below(random, 3); n > 0; n--) {
		uint8_t *byte = bytes + first + random_below(random, end - first);
		*byte = random_below(random, 2) ? harmful[random_below(random, COUNT(harmful))]
		                                : (uint8_t)next_random(random);
	}
}

uint64_t take_bits(const uint8_t *bytes, uint64_t *at, uint64_t n)
{
	uint64_t value = 0;
	for (uint64_t i = 0; i < n; i++, ++*at)
		value |= (uint64_t)(bytes[*at / 8] >> (*at % 8) & 1) << i;
	return value;
}

uint8_t *section_in(uint8_t *file, uint32_t id, uint32_t instance, uint64_t *n_bytes_out)
{
	const uint8_t *entry = file + bs_load_u64(file + 24);
	for (uint32_t n = bs_load_u32(file + 32); n > 0; n--, entry += 32) {
		if (bs_load_u32(entry) != id || bs_load_u32(entry + 4) != instance)
			continue;
		*n_bytes_out = bs_load_u64(entry + 16);
		return file + bs_load_u64(entry + 8);
	}
	fail_msg("no section %u, %u", id, instance);
	return NULL;
}
