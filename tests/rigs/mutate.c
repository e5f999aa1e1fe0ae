/* mutate.c: see mutate.h. A file is split into its sections, which are changed and then joined
 * again. */
#include "tests/rigs/mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/file/container.h"
#include "tests/rigs/core_rig.h"

#define HEAD_BYTES  64u
#define ENTRY_BYTES 32u

struct part {
	uint32_t id;
	uint32_t instance;
	struct bs_buffer bytes;
};

struct parts {
	struct part *list;
	size_t n;
};

static void append_zeros(struct bs_buffer *to, size_t n_bytes)
{
	static const uint8_t zeros[BS_PAGE_BYTES];
	for (size_t n; n_bytes > 0; n_bytes -= n) {
		n = n_bytes < sizeof(zeros) ? n_bytes : sizeof(zeros);
		append_bytes(to, zeros, n);
	}
}

/* ---- splitting and joining ---- */

static struct parts take_apart(const struct bs_buffer *file)
{
	const uint8_t *entry = file->data + bs_load_u64(file->data + 24);
	struct parts parts = {.n = bs_load_u32(file->data + 32)};
	parts.list = calloc(parts.n + 2, sizeof(*parts.list));
	for (size_t i = 0; parts.list && i < parts.n; i++, entry += ENTRY_BYTES) {
		parts.list[i] =
			(struct part){.id = bs_load_u32(entry), .instance = bs_load_u32(entry + 4)};
		append_bytes(&parts.list[i].bytes, file->data + bs_load_u64(entry + 8),
		             (size_t)bs_load_u64(entry + 16));
	}
	return parts;
}

static void parts_free(struct parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		bs_buffer_deinit(&parts->list[i].bytes);
	free(parts->list);
}

/* Joins the sections into *file, whose kind and version are kept. The caller sets the checksums. */
static void put_together(const struct parts *parts, struct bs_buffer *file)
{
	uint64_t n_pages = 0;
	AUTO(bs_buffer_deinit) struct bs_buffer table = {0};
	bs_buffer_clear(file);
	file->used_bytes = HEAD_BYTES;
	for (size_t i = 0; i < parts->n; i++) {
		const struct part *part = &parts->list[i];
		uint8_t entry[ENTRY_BYTES];
		append_zeros(file, -file->used_bytes % 64);
		bs_store_u32(entry, part->id);
		bs_store_u32(entry + 4, part->instance);
		bs_store_u64(entry + 8, file->used_bytes);
		bs_store_u64(entry + 16, part->bytes.used_bytes);
		bs_store_u64(entry + 24, n_pages);
		append_bytes(&table, entry, sizeof(entry));
		append_bytes(file, part->bytes.data, part->bytes.used_bytes);
		n_pages += (part->bytes.used_bytes + BS_PAGE_BYTES - 1) / BS_PAGE_BYTES;
	}
	append_zeros(file, -file->used_bytes % 64);
	uint64_t table_off = file->used_bytes;
	append_bytes(file, table.data, table.used_bytes);
	append_zeros(file, n_pages * 4);
	bs_store_u64(file->data + 16, file->used_bytes);
	bs_store_u64(file->data + 24, table_off);
	bs_store_u32(file->data + 32, (uint32_t)parts->n);
}

/* ---- changes ---- */

/* Draws a number, often from the ends of a range, where errors are likely. */
static uint64_t likely_number(uint64_t *random, uint64_t before, const struct bs_buffer *bytes)
{
	static const uint64_t likely[] = {0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 4095, 4096,
	                                  0x7fff, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x7fffffff,
	                                  0x80000000, 0xfffffffe, 0xffffffff,
	                                  /* More than 32 bits. */
	                                  UINT64_C(1) << 32, UINT64_C(1) << 40, UINT64_C(1) << 56,
	                                  INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
	switch (random_below(random, 8)) {
	case 0:
		return before + 1;
	case 1:
		return before - 1;
	case 2:
		return before * 2;
	case 3:
		return bytes->used_bytes + random_below(random, 3) - 1;
	case 4:
		return bs_load_u64(bytes->data + random_below(random, bytes->used_bytes - 7));
	case 5:
		return before ^ UINT64_C(1) << random_below(random, 64);
	default:
		return likely[random_below(random, COUNT(likely))];
	}
}

/* Changes a number of four or eight bytes, preferably near the beginning, where a section has its
 * counts and offsets. */
static void change_number(struct bs_buffer *bytes, uint64_t *random)
{
	size_t n_bytes = random_below(random, 2) ? 4 : 8;
	if (bytes->used_bytes < 8)
		return;
	uint64_t most = bytes->used_bytes - 8;
	uint64_t at = random_below(random, random_below(random, 3) && most > 64 ? 64 : most + 1);
	at = random_below(random, 4) ? at / n_bytes * n_bytes : at;
	at = random_below(random, 10) ? at : most;
	uint64_t before =
		n_bytes == 4 ? bs_load_u32(bytes->data + at) : bs_load_u64(bytes->data + at);
	uint64_t number = likely_number(random, before, bytes);
	if (n_bytes == 4)
		bs_store_u32(bytes->data + at, (uint32_t)number);
	else
		bs_store_u64(bytes->data + at, number);
}

static void change_byte(struct bs_buffer *bytes, uint64_t *random)
{
	static const uint8_t likely[] = {0,    1,    2,    3,    4,    '.', '/',
	                                 0x0f, 0x10, 0x7f, 0x80, 0xf0, 0xff};
	uint8_t *byte = bytes->data + random_below(random, bytes->used_bytes);
	if (random_below(random, 2))
		*byte ^= (uint8_t)(1u << random_below(random, 8));
	else
		*byte = random_below(random, 2) ? likely[random_below(random, COUNT(likely))]
		                                : (uint8_t)next_random(random);
}

/* Swaps two ranges, overwrites one with the other, or fills one with 0 or 0xff. */
static void change_range(struct bs_buffer *bytes, uint64_t *random)
{
	uint8_t kept[256];
	size_t half = bytes->used_bytes / 2;
	size_t n = 1 + (size_t)random_below(random, half < sizeof(kept) ? half + 1 : sizeof(kept));
	n = n < bytes->used_bytes ? n : bytes->used_bytes;
	uint8_t *a = bytes->data + random_below(random, bytes->used_bytes - n + 1);
	uint8_t *b = bytes->data + random_below(random, bytes->used_bytes - n + 1);
	memcpy(kept, a, n);
	switch (random_below(random, 3)) {
	case 0:
		memmove(a, b, n);
		memcpy(b, kept, n);
		break;
	case 1:
		memmove(b, a, n);
		break;
	default:
		memset(a, random_below(random, 2) ? 0xff : 0, n);
	}
}

static void change_length(struct bs_buffer *bytes, uint64_t *random)
{
	static const size_t steps[] = {1, 4, 8, 16, 64, 4096};
	size_t n = steps[random_below(random, COUNT(steps))];
	switch (random_below(random, 4)) {
	case 0:
		bytes->used_bytes -= n < bytes->used_bytes ? n : bytes->used_bytes;
		break;
	case 1:
		bytes->used_bytes = (size_t)random_below(random, bytes->used_bytes + 1);
		break;
	case 2:
		append_zeros(bytes, n);
		break;
	default:
		append_zeros(bytes, n);
		fill_random(bytes->data + bytes->used_bytes - n, n, random);
	}
}

/* Replaces the contents of the section by those of a section of the other file, usually one with
 * the same id; or empties it, changes its id or instance, or adds a copy of its first half. */
static void change_section(struct parts *parts, struct part *part, const struct bs_buffer *other,
                           uint64_t *random)
{
	struct parts from = take_apart(other);
	size_t first = from.n ? (size_t)random_below(random, from.n) : 0;
	size_t found = first;
	switch (random_below(random, 6)) {
	case 0:
		bs_buffer_clear(&part->bytes);
		break;
	case 1:
		part->id = (uint32_t)random_below(random, 2) ? part->id + 1
		                                             : (uint32_t)random_below(random, 45);
		break;
	case 2:
		part->instance += random_below(random, 2) ? 1 : UINT32_MAX;
		break;
	case 3:
		parts->list[parts->n] = (struct part){.id = part->id, .instance = part->instance};
		append_bytes(&parts->list[parts->n].bytes, part->bytes.data,
		             part->bytes.used_bytes / 2);
		parts->n++;
		break;
	default:
		for (size_t i = 0; i < from.n && random_below(random, 8); i++) {
			found = (first + i) % from.n;
			if (from.list[found].id == part->id)
				break;
		}
		if (from.n) {
			bs_buffer_clear(&part->bytes);
			append_bytes(&part->bytes, from.list[found].bytes.data,
			             from.list[found].bytes.used_bytes);
		}
	}
	parts_free(&from);
}

/* Changes one number in the section table of the finished file or, in a quarter of the calls and in
 * files without a section table, in its head. */
static void change_frame(struct bs_buffer *file, uint64_t *random)
{
	uint64_t table_off = bs_load_u64(file->data + 24);
	uint64_t table_bytes = (uint64_t)bs_load_u32(file->data + 32) * ENTRY_BYTES;
	struct bs_buffer part = {.data = file->data + 8, .used_bytes = 48};
	if (random_below(random, 4) && table_bytes > 0)
		part = (struct bs_buffer){.data = file->data + table_off,
		                          .used_bytes = table_bytes};
	change_number(&part, random);
}

/* Recomputes the checksums; only that of the head if the section table is outside the file. */
static void mend(struct bs_buffer *file)
{
	uint64_t table_off = bs_load_u64(file->data + 24), n_bytes = file->used_bytes;
	uint64_t table_bytes = (uint64_t)bs_load_u32(file->data + 32) * ENTRY_BYTES;
	if (table_off <= n_bytes && table_bytes <= n_bytes - table_off)
		reseal(file->data, file->used_bytes);
	else
		bs_store_u64(file->data + 56, bs_checksum(file->data, 56));
}

void mutate_file(struct bs_buffer *file, const struct bs_buffer *other, uint64_t *random)
{
	AUTO(parts_free) struct parts parts = take_apart(file);
	/* Mostly a single change: a file with several errors is refused at the first one. */
	uint64_t n_changes = random_below(random, 3) ? 1 : 1 + random_below(random, 4);
	for (uint64_t n = n_changes; n > 0 && parts.n > 0 && parts.list; n--) {
		struct part *part = &parts.list[random_below(random, parts.n)];
		uint64_t what = random_below(random, 20);
		if (part->bytes.used_bytes == 0 && what >= 3)
			continue;
		if (what == 0 && parts.n < (size_t)bs_load_u32(file->data + 32) + 2)
			change_section(&parts, part, other, random);
		else if (what < 3)
			change_length(&part->bytes, random);
		else if (what < 6)
			change_range(&part->bytes, random);
		else if (what < 12)
			change_byte(&part->bytes, random);
		else
			change_number(&part->bytes, random);
	}
	put_together(&parts, file);
	if (random_below(random, 30) == 0)
		change_frame(file, random);
	mend(file);
}
