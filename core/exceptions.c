/* exceptions.c: see exceptions.h. */
#include "core/exceptions.h"

#include <stdlib.h>

#include "core/bytes.h"
#include "core/segment_sections.h"

/* ---- reading ---- */

enum bs_status bs_exceptions_open(struct bs_exceptions *exceptions, const struct bs_container *file, uint64_t n_rows,
                                  struct bs_error *err)
{
	*exceptions = (struct bs_exceptions){
		.terms = bs_container_section(file, BS_SECTION_EXCEPTION_TERMS, 0),
		.offsets = bs_container_section(file, BS_SECTION_EXCEPTION_OFFSETS, 0),
		.rows = bs_container_section(file, BS_SECTION_EXCEPTION_ROWS, 0),
		.n_rows = n_rows,
	};
	exceptions->n_terms = exceptions->terms.n_bytes / 4;
	if (exceptions->terms.n_bytes % 4 != 0 || exceptions->offsets.n_bytes != (exceptions->n_terms + 1) * 8)
		return bs_container_corrupt(file, err, "exceptions of %llu terms have other offsets",
		                            (unsigned long long)exceptions->n_terms);
	return BS_OK;
}

enum bs_status bs_exception_next(struct bs_exception_cursor *cursor, struct bs_error *err)
{
	uint64_t gap;
	if (cursor->at == cursor->end) {
		cursor->row = UINT64_MAX;
		return BS_OK;
	}
	const uint8_t *at = bs_varint_get(cursor->at, cursor->end, &gap);
	if (!at || gap == 0 || gap >= cursor->exceptions->n_rows - cursor->row)
		return bs_container_corrupt(cursor->exceptions->rows.file, err, "exceptions do not decode");
	cursor->at = at;
	cursor->row += gap;
	return BS_OK;
}

static enum bs_status start(const struct bs_exceptions *exceptions, uint64_t index, struct bs_exception_cursor *cursor,
                            struct bs_error *err)
{
	enum bs_status status = bs_section_touch(&exceptions->offsets, index * 8, 16, err);
	if (status)
		return status;
	uint64_t first = bs_load_u64(exceptions->offsets.data + index * 8);
	uint64_t end = bs_load_u64(exceptions->offsets.data + index * 8 + 8);
	uint64_t row;
	if (first >= end || end > exceptions->rows.n_bytes)
		return bs_container_corrupt(exceptions->rows.file, err, "exceptions %llu have impossible bounds",
		                            (unsigned long long)index);
	status = bs_section_touch(&exceptions->rows, first, end - first, err);
	if (status)
		return status;
	cursor->end = exceptions->rows.data + end;
	cursor->at = bs_varint_get(exceptions->rows.data + first, cursor->end, &row);
	if (!cursor->at || row >= exceptions->n_rows)
		return bs_container_corrupt(exceptions->rows.file, err, "exceptions do not decode");
	cursor->row = row;
	return BS_OK;
}

enum bs_status bs_exceptions_find(const struct bs_exceptions *exceptions, uint64_t ordinal,
                                  struct bs_exception_cursor *cursor_out, struct bs_error *err)
{
	uint64_t low = 0;
	uint64_t high = exceptions->n_terms;
	*cursor_out = (struct bs_exception_cursor){.exceptions = exceptions, .row = UINT64_MAX};
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		enum bs_status status = bs_section_touch(&exceptions->terms, middle * 4, 4, err);
		if (status)
			return status;
		uint32_t found = bs_load_u32(exceptions->terms.data + middle * 4);
		if (found == ordinal)
			return start(exceptions, middle, cursor_out, err);
		if (found < ordinal)
			low = middle + 1;
		else
			high = middle;
	}
	return BS_OK;
}

/* ---- writing ---- */

void bs_exceptions_builder_deinit(struct bs_exceptions_builder *builder)
{
	bs_buffer_deinit(&builder->runs);
	bs_buffer_deinit(&builder->rows);
}

enum bs_status bs_exceptions_add(struct bs_exceptions_builder *builder, uint32_t ordinal, const uint32_t *rows,
                                 uint32_t n_rows, struct bs_error *err)
{
	struct bs_exception_run run = {.ordinal = ordinal, .n_rows = n_rows, .first = builder->rows.used_bytes / 4};
	enum bs_status status = bs_buffer_append(&builder->rows, rows, (size_t)n_rows * 4, err);
	return status ? status : bs_buffer_append(&builder->runs, &run, sizeof(run), err);
}

enum bs_status bs_exceptions_join(struct bs_exceptions_builder *builder, const struct bs_exceptions_builder *from,
                                  struct bs_error *err)
{
	const struct bs_exception_run *runs = (const struct bs_exception_run *)(const void *)from->runs.data;
	uint64_t first = builder->rows.used_bytes / 4;
	enum bs_status status = BS_OK;
	if (from->rows.used_bytes > 0)
		status = bs_buffer_append(&builder->rows, from->rows.data, from->rows.used_bytes, err);
	for (size_t i = 0; i < from->runs.used_bytes / sizeof(*runs) && !status; i++) {
		struct bs_exception_run run = runs[i];
		run.first += first;
		status = bs_buffer_append(&builder->runs, &run, sizeof(run), err);
	}
	return status;
}

static int compare_runs(const void *a, const void *b)
{
	const struct bs_exception_run *x = a;
	const struct bs_exception_run *y = b;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Rows of run i as varints; *last is the row before, as long as the term is the same. Returns the bytes appended. */
static enum bs_status encode_run(const struct bs_exceptions_builder *builder, const struct bs_exception_run *run,
                                 bool is_first, uint32_t *last, struct bs_buffer *coded, struct bs_error *err)
{
	const uint32_t *rows = (const uint32_t *)(const void *)builder->rows.data + run->first;
	enum bs_status status = bs_buffer_reserve(coded, (size_t)run->n_rows * 5, err);
	for (uint32_t i = 0; i < run->n_rows && !status; i++) {
		uint32_t value = is_first && i == 0 ? rows[i] : rows[i] - *last;
		coded->used_bytes += (size_t)bs_varint_put(coded->data + coded->used_bytes, value);
		*last = rows[i];
	}
	return status;
}

enum bs_status bs_exceptions_write(struct bs_exceptions_builder *builder, struct bs_writer *writer,
                                   struct bs_error *err)
{
	struct bs_exception_run *runs = (struct bs_exception_run *)(void *)builder->runs.data;
	size_t n = builder->runs.used_bytes / sizeof(*runs);
	struct bs_buffer coded = {0};
	struct bs_buffer offsets = {0};
	uint32_t last = 0;
	enum bs_status status = BS_OK;
	if (n > 1)
		qsort(runs, n, sizeof(*runs), compare_runs);
	bs_writer_section(writer, BS_SECTION_EXCEPTION_TERMS, 0);
	for (size_t i = 0; i < n && !status; i++) {
		bool is_first = i == 0 || runs[i].ordinal != runs[i - 1].ordinal;
		uint64_t offset = coded.used_bytes;
		if (is_first) {
			bs_writer_u32(writer, runs[i].ordinal);
			status = bs_buffer_append(&offsets, &offset, sizeof(offset), err);
		}
		if (!status)
			status = encode_run(builder, &runs[i], is_first, &last, &coded, err);
	}
	bs_writer_section(writer, BS_SECTION_EXCEPTION_OFFSETS, 0);
	for (size_t i = 0; i < offsets.used_bytes / 8; i++)
		bs_writer_u64(writer, ((const uint64_t *)(const void *)offsets.data)[i]);
	bs_writer_u64(writer, coded.used_bytes);
	bs_writer_section(writer, BS_SECTION_EXCEPTION_ROWS, 0);
	bs_writer_bytes(writer, coded.data, coded.used_bytes);
	bs_buffer_deinit(&coded);
	bs_buffer_deinit(&offsets);
	return status;
}
