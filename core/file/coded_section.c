/* coded_section.c: see coded_section.h. */
#include "core/file/coded_section.h"

static enum bs_status touch(const struct bs_coded_section *at, struct bs_coded_span span,
                            struct bs_error *err)
{
	return span.n_bytes
	               ? bs_section_touch(&at->section, at->offset + span.offset, span.n_bytes, err)
	               : BS_OK;
}

/* Replaces the text of a BS_CORRUPT error by one that names the damaged file. */
static enum bs_status name_file(const struct bs_coded_section *at, enum bs_status status,
                                struct bs_error *err)
{
	return status == BS_CORRUPT && at->section.file
	               ? bs_container_corrupt(at->section.file, err,
	                                      "coded numbers of section %u do not decode",
	                                      at->section.id)
	               : status;
}

enum bs_status bs_coded_section_open(struct bs_coded_section *at, const struct bs_section *section,
                                     uint64_t offset, uint64_t n_bytes, struct bs_error *err)
{
	*at = (struct bs_coded_section){
		.section = *section, .offset = offset, .coded = {.is_set = true}};
	if (n_bytes == 0)
		return BS_OK;
	uint64_t head_bytes = n_bytes < BS_CODED_HEAD_BYTES ? n_bytes : BS_CODED_HEAD_BYTES;
	enum bs_status status = touch(at, (struct bs_coded_span){0, head_bytes}, err);
	if (status)
		return status;
	status = bs_coded_open(section->data + offset, n_bytes, &at->coded, err);
	if (!status && at->coded.n_bytes != n_bytes)
		status = bs_fail(err, BS_CORRUPT, "trailing bytes after coded numbers");
	return name_file(at, status, err);
}

enum bs_status bs_coded_section_has(const struct bs_coded_section *at, uint64_t number,
                                    bool *has_out, struct bs_error *err)
{
	struct bs_coded_span span;
	uint64_t block;
	*has_out = false;
	if (at->coded.n == 0)
		return BS_OK;
	/* Entries are loaded as 8 bytes, and the bytes after the entry are masked out. Therefore 7
	 * more bytes must be verified. */
	struct bs_coded_span directory = bs_coded_directory(&at->coded);
	uint64_t rest = at->coded.n_bytes - directory.offset;
	directory.n_bytes = directory.n_bytes + 7 < rest ? directory.n_bytes + 7 : rest;
	enum bs_status status = touch(at, directory, err);
	if (status || !bs_coded_find(&at->coded, number, &block))
		return status;
	status = bs_coded_block_span(&at->coded, block, &span, err);
	if (!status)
		status = touch(at, span, err);
	if (!status)
		status = bs_coded_block_has(&at->coded, block, number, has_out, err);
	return name_file(at, status, err);
}

enum bs_status bs_coded_set_has(const struct bs_coded_set *set, uint64_t number, bool *has_out,
                                struct bs_error *err)
{
	bool is_gone = false;
	enum bs_status status = bs_coded_section_has(&set->base, number, has_out, err);
	if (!status && *has_out)
		status = bs_coded_section_has(&set->gone, number, &is_gone, err);
	*has_out &= !is_gone;
	return status || *has_out ? status : bs_coded_section_has(&set->more, number, has_out, err);
}

enum bs_status bs_coded_section_read(const struct bs_coded_section *at, struct bs_buffer *numbers,
                                     struct bs_error *err)
{
	if (at->coded.n == 0)
		return BS_OK;
	enum bs_status status = touch(at, (struct bs_coded_span){0, at->coded.n_bytes}, err);
	return name_file(at, status ? status : bs_coded_read(&at->coded, numbers, err), err);
}
