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
		.rows = bs_container_section(file, BS_SECTION_EXCEPTION_ROWS, 0),
		.n_rows = n_rows,
	};
	struct bs_section terms = bs_container_section(file, BS_SECTION_EXCEPTION_TERMS, 0);
	struct bs_section offsets = bs_container_section(file, BS_SECTION_EXCEPTION_OFFSETS, 0);
	enum bs_status status = bs_packed_open_counted(&exceptions->terms, terms, err);
	exceptions->n_terms = exceptions->terms.n;
	return status ? status : bs_packed_open(&exceptions->offsets, offsets, exceptions->n_terms + 1, err);
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
	uint64_t first, end, row;
	enum bs_status status = bs_packed_get_span(&exceptions->offsets, index, &first, &end, err);
	if (status)
		return status;
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
	bool found;
	uint64_t index;
	*cursor_out = (struct bs_exception_cursor){.exceptions = exceptions, .row = UINT64_MAX};
	enum bs_status status = bs_packed_find(&exceptions->terms, ordinal, &found, &index, err);
	return status || !found ? status : start(exceptions, index, cursor_out, err);
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

static void write_sections(struct bs_writer *writer, const struct bs_buffer *terms, const struct bs_buffer *offsets,
                           const struct bs_buffer *coded)
{
	bs_writer_section(writer, BS_SECTION_EXCEPTION_TERMS, 0);
	bs_packed_write_u32(writer, (const uint32_t *)(const void *)terms->data, terms->used_bytes / 4);
	bs_writer_section(writer, BS_SECTION_EXCEPTION_OFFSETS, 0);
	bs_packed_write_u64(writer, (const uint64_t *)(const void *)offsets->data, offsets->used_bytes / 8);
	bs_writer_section(writer, BS_SECTION_EXCEPTION_ROWS, 0);
	bs_writer_bytes(writer, coded->data, coded->used_bytes);
}

enum bs_status bs_exceptions_write(struct bs_exceptions_builder *builder, struct bs_writer *writer,
                                   struct bs_error *err)
{
	struct bs_exception_run *runs = (struct bs_exception_run *)(void *)builder->runs.data;
	size_t n = builder->runs.used_bytes / sizeof(*runs);
	struct bs_buffer coded = {0};
	struct bs_buffer terms = {0};
	struct bs_buffer offsets = {0};
	uint64_t end = 0;
	uint32_t last = 0;
	enum bs_status status = BS_OK;
	if (n > 1)
		qsort(runs, n, sizeof(*runs), compare_runs);
	for (size_t i = 0; i < n && !status; i++) {
		bool is_first = i == 0 || runs[i].ordinal != runs[i - 1].ordinal;
		uint64_t offset = coded.used_bytes;
		if (is_first) {
			status = bs_buffer_append(&terms, &runs[i].ordinal, sizeof(runs[i].ordinal), err);
			if (!status)
				status = bs_buffer_append(&offsets, &offset, sizeof(offset), err);
		}
		if (!status)
			status = encode_run(builder, &runs[i], is_first, &last, &coded, err);
	}
	end = coded.used_bytes;
	if (!status)
		status = bs_buffer_append(&offsets, &end, sizeof(end), err);
	if (!status)
		write_sections(writer, &terms, &offsets, &coded);
	bs_buffer_deinit(&coded);
	bs_buffer_deinit(&terms);
	bs_buffer_deinit(&offsets);
	return status;
}
