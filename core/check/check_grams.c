/* check_grams.c: a segment's slabs of grams. Whether the bits are those of the files only the files can tell. See
 * check_internal.h. */
#include <stdlib.h>

#include "core/check/check_internal.h"
#include "core/file/segment_sections.h"

/* Values below end, strictly ascending; number and what name them. */
static enum bs_status check_list(struct bs_check *check, uint32_t number, const struct bs_packed *list, uint64_t end,
                                 const char *what)
{
	uint32_t before = 0;
	enum bs_status status = bs_packed_check(list, check->err);
	for (uint64_t at = 0; at < list->n && !status; at++) {
		uint32_t value;
		status = bs_packed_get_u32(list, at, &value, check->err);
		if (!status && (value >= end || (at > 0 && value <= before)))
			return bs_container_corrupt(list->file, check->err, "grams, %s %u: value %llu is %u", what, number,
			                            (unsigned long long)at, value);
		before = value;
	}
	return status;
}

static enum bs_status check_columns(struct bs_check *check, uint32_t i, const struct bs_gram_slab *slab)
{
	unsigned n_used = slab->shape.n_docs % 8;
	for (uint32_t c = 0; c < slab->shape.n_columns; c++) {
		const uint8_t *bytes;
		enum bs_status status = bs_gram_slab_column(slab, c, 0, slab->column_bytes, &bytes, check->err);
		if (status)
			return status;
		if (n_used && bytes[slab->column_bytes - 1] >> n_used)
			return bs_container_corrupt(slab->columns.file, check->err, "gram slab %u: column %u has bits past the last "
			                            "document", i, c);
	}
	return BS_OK;
}

/* A document has one row at most. */
static enum bs_status check_rows(struct bs_check *check, uint32_t i, const struct bs_gram_slab *slab, uint64_t n_docs,
                                 uint8_t *seen)
{
	enum bs_status status = check_list(check, i, &slab->rows, n_docs, "rows of slab");
	for (uint32_t row = 0; row < slab->shape.n_docs && !status; row++) {
		uint32_t document;
		status = bs_gram_slab_document(slab, row, &document, check->err);
		if (status)
			break;
		if (seen[document / 8] >> (document % 8) & 1)
			status = bs_container_corrupt(slab->columns.file, check->err, "gram slab %u: row %u is document %u, which has a "
			                              "row already", i, row, document);
		seen[document / 8] |= (uint8_t)(1u << (document % 8));
	}
	return status;
}

/* The lists of the tiers; no trigram may be in two. */
static enum bs_status check_tiers(struct bs_check *check, const struct bs_gram_slabs *grams)
{
	uint8_t *seen = calloc(BS_GRAM_TRIGRAMS / 8, 1);
	enum bs_status status = seen ? BS_OK : bs_fail_memory(check->err, "trigrams", BS_GRAM_TRIGRAMS / 8);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS && !status; tier++) {
		const struct bs_packed *list = &grams->listed[tier];
		if (bs_gram_listed_end(tier) == 0)
			continue;
		status = check_list(check, tier, list, bs_gram_listed_end(tier), "list of tier");
		for (uint64_t at = 0; at < list->n && !status && tier < BS_GRAM_TRIGRAM_TIERS; at++) {
			uint32_t trigram;
			status = bs_packed_get_u32(list, at, &trigram, check->err);
			if (!status && (seen[trigram / 8] >> (trigram % 8) & 1))
				status = bs_container_corrupt(list->file, check->err, "grams: trigram %06x is of two tiers", trigram);
			if (!status)
				seen[trigram / 8] |= (uint8_t)(1u << (trigram % 8));
		}
	}
	free(seen);
	return status;
}

enum bs_status bs_check_grams(struct bs_check *check, const struct bs_segment *segment)
{
	uint8_t *seen = calloc((size_t)segment->meta.n_docs / 8 + 1, 1);
	enum bs_status status = seen ? BS_OK : bs_fail_memory(check->err, "documents", segment->meta.n_docs / 8 + 1);
	if (!status && bs_container_section(segment->file, BS_SECTION_GRAM_META, 0).n_bytes > 0)
		status = check_tiers(check, &segment->grams);
	for (uint32_t i = 0; i < segment->grams.n_slabs && !status; i++) {
		const struct bs_gram_slab *slab = &segment->grams.slabs[i];
		status = check_rows(check, i, slab, segment->meta.n_docs, seen);
		if (!status)
			status = check_columns(check, i, slab);
	}
	free(seen);
	return status;
}
