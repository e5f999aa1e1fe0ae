/*
 * container.h: the shape shared by every file of an index (segments, manifest, tombstones): a head,
 * sections, a section table and a checksum for every 4 KiB page of every section. FORMAT.md has it
 * byte by byte.
 *
 * Written once, front to back, never changed; read by mmap. Head, table and checksums are verified
 * when a file is opened; a page of a section is verified when it is first touched, so that opening
 * stays cheap and a flipped bit is an error and not a lost document.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"

#define BS_FORMAT_VERSION 4u /* of all kinds of files; FORMAT.md says what changed */

/* One checksum covers this many bytes of a section (the last page of a section may be shorter). */
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
	BS_FILE_CONDENSED = 9, /* a segment: indexer/segment/condense.h */
};

/* What a reader must know of a file beside its version: bits of the head. FORMAT.md names them. */
enum bs_feature {
	BS_FEATURE_SPLIT_IDENTIFIERS = 1u << 1,
	BS_FEATURE_FIELD_WEIGHTS = 1u << 3,
	BS_FEATURE_WORD_RULES = 1u << 4,
	BS_FEATURE_GIVEN = 1u << 5,
	BS_FEATURE_NOT_STORED = 1u << 6,
	BS_FEATURE_ANALYZER = 1u << 7,
	BS_FEATURE_SHARED_FRAMES = 1u << 8,
	BS_FEATURE_SHORT_GRAMS = 1u << 9,
	BS_FEATURE_SLOPED_NUMBERS = 1u << 10,
};

/* Of an opened file. */
struct bs_container;
uint32_t bs_container_features(const struct bs_container *file);

/* Sticky: after the first failure every call does nothing, and bs_file_writer_finish reports it.
 * One thread. */
struct bs_file_writer;

/* Creates a file of the directory (borrowed; which must not have it). BS_IO names it;
 * BS_NO_MEMORY. */
enum bs_status bs_file_writer_open(const struct bs_dir *dir, const char *name,
                                   enum bs_container_kind kind, struct bs_file_writer **writer_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Readers that lack one of these (enum bs_feature) refuse the file. */
void bs_file_writer_require(struct bs_file_writer *writer, uint32_t features);
/* Starts a section at the next multiple of 64 bytes, ending the one before. (id, instance) must be
 * new to the file. */
void bs_file_writer_section(struct bs_file_writer *writer, uint32_t id, uint32_t instance);
void bs_file_writer_bytes(struct bs_file_writer *writer, const void *bytes, size_t n_bytes);
/* Both: starts a section with these bytes. */
void bs_file_writer_put(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                        const void *bytes, size_t n_bytes);
void bs_file_writer_u32(struct bs_file_writer *writer, uint32_t value);
void bs_file_writer_u64(struct bs_file_writer *writer, uint64_t value);
void bs_file_writer_varint(struct bs_file_writer *writer, uint64_t value);
/* Bytes of the current section so far. */
uint64_t bs_file_writer_section_bytes(const struct bs_file_writer *writer);
/* Writes table, checksums and head, fsyncs, closes and frees. On failure the file is removed. */
enum bs_status bs_file_writer_finish(struct bs_file_writer *writer, uint64_t *file_bytes_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Closes, removes the file and frees. NULL is fine. */
void bs_file_writer_abort(struct bs_file_writer *writer);

/* Bytes of one section, borrowed from the file. Nothing in it may be read before bs_section_touch
 * said BS_OK. */
struct bs_section {
	const uint8_t *data; /* aligned to 64 bytes */
	uint64_t n_bytes;
	const struct bs_container *file;
	/* a bit a page of the file, by atomic access; NULL: nothing to verify */
	const uint64_t *verified;
	uint64_t first_page; /* of the file's list of pages */
	uint32_t id;
};

/* Maps and validates a file of the directory. As bs_dir_open_file, and BS_CORRUPT, BS_UNSUPPORTED
 * (a newer format), BS_NO_MEMORY. */
enum bs_status bs_container_open(const struct bs_dir *dir, const char *name,
                                 enum bs_container_kind kind, struct bs_container **file_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_container_close(struct bs_container *file);
/* Closes the descriptor alone: from then on bytes come from the mapping. NULL is fine. Not while
 * another thread reads. */
void bs_container_close_descriptor(struct bs_container *file);
uint64_t bs_container_bytes(const struct bs_container *file);
/* Those of its head, section table and page sums. */
uint64_t bs_container_check_bytes(const struct bs_container *file);
const char *bs_container_path(const struct bs_container *file);

/* The section, or one of zero bytes if the file has none such. */
struct bs_section bs_container_section(const struct bs_container *file, uint32_t id,
                                       uint32_t instance);

/* Number of sections, and the i-th as it stands in the table. */
size_t bs_container_n_sections(const struct bs_container *file);
struct bs_section bs_container_section_at(const struct bs_container *file, size_t i,
                                          uint32_t *instance_out);

/* The slow part of bs_section_touch. */
enum bs_status bs_section_verify(const struct bs_section *section, uint64_t offset,
                                 uint64_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Of a section that carries checksums of its own, which nobody touches: it may be read as it is. */
void bs_section_trust(const struct bs_section *section);

/* The same bytes for who looks at few of a page, and most likely once: mapping a page costs more
 * than reading it. Pages that were not verified before are read into room, of
 * BS_SECTION_ROOM(n_bytes), and verified there; *bytes_out points into it, or to the section. As
 * bs_section_touch, and BS_IO. */
enum bs_status bs_section_read(const struct bs_section *section, uint64_t offset, uint64_t n_bytes,
                               uint8_t *room, const uint8_t **bytes_out,
                               struct bs_error *err) BS_WARN_UNUSED;
#define BS_SECTION_ROOM(n_bytes) \
	(((n_bytes) + 2 * BS_PAGE_BYTES - 2) / BS_PAGE_BYTES * BS_PAGE_BYTES)

/* Verifies the pages under [offset, offset + n_bytes) of the section; those verified before cost a
 * test for 64 of them. BS_CORRUPT for a bad page or a range outside the section. Any thread. */
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

/* Whether the page of one byte, which must lie within the section, needs no touch any more. Any
 * thread. */
static inline bool bs_section_is_verified(const struct bs_section *section, uint64_t offset)
{
	uint64_t page = section->first_page + offset / BS_PAGE_BYTES;
	return section->verified &&
	       __atomic_load_n(&section->verified[page / 64], __ATOMIC_RELAXED) >> (page % 64) & 1;
}

/* What opening does not look at: that nothing but zeros fills the gaps, that the reserved bytes of
 * the head are zero. Together with touching every section: every byte of the file. */
enum bs_status bs_container_check_layout(const struct bs_container *file,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* The one way to say that a file is damaged: "PATH: corrupt: WHAT; ..." with the advice to
 * re-index. */
enum bs_status bs_container_corrupt(const struct bs_container *file, struct bs_error *err,
                                    const char *format, ...) BS_PRINTF(3, 4);
