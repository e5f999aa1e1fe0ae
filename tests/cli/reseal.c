/*
 * reseal.c: forges files of an index, with correct checksums.
 *
 *   bitsift-reseal FILE VERSION
 *     changes the file's format version, as if another version of bitsift had written it
 *   bitsift-reseal DIRECTORY words
 *     makes an index claim that today's tokenizer rules made its words, so that queries use its
 *     columns
 *   bitsift-reseal FILE SECTION OFFSET BYTES NUMBER
 *     writes NUMBER, of BYTES bytes, at OFFSET in a section, as an attacker could
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/file/container.h"
#include "core/store/manifest.h"

#define HEAD_BYTES    64
#define VERSION_OFF   8
#define TABLE_OFF     24
#define SECTIONS_OFF  32
#define TABLE_SUM_OFF 40
#define CHECKSUM_OFF  56
#define ENTRY_BYTES   32
#define MOST_BYTES    (1u << 20)

/* Updates the checksum of the page that contains the offset. */
static void sum_page(uint8_t *section, uint64_t section_bytes, uint64_t offset, uint8_t *sums)
{
	uint64_t page = offset / BS_PAGE_BYTES;
	uint64_t left = section_bytes - page * BS_PAGE_BYTES;
	uint64_t n_bytes = left < BS_PAGE_BYTES ? left : BS_PAGE_BYTES;
	bs_store_u32(sums + page * 4,
	             (uint32_t)bs_checksum(section + page * BS_PAGE_BYTES, (size_t)n_bytes));
}

static bool put_number(uint8_t *file, size_t file_bytes, uint64_t id, uint64_t offset,
                       uint64_t n_bytes, uint64_t number)
{
	uint64_t table_off = bs_load_u64(file + TABLE_OFF);
	uint32_t n_sections = bs_load_u32(file + SECTIONS_OFF);
	uint8_t *sums = file + table_off + (uint64_t)n_sections * ENTRY_BYTES;
	for (uint32_t i = 0; i < n_sections; i++) {
		const uint8_t *entry = file + table_off + (uint64_t)i * ENTRY_BYTES;
		uint8_t *section = file + bs_load_u64(entry + 8);
		if (bs_load_u32(entry) != id || bs_load_u32(entry + 4) != 0)
			continue;
		if (offset + n_bytes > bs_load_u64(entry + 16))
			return false;
		for (uint64_t byte = 0; byte < n_bytes; byte++) {
			section[offset + byte] = (uint8_t)(number >> (8 * byte));
			sum_page(section, bs_load_u64(entry + 16), offset + byte,
			         sums + bs_load_u64(entry + 24) * 4);
		}
		bs_store_u64(file + TABLE_SUM_OFF,
		             bs_checksum(file + table_off, (size_t)(file_bytes - table_off)));
		return true;
	}
	return false;
}

static bool take_words(const char *path)
{
	struct bs_dir dir = {.fd = -1};
	struct bs_manifest manifest = {.n_sources = 0};
	struct bs_error err = {""};
	enum bs_status status = bs_dir_open(&dir, path, NULL, NULL, &err);
	if (!status)
		status = bs_manifest_read(&dir, &manifest, &err);
	manifest.options.words_revision = BS_TOKENIZER_REVISION;
	if (!status)
		status = bs_tokenizer_versions(manifest.versions.icu, manifest.versions.unicode,
		                               &err);
	if (!status)
		status = bs_manifest_write(&dir, &manifest, &err);
	bs_manifest_deinit(&manifest);
	bs_dir_close(&dir);
	return !status;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[2], "words") == 0)
		return take_words(argv[1]) ? 0 : 2;
	static uint8_t bytes[MOST_BYTES];
	uint64_t numbers[4] = {0};
	FILE *file = argc == 3 || argc == 6 ? fopen(argv[1], "r+be") : NULL;
	size_t n_bytes = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (n_bytes < HEAD_BYTES || n_bytes == sizeof(bytes))
		return 2;
	for (int i = 0; i + 2 < argc; i++)
		numbers[i] = strtoull(argv[i + 2], NULL, 0);
	if (argc == 3)
		bs_store_u32(bytes + VERSION_OFF, (uint32_t)numbers[0]);
	else if (!put_number(bytes, n_bytes, numbers[0], numbers[1], numbers[2], numbers[3]))
		return 2;
	bs_store_u64(bytes + CHECKSUM_OFF, bs_checksum(bytes, CHECKSUM_OFF));
	rewind(file);
	bool is_written = fwrite(bytes, 1, n_bytes, file) == n_bytes;
	return fclose(file) == 0 && is_written ? 0 : 2;
}
