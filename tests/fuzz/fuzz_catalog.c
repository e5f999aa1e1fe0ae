/* fuzz_catalog.c: a fuzz target: reads any bytes as the list of indexes in a catalog, and as the
 * data that a catalog has about one index. Reading must stay within bounds and never return
 * impossible data; if the check accepts the data, reading must not fail. */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/catalog/catalog_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void read_list(const uint8_t *data, size_t n_bytes)
{
	struct bs_catalog_file file = {.container = NULL};
	struct bs_error err;
	if (bs_catalog_read_items(data, n_bytes, &file, &err) == BS_OK)
		for (size_t i = 0; i < file.n_items; i++)
			if (strlen(file.items[i].place) == 0 || strlen(file.items[i].name) == 0 ||
			    strlen(file.items[i].read.versions.icu) > 15)
				abort();
	bs_catalog_file_close(&file);
}

/* Reads the bytes as words, as fields and as a summary. */
static void read_parts(const uint8_t *data, size_t n_bytes)
{
	struct bs_section all = {.data = data, .n_bytes = n_bytes};
	struct bs_catalog_item item = {.n_docs = 1000, .words = all, .fields = all};
	struct bs_error err;
	bool is_known, may;
	uint64_t df;
	unsigned kinds;
	if (bs_summary_open(&all, 0, n_bytes, &item.summary, &err) == BS_OK)
		item.flags |= BS_CATALOG_SUMMARY;
	enum bs_status sound = bs_catalog_item_check(&item, &err);
	if (bs_catalog_df(&item, (const uint8_t *)"walrus", 6, &is_known, &df, &err) == BS_OK &&
	    is_known && df > 1000)
		abort();
	if (bs_catalog_field_kinds(&item, (const uint8_t *)"title", 5, &kinds, &err) != BS_OK &&
	    !sound)
		abort();
	if (item.flags & BS_CATALOG_SUMMARY)
		if (bs_summary_may_have_word(&item.summary, n_bytes * UINT64_C(0x9e3779b97f4a7c15),
		                             &may, &err) != BS_OK &&
		    !sound)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	read_list(data, n_bytes);
	read_parts(data, n_bytes);
	return 0;
}
