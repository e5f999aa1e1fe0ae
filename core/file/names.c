/* names.c: see names.h. FORMAT.md describes the bytes. */
#include "core/file/names.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/bytes.h"
#include "core/file/segment_sections.h"
#include "core/system/deadline.h"

const struct bs_names_sections bs_names_of_documents = {BS_SECTION_DOC_NAMES,
                                                        BS_SECTION_DOC_NAME_OFFSETS, "documents"};
const struct bs_names_sections bs_names_of_values = {BS_SECTION_VALUE_KEYS,
                                                     BS_SECTION_VALUE_KEY_OFFSETS, "values"};

static enum bs_status code_block(struct bs_buffer *coded, const uint8_t *bytes,
                                 const uint64_t *offsets, uint64_t n, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint64_t i = 0; i < n && !status; i++) {
		const uint8_t *name = bytes + offsets[i];
		uint8_t head[2 * BS_VARINT_MAX_BYTES];
		size_t n_bytes = offsets[i + 1] - offsets[i], n_shared = 0, head_bytes = 0;
		if (i > 0) {
			n_shared = bs_common_bytes(bytes + offsets[i - 1],
			                           offsets[i] - offsets[i - 1], name, n_bytes);
			n_shared =
				n_shared < BS_NAMES_MOST_SHARED ? n_shared : BS_NAMES_MOST_SHARED;
			head_bytes = bs_varint_put(head, n_shared);
		}
		head_bytes += bs_varint_put(head + head_bytes, n_bytes - n_shared);
		status = bs_buffer_append(coded, head, head_bytes, err);
		if (!status)
			status = bs_buffer_append(coded, name + n_shared, n_bytes - n_shared, err);
	}
	return status;
}

/* Estimated time of coding a name, for the deadline. */
#define NAME_NS 30u

enum bs_status bs_names_write(struct bs_file_writer *writer, struct bs_names_sections sections,
                              const uint8_t *bytes, const uint64_t *offsets, uint64_t n,
                              struct bs_error *err)
{
	struct bs_buffer coded = {0};
	uint64_t *starts = calloc(bs_count_blocks(n, BS_NAMES_BLOCK) + 1, sizeof(*starts));
	enum bs_status status = starts ? BS_OK : bs_fail_memory(err, "names", (size_t)n);
	bs_file_writer_section(writer, sections.bytes, 0);
	for (uint64_t block = 0; block < bs_count_blocks(n, BS_NAMES_BLOCK) && !status; block++) {
		uint64_t first = block * BS_NAMES_BLOCK, left = n - first;
		bs_buffer_clear(&coded);
		status = code_block(&coded, bytes, offsets + first,
		                    left < BS_NAMES_BLOCK ? left : BS_NAMES_BLOCK, err);
		if (!status)
			status = bs_deadline_check_after(BS_NAMES_BLOCK * NAME_NS, err);
		if (status)
			break;
		bs_file_writer_bytes(writer, coded.data, coded.used_bytes);
		starts[block + 1] = starts[block] + coded.used_bytes;
	}
	if (!status) {
		bs_packed_write_u64(writer, sections.offsets, 0, starts,
		                    bs_count_blocks(n, BS_NAMES_BLOCK) + 1);
	}
	free(starts);
	bs_buffer_deinit(&coded);
	return status;
}

struct bs_names_block {
	/* The end of each name in `bytes`. A name begins at the end of the previous name. */
	uint64_t ends[BS_NAMES_BLOCK];
	uint8_t bytes[];
};

enum bs_status bs_names_open(struct bs_names *names, const struct bs_container *file,
                             struct bs_names_sections sections, uint64_t n, struct bs_error *err)
{
	*names = (struct bs_names){.n = n,
	                           .what = sections.what,
	                           .bytes = bs_container_section(file, sections.bytes, 0)};
	enum bs_status status =
		bs_packed_open(&names->offsets, bs_container_section(file, sections.offsets, 0),
	                       bs_count_blocks(n, BS_NAMES_BLOCK) + 1, err);
	if (status)
		return status;
	names->blocks =
		calloc(bs_count_blocks(n, BS_NAMES_BLOCK) + 1, sizeof(struct bs_names_block *));
	return names->blocks ? BS_OK
	                     : bs_fail_memory(err, "names",
	                                      bs_count_blocks(n, BS_NAMES_BLOCK) *
	                                              sizeof(struct bs_names_block *));
}

void bs_names_deinit(struct bs_names *names)
{
	for (uint64_t block = 0;
	     names->blocks && !names->spill && block < bs_count_blocks(names->n, BS_NAMES_BLOCK);
	     block++)
		free(names->blocks[block]);
	free(names->blocks);
	*names = (struct bs_names){.n = 0};
}

/* Decodes n names: their ends and, unless `to` is NULL, their bytes. False unless [from, end) is
 * exactly the code of n names. */
static bool decode(const uint8_t *from, const uint8_t *end, uint32_t n, uint64_t *ends, uint8_t *to)
{
	uint64_t at = 0, before_bytes = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t n_shared = 0, n_rest = 0;
		if (i > 0)
			from = bs_varint_get(from, end, &n_shared);
		if (from)
			from = bs_varint_get(from, end, &n_rest);
		if (!from || n_shared > before_bytes || n_shared > BS_NAMES_MOST_SHARED ||
		    n_rest > (uint64_t)(end - from) || n_shared + n_rest > UINT32_MAX)
			return false;
		if (to) {
			memcpy(to + at, to + at - before_bytes, n_shared);
			memcpy(to + at + n_shared, from, n_rest);
		}
		from += n_rest;
		before_bytes = n_shared + n_rest;
		at += before_bytes;
		ends[i] = at;
	}
	return from == end;
}

static enum bs_status make_block(const struct bs_names *names, uint64_t number,
                                 struct bs_names_block **block_out, struct bs_error *err)
{
	uint64_t start, end, left = names->n - number * BS_NAMES_BLOCK;
	uint64_t ends[BS_NAMES_BLOCK] = {0};
	uint32_t n = left < BS_NAMES_BLOCK ? (uint32_t)left : BS_NAMES_BLOCK;
	*block_out = NULL;
	enum bs_status status = bs_packed_get_span(&names->offsets, number, &start, &end, err);
	if (status)
		return status;
	/* If end < start, bs_section_touch returns BS_CORRUPT, because the length is too large. */
	status = bs_section_touch(&names->bytes, start, end - start, err);
	if (status)
		return status;
	const uint8_t *from = names->bytes.data + start;
	if (!decode(from, from + (end - start), n, ends, NULL))
		return bs_container_corrupt(
			names->bytes.file, err, "the names of %s %llu to %llu do not decode",
			names->what, (unsigned long long)(number * BS_NAMES_BLOCK),
			(unsigned long long)(number * BS_NAMES_BLOCK + n - 1));
	void *made = NULL;
	size_t n_bytes = sizeof(struct bs_names_block) + ends[n - 1];
	if (names->spill)
		status = bs_spill_alloc(names->spill, n_bytes, &made, err);
	else if ((made = malloc(n_bytes)) == NULL)
		status = bs_fail_memory(err, "names", n_bytes);
	if (status)
		return status;
	struct bs_names_block *block = made;
	(void)decode(from, from + (end - start), n, block->ends, block->bytes);
	*block_out = block;
	return BS_OK;
}

/* Returns the decoded block. If several threads decode a block at once, the first one's copy is
 * kept; all copies are equal. */
static enum bs_status find_block(const struct bs_names *names, uint64_t number,
                                 struct bs_names_block **block_out, struct bs_error *err)
{
	struct bs_names_block **place = &names->blocks[number], *made;
	*block_out = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (*block_out)
		return BS_OK;
	enum bs_status status = make_block(names, number, &made, err);
	if (status)
		return status;
	if (__atomic_compare_exchange_n(place, block_out, made, false, __ATOMIC_ACQ_REL,
	                                __ATOMIC_ACQUIRE))
		*block_out = made;
	else if (!names->spill)
		free(made);
	return BS_OK;
}

enum bs_status bs_names_get(const struct bs_names *names, uint64_t i, const uint8_t **name_out,
                            uint32_t *n_bytes_out, struct bs_error *err)
{
	struct bs_names_block *block;
	enum bs_status status = find_block(names, i / BS_NAMES_BLOCK, &block, err);
	if (status)
		return status;
	uint32_t at = i % BS_NAMES_BLOCK;
	uint64_t start = at ? block->ends[at - 1] : 0;
	*name_out = block->bytes + start;
	*n_bytes_out = (uint32_t)(block->ends[at] - start);
	return BS_OK;
}

void bs_names_prefetch(const struct bs_names *names, uint64_t i, unsigned step)
{
	struct bs_names_block **place = &names->blocks[i / BS_NAMES_BLOCK];
	const uint32_t at = i % BS_NAMES_BLOCK;
	if (step == 0)
		__builtin_prefetch(place);
	const struct bs_names_block *block =
		step > 0 ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : NULL;
	if (block && step == 1)
		__builtin_prefetch(&block->ends[at]);
	else if (block)
		__builtin_prefetch(block->bytes + (at ? block->ends[at - 1] : 0));
}

/* bs_names_append runs step 2 of bs_names_prefetch for the name AHEAD numbers ahead, and step 1 for
 * the name 2 * AHEAD numbers ahead. */
#define AHEAD 16u

static void prefetch_ahead(const struct bs_names *names, const uint64_t *numbers, size_t i,
                           size_t n)
{
	if (i + 2 * AHEAD < n)
		bs_names_prefetch(names, (uint32_t)numbers[i + 2 * AHEAD], 1);
	if (i + AHEAD < n)
		bs_names_prefetch(names, (uint32_t)numbers[i + AHEAD], 2);
}

enum bs_status bs_names_append(const struct bs_names *names, const uint64_t *numbers,
                               size_t n_numbers, struct bs_buffer *out, size_t *ends_out,
                               struct bs_error *err)
{
	struct bs_names_block *block = NULL;
	uint64_t block_number = UINT64_MAX;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_numbers && !status; i++) {
		uint32_t number = (uint32_t)numbers[i], at = number % BS_NAMES_BLOCK;
		prefetch_ahead(names, numbers, i, n_numbers);
		if (number / BS_NAMES_BLOCK != block_number)
			status = find_block(names, block_number = number / BS_NAMES_BLOCK, &block,
			                    err);
		if (status)
			break;
		uint64_t start = at ? block->ends[at - 1] : 0;
		status = bs_buffer_append(out, block->bytes + start,
		                          (size_t)(block->ends[at] - start), err);
		ends_out[i] = out->used_bytes;
	}
	return status;
}

enum bs_status bs_names_check(const struct bs_names *names, struct bs_error *err)
{
	uint64_t first = 0, last = 0;
	const uint8_t *name;
	uint32_t n_bytes;
	enum bs_status status = bs_packed_check(&names->offsets, err);
	if (!status)
		status = bs_packed_get(&names->offsets, 0, &first, err);
	if (!status)
		status = bs_packed_get(&names->offsets, bs_count_blocks(names->n, BS_NAMES_BLOCK),
		                       &last, err);
	if (!status && (first != 0 || last != names->bytes.n_bytes))
		status = bs_container_corrupt(
			names->bytes.file, err, "names of %s: from %llu to %llu of %llu bytes",
			names->what, (unsigned long long)first, (unsigned long long)last,
			(unsigned long long)names->bytes.n_bytes);
	for (uint64_t i = 0; i < names->n && !status; i += BS_NAMES_BLOCK)
		status = bs_names_get(names, i, &name, &n_bytes, err);
	return status;
}
