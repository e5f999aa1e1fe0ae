/* core_rig.c: see core_rig.h. */
#include "tests/rigs/core_rig.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "tests/rigs/test.h"

/* ---- a folder of our own ---- */

static char *folder;

int enter_folder(void **state)
{
	/* In memory if there is such a place: these tests fsync a thousand times, which a busy disk makes slow. */
	const char *base = getenv("TMPDIR");
	const char *usual = access("/dev/shm", R_OK | W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
	if (asprintf(&folder, "%s/bitsift-core-XXXXXX", base ? base : usual) < 0)
		return -1;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return remove(path);
}

/* ---- directories ---- */

#define MOST_DIRS 8
static struct bs_dir dirs[MOST_DIRS];
static unsigned n_dirs;

/* Another folder may stand under the path by now. */
static bool is_same(const struct bs_dir *dir, const char *path)
{
	struct stat found;
	char *place = realpath(path, NULL);
	bool is = place && strcmp(dir->place, place) == 0 && strcmp(dir->path, path) == 0 && stat(path, &found) == 0 &&
	          found.st_dev == dir->device && found.st_ino == dir->inode;
	free(place);
	return is;
}

struct bs_dir *dir_at(const char *path)
{
	for (unsigned i = 0; i < n_dirs; i++)
		if (is_same(&dirs[i], path))
			return &dirs[i];
	assert_true(n_dirs < MOST_DIRS);
	OK(bs_dir_open(&dirs[n_dirs], path, NULL, NULL, &failure));
	return &dirs[n_dirs++];
}

static void close_dirs(void)
{
	while (n_dirs > 0)
		bs_dir_close(&dirs[--n_dirs]);
}

int leave_folder(void **state)
{
	close_dirs();
	limit_file_bytes(UINT64_MAX);
	int result = chdir("/") || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) ? -1 : 0;
	free(folder);
	return result;
}

/* ---- statuses ---- */

struct bs_error failure;

void expect_ok(enum bs_status status, const struct bs_error *err)
{
	if (status)
		fail_msg("%s: %s", bs_status_name(status), err->text);
}

void expect_status(enum bs_status status, enum bs_status wanted, const struct bs_error *err)
{
	if (status != wanted)
		fail_msg("\"%s\" where \"%s\" was wanted; the message is: %s", bs_status_name(status),
		         bs_status_name(wanted), status ? err->text : "");
	assert_true(err->text[0] != '\0');
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
		OK(bs_buffer_append(bytes, piece, n, &failure));
	fclose(file);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
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
				bs_store_u32(sums + page * 4, (uint32_t)bs_checksum(file + offset, n));
			offset += n;
			left -= n;
		}
	}
	bs_store_u64(file + 40, bs_checksum(file + table_off, n_bytes - table_off));
	bs_store_u64(file + 56, bs_checksum(file, 56));
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
