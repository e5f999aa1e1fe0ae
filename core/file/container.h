/*
 * container.h: the format shared by the files of an index (enum bs_container_kind) and catalogs: a
 * header, sections, a section table, and a checksum for every 4 KiB page of every section.
 * FORMAT.md describes it byte by byte.
 *
 * A file is written once, its header last, and never changed. Readers map it. Header, table and
 * list of checksums are verified when a file is opened; a page of a section is verified when it is
 * first touched. Therefore opening is cheap, and a flipped bit is an error and not a lost document.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"

#define BS_FORMAT_VERSION 4u /* for all kinds of files; FORMAT.md has the version log */

/* A checksum covers this many bytes of a section. The last page of a section may be shorter. */
#define BS_PAGE_BYTES 4096u

enum bs_container_kind {
	BS_FILE_MANIFEST = 1,
	BS_FILE_SEGMENT = 2,
	BS_FILE_TOMBSTONES = 3,
	BS_FILE_EXCLUSIONS = 4,
	BS_FILE_FOLDERS = 5,
	BS_FILE_SUMMARY = 6,
	BS_FILE_CATALOG = 7,
	BS_FILE_COUNTS = 8,
	BS_FILE_CONDENSED = 9, /* a condensed segment: indexer/segment/condense.h */
};

/* Features that a file uses in addition to its version; bits in the header. A reader refuses a file
 * with a feature that it does not know. FORMAT.md describes them. */
enum bs_feature {
	BS_FEATURE_SPLIT_IDENTIFIERS = 1u << 1,
	BS_FEATURE_FIELD_WEIGHTS = 1u << 3,
	BS_FEATURE_WORD_RULES = 1u << 4,
	BS_FEATURE_SEPARATE_IDS = 1u << 5,
	BS_FEATURE_NOT_STORED = 1u << 6,
	BS_FEATURE_ANALYZER = 1u << 7,
	BS_FEATURE_SHARED_FRAMES = 1u << 8,
	BS_FEATURE_SHORT_GRAMS = 1u << 9,
	BS_FEATURE_SLOPED_NUMBERS = 1u << 10,
};

/* An open file. */
struct bs_container;
uint32_t bs_container_features(const struct bs_container *file);

/* Writes a file. After the first failure, further writes do nothing, and bs_file_writer_finish
 * returns the failure. Not thread-safe. */
struct bs_file_writer;

/* Creates a file in the directory. The file must not exist yet. dir is borrowed. BS_IO,
 * BS_NO_MEMORY. */
enum bs_status bs_file_writer_open(const struct bs_dir *dir, const char *name,
                                   enum bs_container_kind kind, struct bs_file_writer **writer_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Adds features (enum bs_feature) to the header: a reader that lacks one of them refuses the
 * file. */
void bs_file_writer_require(struct bs_file_writer *writer, uint32_t features);
/* Ends the current section and begins a new one at the next multiple of 64 bytes. No other section
 * of this file may have the same id and instance. */
void bs_file_writer_section(struct bs_file_writer *writer, uint32_t id, uint32_t instance);
void bs_file_writer_bytes(struct bs_file_writer *writer, const void *bytes, size_t n_bytes);
/* Writes a section with these bytes (bs_file_writer_section, then bs_file_writer_bytes). */
void bs_file_writer_put(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                        const void *bytes, size_t n_bytes);
void bs_file_writer_u32(struct bs_file_writer *writer, uint32_t value);
void bs_file_writer_u64(struct bs_file_writer *writer, uint64_t value);
void bs_file_writer_varint(struct bs_file_writer *writer, uint64_t value);
/* Bytes written to the current section so far. */
uint64_t bs_file_writer_section_bytes(const struct bs_file_writer *writer);
/* Writes table, checksums and header, calls fsync unless the index is in memory, closes the file
 * and frees the writer. On failure the file is removed. */
enum bs_status bs_file_writer_finish(struct bs_file_writer *writer, uint64_t *file_bytes_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Closes and removes the file and frees the writer. NULL is allowed. */
void bs_file_writer_abort(struct bs_file_writer *writer);

/* The bytes of a section, borrowed from the file. Bytes may be read only after bs_section_touch has
 * returned BS_OK for them. */
struct bs_section {
	const uint8_t *data; /* aligned to 64 bytes */
	uint64_t n_bytes;    /* 0 also if the file does not have the section */
	const struct bs_container *file;
	/* One bit for each page of the file, accessed atomically; set if the page has been
	 * verified. NULL: nothing needs to be verified. */
	const uint64_t *verified;
	uint64_t first_page; /* index of the first page in the list of all pages of the file */
	uint32_t id;
};

/* Maps a file of the directory and verifies its header and table. Fails like bs_dir_open_file, and
 * with BS_CORRUPT, BS_NO_MEMORY, BS_UNSUPPORTED (another format version than BS_FORMAT_VERSION, or
 * a feature that this program does not know). */
enum bs_status bs_container_open(const struct bs_dir *dir, const char *name,
                                 enum bs_container_kind kind, struct bs_container **file_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_container_close(struct bs_container *file);
/* Closes the descriptor; bs_section_read then uses the mapping. file may be NULL. No other thread
 * may be reading. */
void bs_container_close_descriptor(struct bs_container *file);
uint64_t bs_container_bytes(const struct bs_container *file);
/* The bytes of header, section table and page checksums. */
uint64_t bs_container_check_bytes(const struct bs_container *file);
const char *bs_container_path(const struct bs_container *file);

/* The section; an empty one if the file does not have it. */
struct bs_section bs_container_section(const struct bs_container *file, uint32_t id,
                                       uint32_t instance);

size_t bs_container_n_sections(const struct bs_container *file);
/* Section i in the order of the table. */
struct bs_section bs_container_section_at(const struct bs_container *file, size_t i,
                                          uint32_t *instance_out);

/* The slow path of bs_section_touch. */
enum bs_status bs_section_verify(const struct bs_section *section, uint64_t offset,
                                 uint64_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Allows reading a section without bs_section_touch, for a section with checksums of its own. Has
 * an effect only with AddressSanitizer (container.c). */
void bs_section_trust(const struct bs_section *section);

/* Like bs_section_touch, for few bytes of a page that is probably not needed again: reading such a
 * page costs less than mapping it. If no page of the range has been verified, the pages are read
 * from the file into `room` (BS_SECTION_ROOM(n_bytes) bytes) and verified there; otherwise this is
 * bs_section_touch. *bytes_out points into `room` or into the section. Fails like bs_section_touch,
 * and with BS_IO. */
enum bs_status bs_section_read(const struct bs_section *section, uint64_t offset, uint64_t n_bytes,
                               uint8_t *room, const uint8_t **bytes_out,
                               struct bs_error *err) BS_WARN_UNUSED;
#define BS_SECTION_ROOM(n_bytes) \
	(((n_bytes) + 2 * BS_PAGE_BYTES - 2) / BS_PAGE_BYTES * BS_PAGE_BYTES)

/* Verifies the pages of [offset, offset + n_bytes) in the section. Already verified pages cost one
 * test for each 64 pages. BS_CORRUPT for a damaged page or a range outside the section.
 * Thread-safe. */
static inline BS_WARN_UNUSED enum bs_status bs_section_touch(const struct bs_section *section,
                                                             uint64_t offset, uint64_t n_bytes,
                                                             struct bs_error *err)
{
	if (n_bytes == 0 || offset >= section->n_bytes || n_bytes > section->n_bytes - offset ||
	    !section->verified)
		return bs_section_verify(section, offset, n_bytes, err);
	uint64_t first = section->first_page + offset / BS_PAGE_BYTES;
	uint64_t last = section->first_page + (offset + n_bytes - 1) / BS_PAGE_BYTES;
	if (first == last &&
	    __atomic_load_n(&section->verified[first / 64], __ATOMIC_RELAXED) >> (first % 64) & 1)
		return BS_OK;
	for (uint64_t word = first / 64; word <= last / 64; word++) {
		uint64_t wanted = UINT64_MAX;
		if (word == first / 64)
			wanted &= UINT64_MAX << (first % 64);
		if (word == last / 64)
			wanted &= UINT64_MAX >> (63 - last % 64);
		if (wanted & ~__atomic_load_n(&section->verified[word], __ATOMIC_RELAXED))
			return bs_section_verify(section, offset, n_bytes, err);
	}
	return BS_OK;
}

/* True if the page with this byte has been verified. `offset` must be inside the section.
 * Thread-safe. */
static inline bool bs_section_is_verified(const struct bs_section *section, uint64_t offset)
{
	uint64_t page = section->first_page + offset / BS_PAGE_BYTES;
	return section->verified &&
	       __atomic_load_n(&section->verified[page / 64], __ATOMIC_RELAXED) >> (page % 64) & 1;
}

/* Checks what opening does not: that gaps between sections and the reserved bytes of the header are
 * zero. With bs_section_touch on all sections, this checks every byte of the file. */
enum bs_status bs_container_check_layout(const struct bs_container *file,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* Returns BS_CORRUPT with the message "PATH: corrupt: WHAT; ADVICE". */
enum bs_status bs_container_corrupt(const struct bs_container *file, struct bs_error *err,
                                    const char *format, ...) BS_PRINTF(3, 4);
