/* gram_shard.c: see gram_shard.h; bytes in FORMAT.md. */
#include "core/matrix/gram_shard.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"

#define META_BYTES  (32u + 4 * BS_GRAM_TIERS + BS_GRAM_TIERS)
#define ENTRY_BYTES 32u

enum bs_status bs_gram_shard_begin(struct bs_file_writer *writer, uint32_t i,
                                   const struct bs_gram_shard_shape *shape, const uint32_t *rows,
                                   struct bs_buffer *entries, struct bs_error *err)
{
	uint8_t entry[ENTRY_BYTES] = {0};
	bs_store_u32(entry, shape->size_class);
	bs_store_u32(entry + 4, shape->n_docs);
	bs_store_u32(entry + 8, shape->n_columns);
	bs_packed_write_u32(writer, BS_SECTION_GRAM_ROWS, i, rows, shape->n_docs);
	bs_file_writer_section(writer, BS_SECTION_GRAM_COLUMNS, i);
	return bs_buffer_append(entries, entry, sizeof(entry), err);
}

void bs_gram_shards_write(struct bs_file_writer *writer, const struct bs_gram_meta *meta,
                          const struct bs_buffer *entries,
                          const uint32_t *const listed[BS_GRAM_TIERS])
{
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		if (bs_gram_listed_end(tier) == 0)
			continue;
		bs_packed_write_u32(writer, BS_SECTION_GRAM_TIERS, tier, listed[tier],
		                    meta->n_listed[tier]);
	}
	bs_file_writer_section(writer, BS_SECTION_GRAM_META, 0);
	bs_file_writer_u64(writer, BS_GRAM_SCHEME);
	bs_file_writer_u64(writer, meta->n_docs);
	bs_file_writer_u64(writer, meta->n_bits);
	bs_file_writer_u64(writer, entries->used_bytes / ENTRY_BYTES);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		bs_file_writer_u32(writer, meta->n_listed[tier]);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		bs_file_writer_bytes(writer, &meta->n_hashes[tier], 1);
	bs_file_writer_put(writer, BS_SECTION_GRAM_SHARDS, 0, entries->data, entries->used_bytes);
}

static enum bs_status open_shard(struct bs_gram_shard *shard, const struct bs_container *file,
                                 uint32_t i, const uint8_t *entry, struct bs_error *err)
{
	struct bs_gram_shard_shape shape = {
		.size_class = bs_load_u32(entry),
		.n_docs = bs_load_u32(entry + 4),
		.n_columns = bs_load_u32(entry + 8),
	};
	if (shape.size_class >= BS_GRAM_SIZE_CLASSES ||
	    shape.n_columns != bs_gram_size_class_columns(shape.size_class) || shape.n_docs == 0 ||
	    shape.n_docs > BS_GRAM_SHARD_MAX_DOCS)
		return bs_container_corrupt(file, err, "gram shard %u has an impossible shape", i);
	shard->shape = shape;
	shard->column_bytes = bs_gram_column_bytes(shape.n_docs);
	shard->columns = bs_container_section(file, BS_SECTION_GRAM_COLUMNS, i);
	uint64_t n_bytes = (uint64_t)shape.n_columns * shard->column_bytes;
	if (shard->columns.n_bytes != n_bytes)
		return bs_container_corrupt(
			file, err, "gram shard %u: %llu bytes of columns, its shape asks for %llu",
			i, (unsigned long long)shard->columns.n_bytes, (unsigned long long)n_bytes);
	return bs_packed_open(&shard->rows, bs_container_section(file, BS_SECTION_GRAM_ROWS, i),
	                      shape.n_docs, err);
}

/* Whether a gram of this tier may have this number of columns. */
static bool may_have(uint32_t tier, uint32_t n_hashes)
{
	if (tier >= BS_GRAM_TRIGRAM_TIERS)
		return n_hashes >= 1 && n_hashes <= tier - BS_GRAM_TRIGRAM_TIERS + 1;
	return tier == BS_GRAM_LEFT_OUT ? n_hashes == 0
	                                : n_hashes > 0 && n_hashes <= BS_GRAM_MAX_HASHES;
}

static enum bs_status open_tiers(struct bs_gram_shards *grams, const struct bs_container *file,
                                 struct bs_error *err)
{
	const struct bs_gram_meta *meta = &grams->meta;
	enum bs_status status = BS_OK;
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		if (!may_have(tier, meta->n_hashes[tier]))
			return bs_container_corrupt(file, err, "grams have %u columns",
			                            meta->n_hashes[tier]);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS && !status; tier++) {
		if (meta->n_listed[tier] > bs_gram_listed_end(tier))
			return bs_container_corrupt(file, err, "a list of %u grams of tier %u",
			                            meta->n_listed[tier], tier);
		if (bs_gram_listed_end(tier) > 0)
			status = bs_packed_open(
				&grams->listed[tier],
				bs_container_section(file, BS_SECTION_GRAM_TIERS, tier),
				meta->n_listed[tier], err);
	}
	return status;
}

static enum bs_status read_meta(struct bs_gram_shards *grams, const struct bs_container *file,
                                uint64_t n_docs, struct bs_section *entries_out,
                                struct bs_error *err)
{
	struct bs_section meta = bs_container_section(file, BS_SECTION_GRAM_META, 0);
	*entries_out = bs_container_section(file, BS_SECTION_GRAM_SHARDS, 0);
	if (meta.n_bytes == 0 && entries_out->n_bytes == 0)
		return BS_OK;
	if (meta.n_bytes != META_BYTES)
		return bs_container_corrupt(file, err, "%llu bytes of numbers of the grams",
		                            (unsigned long long)meta.n_bytes);
	enum bs_status status = bs_section_touch(&meta, 0, META_BYTES, err);
	if (!status && entries_out->n_bytes > 0)
		status = bs_section_touch(entries_out, 0, entries_out->n_bytes, err);
	if (status)
		return status;
	if (bs_load_u64(meta.data) != BS_GRAM_SCHEME)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: gram scheme %llu is unknown to this bitsift",
		               bs_container_path(file), (unsigned long long)bs_load_u64(meta.data));
	grams->meta.n_docs = bs_load_u64(meta.data + 8);
	grams->meta.n_bits = bs_load_u64(meta.data + 16);
	uint64_t n_shards = bs_load_u64(meta.data + 24);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		grams->meta.n_listed[tier] = bs_load_u32(meta.data + 32 + 4 * tier);
	memcpy(grams->meta.n_hashes, meta.data + 32 + 4 * BS_GRAM_TIERS,
	       sizeof(grams->meta.n_hashes));
	/* Every shard has at least one document, so there are no more shards than documents. */
	if (n_shards > grams->meta.n_docs || grams->meta.n_docs > n_docs ||
	    entries_out->n_bytes != n_shards * ENTRY_BYTES)
		return bs_container_corrupt(
			file, err, "%llu gram shards of %llu documents in %llu bytes",
			(unsigned long long)n_shards, (unsigned long long)grams->meta.n_docs,
			(unsigned long long)entries_out->n_bytes);
	grams->n_shards = (uint32_t)n_shards;
	return open_tiers(grams, file, err);
}

enum bs_status bs_gram_shards_open(struct bs_gram_shards *grams, const struct bs_container *file,
                                   uint64_t n_docs, struct bs_error *err)
{
	struct bs_section entries;
	uint64_t n_rows = 0;
	*grams = (struct bs_gram_shards){.n_shards = 0};
	enum bs_status status = read_meta(grams, file, n_docs, &entries, err);
	if (status || grams->n_shards == 0)
		return status;
	grams->shards = calloc(grams->n_shards, sizeof(*grams->shards));
	if (!grams->shards)
		return bs_fail_memory(err, "shards of grams",
		                      grams->n_shards * sizeof(*grams->shards));
	for (uint32_t i = 0; i < grams->n_shards && !status; i++) {
		status = open_shard(&grams->shards[i], file, i,
		                    entries.data + (size_t)i * ENTRY_BYTES, err);
		n_rows += grams->shards[i].shape.n_docs;
	}
	if (!status && n_rows != grams->meta.n_docs)
		status = bs_container_corrupt(file, err, "gram shards of %llu documents, not %llu",
		                              (unsigned long long)n_rows,
		                              (unsigned long long)grams->meta.n_docs);
	return status;
}

void bs_gram_shards_deinit(struct bs_gram_shards *grams)
{
	free(grams->shards);
	*grams = (struct bs_gram_shards){.n_shards = 0};
}

enum bs_status bs_gram_shards_tier(const struct bs_gram_shards *grams, uint64_t key,
                                   enum bs_gram_tier *tier_out, struct bs_error *err)
{
	bool is_trigram = bs_gram_bytes(key) == BS_GRAM_LEAST;
	uint32_t value = is_trigram ? (uint32_t)key & (BS_GRAM_TRIGRAMS - 1)
	                            : bs_gram_bucket(bs_gram_hash(key, 0));
	uint32_t tier = is_trigram ? BS_GRAM_LEFT_OUT : BS_GRAM_LONG_FREQUENT;
	uint64_t i;
	*tier_out = is_trigram ? BS_GRAM_RARE : BS_GRAM_LONG;
	for (; tier < (uint32_t)*tier_out; tier++) {
		bool is_listed = false;
		enum bs_status status =
			bs_packed_find(&grams->listed[tier], value, &is_listed, &i, err);
		if (is_listed)
			*tier_out = (enum bs_gram_tier)tier;
		if (status || is_listed)
			return status;
	}
	return BS_OK;
}

enum bs_status bs_gram_shard_column(const struct bs_gram_shard *shard, uint32_t column,
                                    uint32_t first, uint32_t n_bytes, const uint8_t **bytes_out,
                                    struct bs_error *err)
{
	uint64_t at = (uint64_t)column * shard->column_bytes + first;
	*bytes_out = shard->columns.data + at;
	return bs_section_touch(&shard->columns, at, n_bytes, err);
}
