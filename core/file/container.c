/* container.c: reads and writes the common format of index files. See container.h; FORMAT.md
 * describes the bytes. */
#include "core/file/container.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/base/bytes.h"
#include "core/base/hash.h"

/*
 * The header: the offset of each field, then the field.
 *
 *      0  magic "BITSIFT\n"        32  u32 number of sections
 *      8  u32 format version       36  u32 features that a reader must know
 *     12  u32 kind of file         40  u64 checksum of the table and the page checksums after it
 *     16  u64 bytes of the file    48  u64 zero
 *     24  u64 offset of the table  56  u64 checksum of bytes 0..55
 */
#define HEAD_BYTES 64u
#define KNOWN_FEATURES                                                                        \
	((uint32_t)(BS_FEATURE_SPLIT_IDENTIFIERS | BS_FEATURE_FIELD_WEIGHTS |                 \
	            BS_FEATURE_WORD_RULES | BS_FEATURE_SEPARATE_IDS | BS_FEATURE_NOT_STORED | \
	            BS_FEATURE_ANALYZER | BS_FEATURE_SHARED_FRAMES | BS_FEATURE_SHORT_GRAMS | \
	            BS_FEATURE_SLOPED_NUMBERS))
/* An entry of the section table: u32 id, u32 instance, u64 offset, u64 bytes, u64 index of the
 * section's first page checksum. */
#define ENTRY_BYTES 32u
#define ALIGN_BYTES 64u

/* Files are written in pieces of the size of a huge page (2 MiB), from their start on. A kernel
 * with large folios then keeps the page cache in huge pages and maps them as such, with 1/512 of
 * the page faults. Measured on an index of 283 MB, Linux 6.18, ext4: scanning columns takes 0.6 to
 * 0.9 of the time in a fresh process, and reading a random byte takes 140 instead of 158 ns. */
#define OUT_BYTES (2u << 20)

static const char head_magic[8] = "BITSIFT\n";

/* The checksum of a page: the low half of XXH3-64. It adds 0.1 % to the file and misses damage with
 * probability 2^-32. */
static uint32_t page_sum(const uint8_t *page, size_t n_bytes)
{
	return (uint32_t)bs_checksum(page, n_bytes);
}

struct bs_file_writer {
	int fd;
	const struct bs_dir *dir;
	char *name;
	enum bs_container_kind kind;
	uint32_t features;
	uint64_t offset;        /* bytes appended to `out` so far */
	struct bs_buffer out;   /* bytes not yet written to fd; at most OUT_BYTES plus a page */
	size_t page_bytes;      /* bytes of the unfinished page at the end of `out` */
	struct bs_buffer table; /* the section table so far */
	struct bs_buffer sums;  /* the page checksums so far, a u32 each */
	uint64_t section_bytes; /* bytes of the current section so far */
	bool in_section;
	enum bs_status status; /* the first failure */
	struct bs_error error;
};

static void writer_fail_io(struct bs_file_writer *writer, const char *what)
{
	if (!writer->status)
		writer->status = bs_fail(&writer->error, BS_IO, "%s/%s: cannot %s: %s",
		                         writer->dir->path, writer->name, what, strerror(errno));
}

/* Writes the first n_bytes of `out` to the file. */
static void writer_flush(struct bs_file_writer *writer, size_t n_bytes)
{
	size_t n_done = 0;
	while (n_done < n_bytes && !writer->status) {
		ssize_t n = write(writer->fd, writer->out.data + n_done, n_bytes - n_done);
		if (n < 0 && errno != EINTR)
			writer_fail_io(writer, "write");
		n_done += n > 0 ? (size_t)n : 0;
	}
	writer->out.used_bytes -= n_bytes;
	memmove(writer->out.data, writer->out.data + n_bytes, writer->out.used_bytes);
}

static void writer_append(struct bs_file_writer *writer, struct bs_buffer *to, const void *bytes,
                          size_t n_bytes)
{
	if (!writer->status)
		writer->status = bs_buffer_append(to, bytes, n_bytes, &writer->error);
}

/* Ends the current page. Only pages of sections have a checksum. */
static void writer_end_page(struct bs_file_writer *writer)
{
	const uint8_t *page = writer->out.data + writer->out.used_bytes - writer->page_bytes;
	if (writer->in_section && writer->page_bytes > 0) {
		uint8_t sum[4];
		bs_store_u32(sum, page_sum(page, writer->page_bytes));
		writer_append(writer, &writer->sums, sum, sizeof(sum));
	}
	writer->page_bytes = 0;
	if (writer->out.used_bytes >= OUT_BYTES)
		writer_flush(writer, OUT_BYTES);
}

static void writer_put(struct bs_file_writer *writer, const void *bytes, size_t n_bytes)
{
	const uint8_t *from = bytes;
	while (n_bytes > 0 && !writer->status) {
		size_t room = BS_PAGE_BYTES - writer->page_bytes;
		size_t n = n_bytes < room ? n_bytes : room;
		memcpy(writer->out.data + writer->out.used_bytes, from, n);
		writer->out.used_bytes += n;
		writer->offset += n;
		writer->page_bytes += n;
		if (n == room)
			writer_end_page(writer);
		from += n;
		n_bytes -= n;
	}
}

/* Ends the current section, if any, and pads to a multiple of ALIGN_BYTES, where the next section
 * or the table may begin. */
static void writer_end_section(struct bs_file_writer *writer)
{
	static const uint8_t zeros[ALIGN_BYTES];
	writer_end_page(writer);
	if (writer->in_section && !writer->status)
		bs_store_u64(writer->table.data + writer->table.used_bytes - 16,
		             writer->section_bytes);
	writer->in_section = false;
	writer_put(writer, zeros, (ALIGN_BYTES - writer->offset % ALIGN_BYTES) % ALIGN_BYTES);
	writer_end_page(writer);
}

static void writer_free(struct bs_file_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	bs_buffer_deinit(&writer->out);
	bs_buffer_deinit(&writer->table);
	bs_buffer_deinit(&writer->sums);
	free(writer->name);
	free(writer);
}

enum bs_status bs_file_writer_open(const struct bs_dir *dir, const char *name,
                                   enum bs_container_kind kind, struct bs_file_writer **writer_out,
                                   struct bs_error *err)
{
	static const uint8_t no_head[HEAD_BYTES];
	*writer_out = NULL;
	struct bs_file_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return bs_fail_memory(err, "a file writer", sizeof(*writer));
	writer->fd = -1;
	writer->kind = kind;
	writer->dir = dir;
	writer->name = strdup(name);
	enum bs_status status = writer->name ? BS_OK : bs_fail_memory(err, "a name", strlen(name));
	if (!status)
		status = bs_buffer_reserve(&writer->out, OUT_BYTES + BS_PAGE_BYTES, err);
	if (!status)
		status = bs_dir_create_file(dir, name, &writer->fd, err);
	if (status) {
		writer_free(writer);
		return status;
	}
	writer_put(writer, no_head, sizeof(no_head));
	*writer_out = writer;
	return BS_OK;
}

void bs_file_writer_section(struct bs_file_writer *writer, uint32_t id, uint32_t instance)
{
	writer_end_section(writer);
	uint8_t entry[ENTRY_BYTES];
	bs_store_u32(entry, id);
	bs_store_u32(entry + 4, instance);
	bs_store_u64(entry + 8, writer->offset);
	bs_store_u64(entry + 16, 0);
	bs_store_u64(entry + 24, writer->sums.used_bytes / 4);
	writer_append(writer, &writer->table, entry, sizeof(entry));
	writer->section_bytes = 0;
	writer->in_section = true;
}

void bs_file_writer_bytes(struct bs_file_writer *writer, const void *bytes, size_t n_bytes)
{
	writer->section_bytes += n_bytes;
	writer_put(writer, bytes, n_bytes);
}

void bs_file_writer_put(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                        const void *bytes, size_t n_bytes)
{
	bs_file_writer_section(writer, id, instance);
	bs_file_writer_bytes(writer, bytes, n_bytes);
}

void bs_file_writer_u32(struct bs_file_writer *writer, uint32_t value)
{
	uint8_t bytes[4];
	bs_store_u32(bytes, value);
	bs_file_writer_bytes(writer, bytes, sizeof(bytes));
}

void bs_file_writer_u64(struct bs_file_writer *writer, uint64_t value)
{
	uint8_t bytes[8];
	bs_store_u64(bytes, value);
	bs_file_writer_bytes(writer, bytes, sizeof(bytes));
}

void bs_file_writer_varint(struct bs_file_writer *writer, uint64_t value)
{
	uint8_t bytes[BS_VARINT_MAX_BYTES];
	bs_file_writer_bytes(writer, bytes, bs_varint_put(bytes, value));
}

void bs_file_writer_require(struct bs_file_writer *writer, uint32_t features)
{
	writer->features |= features;
}

uint64_t bs_file_writer_section_bytes(const struct bs_file_writer *writer)
{
	return writer->section_bytes;
}

static void writer_head(struct bs_file_writer *writer, uint64_t table_offset, uint64_t table_sum)
{
	uint8_t head[HEAD_BYTES] = {0};
	memcpy(head, head_magic, sizeof(head_magic));
	bs_store_u32(head + 8, BS_FORMAT_VERSION);
	bs_store_u32(head + 12, (uint32_t)writer->kind);
	bs_store_u64(head + 16, writer->offset);
	bs_store_u64(head + 24, table_offset);
	bs_store_u32(head + 32, (uint32_t)(writer->table.used_bytes / ENTRY_BYTES));
	bs_store_u32(head + 36, writer->features);
	bs_store_u64(head + 40, table_sum);
	bs_store_u64(head + 56, bs_checksum(head, 56));
	if (!writer->status && pwrite(writer->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
		writer_fail_io(writer, "write the head");
}

enum bs_status bs_file_writer_finish(struct bs_file_writer *writer, uint64_t *file_bytes_out,
                                     struct bs_error *err)
{
	writer_end_section(writer);
	uint64_t table_offset = writer->offset;
	/* The page checksums follow the table, so that one checksum covers both. */
	size_t table_bytes = writer->table.used_bytes;
	writer_append(writer, &writer->table, writer->sums.data, writer->sums.used_bytes);
	uint64_t table_sum = bs_checksum(writer->table.data, writer->table.used_bytes);
	writer_put(writer, writer->table.data, writer->table.used_bytes);
	writer->table.used_bytes = table_bytes;
	writer_flush(writer, writer->out.used_bytes);
	writer_head(writer, table_offset, table_sum);
	/* An in-memory index does not survive a crash, so its files need no fsync. */
	if (!writer->status && !writer->dir->memory && fsync(writer->fd) != 0)
		writer_fail_io(writer, "flush to disk");
	if (!writer->status) {
		int fd = writer->fd;
		writer->fd = -1;
		if (close(fd) != 0)
			writer_fail_io(writer, "close");
	}
	enum bs_status status = writer->status;
	if (status) {
		if (err)
			*err = writer->error;
		bs_dir_remove(writer->dir, writer->name);
	} else if (file_bytes_out) {
		*file_bytes_out = writer->offset;
	}
	writer_free(writer);
	return status;
}

void bs_file_writer_abort(struct bs_file_writer *writer)
{
	if (!writer)
		return;
	bs_dir_remove(writer->dir, writer->name);
	writer_free(writer);
}

/* With AddressSanitizer a mapped file is poisoned, except its header and table; a page of a section
 * is unpoisoned when its checksum is verified. This detects reads without bs_section_touch and
 * reads beyond the end of a section. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define HIDE(bytes, n_bytes) __asan_poison_memory_region(bytes, n_bytes)
#define SHOW(bytes, n_bytes) __asan_unpoison_memory_region(bytes, n_bytes)
#else
#define HIDE(bytes, n_bytes) ((void)(bytes), (void)(n_bytes))
#define SHOW(bytes, n_bytes) ((void)(bytes), (void)(n_bytes))
#endif

struct name {
	uint64_t name;  /* a section's id (high half) and instance (low half) */
	uint32_t place; /* index of the section in the table */
};

struct bs_container {
	char *path;
	const uint8_t *map;
	int fd; /* descriptor of the file, for bs_section_read; -1: closed */
	uint64_t n_bytes;
	const uint8_t *table; /* the section table, in the mapping */
	const uint8_t *sums;  /* the page checksums, in the mapping */
	uint32_t n_sections;
	uint64_t n_pages;   /* number of pages of all sections */
	struct name *names; /* names of all sections, ascending */
	uint64_t *verified; /* one bit per page: set if its checksum has been verified */
	enum bs_container_kind kind;
};

enum bs_status bs_container_corrupt(const struct bs_container *file, struct bs_error *err,
                                    const char *format, ...)
{
	char what[256];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	bool is_of_summary = file->kind == BS_FILE_SUMMARY || file->kind == BS_FILE_COUNTS;
	return bs_fail(err, BS_CORRUPT, "%s: corrupt: %s; %s", file->path, what,
	               file->kind == BS_FILE_CATALOG
	                       ? "if it is a catalog, remove it and add its indexes again"
	               : is_of_summary
	                       ? "the next `bitsift index` that finds a change rebuilds this file"
	                       : "rebuild it with `bitsift index --rebuild`");
}

static enum bs_status file_map(struct bs_container *file, const struct bs_dir *dir,
                               const char *name, struct bs_error *err)
{
	struct stat info;
	enum bs_status status = bs_dir_open_file(dir, name, &file->fd, &info, err);
	if (status)
		return status;
	if (info.st_size < (off_t)HEAD_BYTES)
		return bs_container_corrupt(file, err, "%lld bytes are too few",
		                            (long long)info.st_size);
	file->n_bytes = (uint64_t)info.st_size;
	void *map = mmap(NULL, (size_t)file->n_bytes, PROT_READ, MAP_SHARED, file->fd, 0);
	if (map == MAP_FAILED)
		return bs_fail(err, BS_IO, "%s: cannot map: %s", file->path, strerror(errno));
	file->map = map;
	return BS_OK;
}

/* Refuses a file with features that this program does not know; the message names the first of
 * them. The list of names is indexed by the number of the feature's bit. Bits 0 and 2 were planned,
 * but no file has them (FORMAT.md). */
static enum bs_status refuse_feature(const struct bs_container *file, uint32_t unknown,
                                     struct bs_error *err)
{
	static const char *const names[] = {"numeric columns",
	                                    "split identifiers",
	                                    "summaries",
	                                    "field weights",
	                                    "words by later rules",
	                                    "documents from memory",
	                                    "documents whose texts are elsewhere",
	                                    "an analyzer of its own",
	                                    "stored texts that share frames",
	                                    "5-grams of one column",
	                                    "packed numbers with slopes"};
	uint32_t bit = (uint32_t)__builtin_ctz(unknown);
	char number[32];
	snprintf(number, sizeof(number), "feature %u", bit);
	return bs_fail(
		err, BS_UNSUPPORTED,
		"%s: it has %s, which only a newer bitsift knows; use the one that made it, or "
		"rebuild it with `bitsift index --rebuild`",
		file->path, bit < sizeof(names) / sizeof(*names) ? names[bit] : number);
}

uint32_t bs_container_features(const struct bs_container *file)
{
	return bs_load_u32(file->map + 36);
}

static enum bs_status file_check_head(struct bs_container *file, enum bs_container_kind kind,
                                      struct bs_error *err)
{
	const uint8_t *head = file->map;
	if (memcmp(head, head_magic, sizeof(head_magic)) != 0)
		return bs_container_corrupt(file, err, "not a bitsift file");
	if (bs_load_u64(head + 56) != bs_checksum(head, 56))
		return bs_container_corrupt(file, err, "head: checksum mismatch");
	if (bs_load_u32(head + 8) != BS_FORMAT_VERSION)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: format version %u, this bitsift knows version %u; use the one "
		               "that made it, or rebuild it with "
		               "`bitsift index --rebuild`",
		               file->path, bs_load_u32(head + 8), BS_FORMAT_VERSION);
	if (bs_load_u32(head + 36) & ~KNOWN_FEATURES)
		return refuse_feature(file, bs_load_u32(head + 36) & ~KNOWN_FEATURES, err);
	if (bs_load_u32(head + 12) != (uint32_t)kind)
		return bs_container_corrupt(file, err, "a file of kind %u where kind %d belongs",
		                            bs_load_u32(head + 12), (int)kind);
	if (bs_load_u64(head + 16) != file->n_bytes)
		return bs_container_corrupt(file, err, "%llu bytes where the head says %llu",
		                            (unsigned long long)file->n_bytes,
		                            (unsigned long long)bs_load_u64(head + 16));
	return BS_OK;
}

static enum bs_status file_check_table(struct bs_container *file, struct bs_error *err)
{
	uint64_t offset = bs_load_u64(file->map + 24);
	file->n_sections = bs_load_u32(file->map + 32);
	uint64_t table_bytes = (uint64_t)file->n_sections * ENTRY_BYTES;
	if (offset > file->n_bytes || offset < HEAD_BYTES || table_bytes > file->n_bytes - offset)
		return bs_container_corrupt(file, err, "section table outside the file");
	file->table = file->map + offset;
	file->sums = file->table + table_bytes;
	uint64_t sums_bytes = file->n_bytes - offset - table_bytes;
	file->n_pages = sums_bytes / 4;
	if (bs_load_u64(file->map + 40) !=
	    bs_checksum(file->table, (size_t)(table_bytes + sums_bytes)))
		return bs_container_corrupt(file, err, "section table: checksum mismatch");
	uint64_t next_page = 0, next_offset = HEAD_BYTES;
	for (uint32_t i = 0; i < file->n_sections; i++) {
		const uint8_t *entry = file->table + (uint64_t)i * ENTRY_BYTES;
		uint64_t at = bs_load_u64(entry + 8);
		uint64_t n_bytes = bs_load_u64(entry + 16);
		if (at % ALIGN_BYTES != 0 || at < next_offset || at > offset ||
		    n_bytes > offset - at || bs_load_u64(entry + 24) != next_page)
			return bs_container_corrupt(file, err, "section %u has impossible bounds",
			                            bs_load_u32(entry));
		next_offset = at + n_bytes;
		next_page += (n_bytes + BS_PAGE_BYTES - 1) / BS_PAGE_BYTES;
	}
	if (next_page != file->n_pages)
		return bs_container_corrupt(file, err, "%llu page sums for %llu pages",
		                            (unsigned long long)file->n_pages,
		                            (unsigned long long)next_page);
	return BS_OK;
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	return bs_compare_u64(x->name, y->name);
}

static enum bs_status file_sort_names(struct bs_container *file, struct bs_error *err)
{
	size_t n_bytes = ((size_t)file->n_sections + 1) * sizeof(*file->names);
	file->names = malloc(n_bytes);
	if (!file->names)
		return bs_fail_memory(err, "the names of sections", n_bytes);
	for (uint32_t i = 0; i < file->n_sections; i++) {
		const uint8_t *entry = file->table + (uint64_t)i * ENTRY_BYTES;
		file->names[i] = (struct name){
			(uint64_t)bs_load_u32(entry) << 32 | bs_load_u32(entry + 4), i};
	}
	qsort(file->names, file->n_sections, sizeof(*file->names), compare_names);
	for (uint32_t i = 1; i < file->n_sections; i++)
		if (file->names[i].name == file->names[i - 1].name)
			return bs_container_corrupt(file, err,
			                            "two sections are number %u, instance %u",
			                            (uint32_t)(file->names[i].name >> 32),
			                            (uint32_t)file->names[i].name);
	return BS_OK;
}

enum bs_status bs_container_open(const struct bs_dir *dir, const char *name,
                                 enum bs_container_kind kind, struct bs_container **file_out,
                                 struct bs_error *err)
{
	*file_out = NULL;
	struct bs_container *file = calloc(1, sizeof(*file));
	if (!file)
		return bs_fail_memory(err, "an index file", sizeof(*file));
	enum bs_status status;
	file->fd = -1;
	file->kind = kind;
	if (asprintf(&file->path, "%s/%s", dir->path, name) < 0) {
		file->path = NULL;
		status = bs_fail_memory(err, "a path", strlen(name));
		goto fail;
	}
	status = file_map(file, dir, name, err);
	if (!status)
		status = file_check_head(file, kind, err);
	if (!status)
		status = file_check_table(file, err);
	if (!status)
		status = file_sort_names(file, err);
	if (status)
		goto fail;
	size_t n_words = (size_t)(file->n_pages / 64 + 1);
	file->verified = calloc(n_words, sizeof(*file->verified));
	if (!file->verified) {
		status = bs_fail_memory(err, "page marks", n_words * 8);
		goto fail;
	}
	HIDE(file->map + HEAD_BYTES, (size_t)(file->table - file->map) - HEAD_BYTES);
	*file_out = file;
	return BS_OK;
fail:
	bs_container_close(file);
	return status;
}

void bs_container_close_descriptor(struct bs_container *file)
{
	if (file && file->fd >= 0)
		close(file->fd);
	if (file)
		file->fd = -1;
}

void bs_container_close(struct bs_container *file)
{
	if (!file)
		return;
	if (file->map) {
		SHOW(file->map, (size_t)file->n_bytes);
		munmap((void *)(uintptr_t)file->map, (size_t)file->n_bytes);
	}
	bs_container_close_descriptor(file);
	free(file->verified);
	free(file->names);
	free(file->path);
	free(file);
}

uint64_t bs_container_bytes(const struct bs_container *file)
{
	return file->n_bytes;
}

uint64_t bs_container_check_bytes(const struct bs_container *file)
{
	return HEAD_BYTES + file->n_bytes - (uint64_t)(file->table - file->map);
}

const char *bs_container_path(const struct bs_container *file)
{
	return file->path;
}

size_t bs_container_n_sections(const struct bs_container *file)
{
	return file->n_sections;
}

struct bs_section bs_container_section_at(const struct bs_container *file, size_t i,
                                          uint32_t *instance_out)
{
	const uint8_t *entry = file->table + i * ENTRY_BYTES;
	*instance_out = bs_load_u32(entry + 4);
	return (struct bs_section){
		.data = file->map + bs_load_u64(entry + 8),
		.n_bytes = bs_load_u64(entry + 16),
		.file = file,
		.verified = file->verified,
		.first_page = bs_load_u64(entry + 24),
		.id = bs_load_u32(entry),
	};
}

struct bs_section bs_container_section(const struct bs_container *file, uint32_t id,
                                       uint32_t instance)
{
	struct name wanted = {.name = (uint64_t)id << 32 | instance};
	const struct name *found =
		bsearch(&wanted, file->names, file->n_sections, sizeof(wanted), compare_names);
	if (found)
		return bs_container_section_at(file, found->place, &instance);
	return (struct bs_section){
		.data = file->map, .file = file, .verified = file->verified, .id = id};
}

/* The bytes of a page of the section; the last page may be shorter. */
static size_t page_bytes(const struct bs_section *section, uint64_t page)
{
	uint64_t left = section->n_bytes - page * BS_PAGE_BYTES;
	return (size_t)(left < BS_PAGE_BYTES ? left : BS_PAGE_BYTES);
}

/* Verifies the checksum of a page. bytes: its contents, in the mapping or read from the file. */
static enum bs_status verify_page(const struct bs_section *section, uint64_t page,
                                  const uint8_t *bytes, struct bs_error *err)
{
	const struct bs_container *file = section->file;
	uint64_t index = section->first_page + page;
	SHOW(section->data + page * BS_PAGE_BYTES, page_bytes(section, page));
	if (page_sum(bytes, page_bytes(section, page)) != bs_load_u32(file->sums + index * 4))
		return bs_container_corrupt(
			file, err, "section %u, bytes %llu..: checksum mismatch", section->id,
			(unsigned long long)(page * BS_PAGE_BYTES));
	__atomic_fetch_or(&file->verified[index / 64], UINT64_C(1) << (index % 64),
	                  __ATOMIC_RELAXED);
	return BS_OK;
}

static enum bs_status check_range(const struct bs_section *section, uint64_t offset,
                                  uint64_t n_bytes, struct bs_error *err)
{
	if (offset > section->n_bytes || n_bytes > section->n_bytes - offset)
		return bs_container_corrupt(
			section->file, err,
			"section %u: bytes %llu + %llu reach past its end at %llu", section->id,
			(unsigned long long)offset, (unsigned long long)n_bytes,
			(unsigned long long)section->n_bytes);
	return BS_OK;
}

enum bs_status bs_section_verify(const struct bs_section *section, uint64_t offset,
                                 uint64_t n_bytes, struct bs_error *err)
{
	enum bs_status status = check_range(section, offset, n_bytes, err);
	if (status || n_bytes == 0 || !section->verified)
		return status;
	uint64_t last = (offset + n_bytes - 1) / BS_PAGE_BYTES;
	for (uint64_t page = offset / BS_PAGE_BYTES; page <= last && !status; page++)
		if (!bs_section_is_verified(section, page * BS_PAGE_BYTES))
			status = verify_page(section, page, section->data + page * BS_PAGE_BYTES,
			                     err);
	return status;
}

void bs_section_trust(const struct bs_section *section)
{
	SHOW(section->data, (size_t)section->n_bytes);
}

static enum bs_status read_page(const struct bs_section *section, uint64_t page, uint8_t *bytes,
                                struct bs_error *err)
{
	const struct bs_container *file = section->file;
	uint64_t start = (uint64_t)(section->data - file->map) + page * BS_PAGE_BYTES;
	size_t n_bytes = page_bytes(section, page), n_done = 0;
	while (n_done < n_bytes) {
		ssize_t n =
			pread(file->fd, bytes + n_done, n_bytes - n_done, (off_t)(start + n_done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return bs_fail(err, BS_IO, "%s: cannot read: %s", file->path,
			               n < 0 ? strerror(errno) : "it has become shorter");
		n_done += (size_t)n;
	}
	return verify_page(section, page, bytes, err);
}

enum bs_status bs_section_read(const struct bs_section *section, uint64_t offset, uint64_t n_bytes,
                               uint8_t *room, const uint8_t **bytes_out, struct bs_error *err)
{
	enum bs_status status = check_range(section, offset, n_bytes, err);
	*bytes_out = section->data + offset;
	if (status || n_bytes == 0 || !section->verified)
		return status;
	if (section->file->fd < 0)
		return bs_section_touch(section, offset, n_bytes, err);
	uint64_t first = offset / BS_PAGE_BYTES, last = (offset + n_bytes - 1) / BS_PAGE_BYTES;
	for (uint64_t page = first; page <= last; page++)
		if (bs_section_is_verified(section, page * BS_PAGE_BYTES))
			return bs_section_touch(section, offset, n_bytes, err);
	for (uint64_t page = first; page <= last && !status; page++)
		status = read_page(section, page, room + (page - first) * BS_PAGE_BYTES, err);
	*bytes_out = room + offset % BS_PAGE_BYTES;
	return status;
}

/* Checks the gap [from, to) between sections: fewer than ALIGN_BYTES bytes, all zero. */
static enum bs_status check_gap(const struct bs_container *file, uint64_t from, uint64_t to,
                                struct bs_error *err)
{
	if (to - from >= ALIGN_BYTES)
		return bs_container_corrupt(file, err, "bytes %llu..%llu belong to no section",
		                            (unsigned long long)from, (unsigned long long)to);
	SHOW(file->map + from, (size_t)(to - from));
	for (uint64_t at = from; at < to; at++)
		if (file->map[at] != 0)
			return bs_container_corrupt(file, err,
			                            "byte %llu, between sections, is not zero",
			                            (unsigned long long)at);
	return BS_OK;
}

enum bs_status bs_container_check_layout(const struct bs_container *file, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint64_t end = HEAD_BYTES;
	if (bs_load_u64(file->map + 48) != 0)
		return bs_container_corrupt(file, err, "reserved bytes of the head are not zero");
	for (uint32_t i = 0; i < file->n_sections && !status; i++) {
		const uint8_t *entry = file->table + (uint64_t)i * ENTRY_BYTES;
		status = check_gap(file, end, bs_load_u64(entry + 8), err);
		end = bs_load_u64(entry + 8) + bs_load_u64(entry + 16);
	}
	return status ? status : check_gap(file, end, (uint64_t)(file->table - file->map), err);
}
