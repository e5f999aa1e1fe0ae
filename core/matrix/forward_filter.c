/* forward_filter.c: see forward_filter.h. */
#include "core/matrix/forward_filter.h"

#include <math.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"

enum bs_status bs_forward_filter_open(struct bs_forward_filter *filter, const struct bs_container *file, uint32_t slab,
                                      uint32_t n_rows, struct bs_forward_hashing hashing, struct bs_error *err)
{
	filter->hashing = hashing;
	if (hashing.n_hashes < 1 || hashing.n_hashes > BS_FORWARD_MOST_HASHES || hashing.near_log2 > BS_FORWARD_MOST_NEAR_LOG2)
		return bs_container_corrupt(file, err, "slab %u: a filter of %u hashes of ordinals without %u bits", slab,
		                            hashing.n_hashes, hashing.near_log2);
	filter->offsets = bs_container_section(file, BS_SECTION_FORWARD_FILTER_OFFSETS, slab);
	filter->words = bs_container_section(file, BS_SECTION_FORWARD_FILTERS, slab);
	if (filter->offsets.n_bytes != ((uint64_t)bs_forward_groups(n_rows) + 1) * 8)
		return bs_container_corrupt(file, err, "slab %u: a filter of other forward lists than it has", slab);
	return BS_OK;
}

enum bs_status bs_forward_filter_rows(const struct bs_forward_filter *filter, uint32_t group, struct bs_probe probe,
                                      uint64_t wanted, uint64_t *rows_out, struct bs_error *err)
{
	*rows_out = 0;
	enum bs_status status = bs_section_touch(&filter->offsets, (uint64_t)group * 8, 16, err);
	if (status)
		return status;
	uint64_t start = bs_load_u64(filter->offsets.data + (uint64_t)group * 8);
	uint64_t end = bs_load_u64(filter->offsets.data + (uint64_t)group * 8 + 8);
	if (start >= end || end - start > UINT32_MAX || end > filter->words.n_bytes / 8)
		return bs_container_corrupt(filter->words.file, err, "the filter of forward lists %u has impossible bounds",
		                            group);
	uint64_t rows = wanted;
	for (uint32_t i = 0; i < filter->hashing.n_hashes && rows; i++) {
		uint64_t at = (start + bs_hash_position(probe, i, (uint32_t)(end - start))) * 8;
		status = bs_section_touch(&filter->words, at, 8, err);
		if (status)
			return status;
		rows &= bs_load_u64(filter->words.data + at);
	}
	*rows_out = rows;
	return BS_OK;
}

uint32_t bs_forward_neighbourhoods(uint32_t near_log2, const uint32_t *ordinals, uint32_t n)
{
	uint32_t n_found = 0;
	for (uint32_t i = 0; i < n; i++)
		n_found += i == 0 || ordinals[i] >> near_log2 != ordinals[i - 1] >> near_log2;
	return n_found;
}

uint32_t bs_forward_filter_width(struct bs_forward_hashing hashing, uint64_t n_neighbourhoods)
{
	double width = ceil((double)n_neighbourhoods * hashing.n_hashes / M_LN2);
	return width < 1 ? 1 : (width > (double)(UINT32_MAX / 2) ? UINT32_MAX / 2 : (uint32_t)width);
}

void bs_forward_filter_set(struct bs_forward_hashing hashing, uint64_t *words, uint32_t n_columns, uint32_t row_of_group,
                           const uint32_t *ordinals, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && ordinals[i] >> hashing.near_log2 == ordinals[i - 1] >> hashing.near_log2)
			continue;
		struct bs_probe probe = bs_forward_filter_probe(hashing, ordinals[i]);
		for (uint32_t hash = 0; hash < hashing.n_hashes; hash++)
			words[bs_hash_position(probe, hash, n_columns)] |= UINT64_C(1) << row_of_group;
	}
}
