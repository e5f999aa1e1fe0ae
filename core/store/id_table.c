/* id_table.c: see id_table.h. */
#include "core/store/id_table.h"

#include <stdlib.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"

#define BUCKET_DOCS 16u /* average number of entries in a bucket */
#define MARK_BITS   8u  /* bits of the hash in an entry */

static uint64_t bucket_of(uint64_t hash, uint64_t n_buckets)
{
	return bs_hash_multiply(hash, n_buckets).high;
}

static uint64_t entry_of(const struct bs_id_entry *entry)
{
	return (uint64_t)entry->document << MARK_BITS | (entry->hash & ((1u << MARK_BITS) - 1));
}

enum bs_status bs_id_table_make(struct bs_id_table *table, const struct bs_id_entry *entries,
                                size_t n, struct bs_error *err)
{
	uint64_t n_buckets = n / BUCKET_DOCS + 1;
	uint64_t *starts = calloc(n_buckets + 2, sizeof(*starts));
	uint64_t *placed = calloc(n + 1, sizeof(*placed));
	*table = (struct bs_id_table){.is_there = true,
	                              .n_buckets = n_buckets,
	                              .own_starts = starts,
	                              .own_entries = placed};
	if (!starts || !placed) {
		bs_id_table_deinit(table);
		return bs_fail_memory(err, "a table of ids", (n_buckets + n + 3) * sizeof(*starts));
	}
	/* A counting sort by bucket. While entries are placed, starts[b + 1] is the place of the
	 * next entry of bucket b; afterwards it is the end of bucket b. */
	for (size_t i = 0; i < n; i++)
		starts[bucket_of(entries[i].hash, n_buckets) + 2]++;
	for (uint64_t b = 2; b <= n_buckets; b++)
		starts[b] += starts[b - 1];
	for (size_t i = 0; i < n; i++)
		placed[starts[bucket_of(entries[i].hash, n_buckets) + 1]++] = entry_of(&entries[i]);
	return BS_OK;
}

void bs_id_table_deinit(struct bs_id_table *table)
{
	free(table->own_starts);
	free(table->own_entries);
	*table = (struct bs_id_table){.is_there = false};
}

void bs_id_table_write_order(struct bs_file_writer *writer, uint64_t n)
{
	bs_file_writer_section(writer, BS_SECTION_ID_ORDER, 0);
	bs_file_writer_u64(writer, n);
}

void bs_id_table_write(const struct bs_id_table *table, struct bs_file_writer *writer)
{
	bs_packed_write_u64(writer, BS_SECTION_ID_STARTS, 0, table->own_starts,
	                    table->n_buckets + 1);
	bs_packed_write_u64(writer, BS_SECTION_ID_ENTRIES, 0, table->own_entries,
	                    table->own_starts[table->n_buckets]);
}

static enum bs_status open_order(struct bs_id_table *table, const struct bs_container *file,
                                 struct bs_error *err)
{
	struct bs_section order = bs_container_section(file, BS_SECTION_ID_ORDER, 0);
	if (order.n_bytes == 0)
		return BS_OK;
	if (order.n_bytes != 8)
		return bs_container_corrupt(file, err, "how many ids ascend is cut off");
	enum bs_status status = bs_section_touch(&order, 0, order.n_bytes, err);
	table->n_ordered = status ? 0 : bs_load_u64(order.data);
	return status;
}

enum bs_status bs_id_table_open(struct bs_id_table *table, const struct bs_container *file,
                                struct bs_error *err)
{
	struct bs_section starts = bs_container_section(file, BS_SECTION_ID_STARTS, 0);
	*table = (struct bs_id_table){.is_there = starts.n_bytes > 0};
	if (!table->is_there)
		return open_order(table, file, err);
	enum bs_status status = bs_packed_open_counted(&table->starts, starts, err);
	if (!status)
		status = bs_packed_open_counted(
			&table->entries, bs_container_section(file, BS_SECTION_ID_ENTRIES, 0), err);
	if (!status && table->starts.n < 2)
		status = bs_container_corrupt(file, err, "a table of ids without buckets");
	table->n_buckets = table->starts.n - 1;
	return status;
}

static enum bs_status get_bucket(const struct bs_id_table *table, uint64_t bucket,
                                 uint64_t *start_out, uint64_t *end_out, struct bs_error *err)
{
	if (!table->own_starts)
		return bs_packed_get_span(&table->starts, bucket, start_out, end_out, err);
	*start_out = table->own_starts[bucket];
	*end_out = table->own_starts[bucket + 1];
	return BS_OK;
}

static enum bs_status get_entry(const struct bs_id_table *table, uint64_t i, uint64_t *entry_out,
                                struct bs_error *err)
{
	if (!table->own_entries)
		return bs_packed_get(&table->entries, i, entry_out, err);
	*entry_out = table->own_entries[i];
	return BS_OK;
}

enum bs_status bs_id_table_next(const struct bs_id_table *table, uint64_t hash, uint64_t *at,
                                uint32_t *document_out, struct bs_error *err)
{
	uint64_t start, end, entry = 0, mark = hash & ((1u << MARK_BITS) - 1);
	*document_out = UINT32_MAX;
	enum bs_status status =
		get_bucket(table, bucket_of(hash, table->n_buckets), &start, &end, err);
	while (!status && start + *at < end) {
		status = get_entry(table, start + (*at)++, &entry, err);
		if (!status && (entry & ((1u << MARK_BITS) - 1)) == mark) {
			*document_out = (uint32_t)(entry >> MARK_BITS);
			break;
		}
	}
	return status;
}

enum bs_status bs_id_table_check(const struct bs_id_table *table, uint64_t n_docs,
                                 const struct bs_container *file, struct bs_error *err)
{
	uint64_t before = 0, value = 0;
	enum bs_status status = bs_packed_check(&table->starts, err);
	if (!status)
		status = bs_packed_check(&table->entries, err);
	for (uint64_t b = 0; b < table->starts.n && !status; b++, before = value) {
		status = bs_packed_get(&table->starts, b, &value, err);
		if (!status && (b == 0 ? value != 0 : value < before))
			status = bs_container_corrupt(file, err,
			                              "bucket %llu of ids ends before it begins",
			                              (unsigned long long)b);
	}
	if (!status && before != table->entries.n)
		status = bs_container_corrupt(file, err,
		                              "the last bucket of ids does not end at the last id");
	for (uint64_t i = 0; i < table->entries.n && !status; i++) {
		status = bs_packed_get(&table->entries, i, &value, err);
		if (!status && value >> MARK_BITS >= n_docs)
			status = bs_container_corrupt(file, err,
			                              "id %llu is of a document that is not there",
			                              (unsigned long long)i);
	}
	return status;
}
