/* check_rig.c: see check_rig.h. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/bitsift/index.h"
#include "corpus/changes/stored_text.h"
#include "tests/rigs/check_rig.h"

struct packed_value find_packed(const uint8_t *array, uint64_t n_bytes, int64_t i)
{
	uint64_t n = bs_load_u64(array + n_bytes - 8);
	uint64_t number = i < 0 ? n - (uint64_t)-i : (uint64_t)i;
	assert_true(number < n);
	const uint8_t *entry = array + number / 128 * 16;
	uint64_t width = bs_load_u64(entry + 8) & 0xff;
	struct packed_value found = {.base = bs_load_u64(entry),
	                             .bit = (bs_load_u64(entry + 8) >> 8) * 8 +
	                                    number % 128 * width,
	                             .mask = (UINT64_C(1) << width) - 1};
	found.value =
		found.base + (bs_load_u64(array + found.bit / 8) >> (found.bit % 8) & found.mask);
	return found;
}

static void apply_packed(uint8_t *array, uint64_t n_bytes, const struct edit *edit)
{
	struct packed_value at = find_packed(array, n_bytes, edit->offset);
	uint64_t more = edit->value + (edit->how == PACKED_ADD ? at.value : 0) - at.base;
	assert_true(more <= at.mask);
	uint64_t others = bs_load_u64(array + at.bit / 8) & ~(at.mask << (at.bit % 8));
	bs_store_u64(array + at.bit / 8, others | more << (at.bit % 8));
}

void apply_edit(uint8_t *file, size_t file_bytes, const struct edit *edit)
{
	uint64_t n_bytes = file_bytes;
	uint8_t *at = edit->section == WHOLE_FILE
	                      ? file
	                      : section_in(file, edit->section, edit->instance, &n_bytes);
	if (edit->how == PACKED_SET || edit->how == PACKED_ADD) {
		apply_packed(at, n_bytes, edit);
		return;
	}
	uint64_t offset =
		edit->offset < 0 ? n_bytes - (uint64_t)-edit->offset : (uint64_t)edit->offset;
	uint64_t value = edit->value;
	assert_true(offset + edit->n_bytes <= n_bytes);
	for (unsigned i = 0; i < edit->n_bytes && edit->how == ADD; i++)
		value += (uint64_t)at[offset + i] << (8 * i);
	for (unsigned i = 0; i < edit->n_bytes; i++)
		at[offset + i] = (uint8_t)(value >> (8 * i));
}

enum bs_status check_index(struct bs_check_report *sum, struct bs_error *err)
{
	struct bs_check_request request = {.dir = "index"};
	return bs_index_check(&request, sum, err);
}

void expect_damage(const char *prefix, unsigned which, const struct edit *edits, size_t n,
                   enum bs_status wanted, const char *what)
{
	AUTO(bs_buffer_deinit) struct bs_buffer good = {0}, bad = {0};
	FREED char *path = index_file(prefix, which);
	read_bytes(path, &good);
	read_bytes(path, &bad);
	for (size_t i = 0; i < n; i++)
		apply_edit(bad.data, bad.used_bytes, &edits[i]);
	write_resealed(path, &bad);
	enum bs_status status = check_index(NULL, ERR);
	if (status != wanted || (status && (!strstr(said.text, path) || !strstr(said.text, what))))
		fail_msg("%s: \"%s\" wanted, but check says %s: %s", path, what,
		         bs_status_name(status), said.text);
	write_bytes(path, good.data, good.used_bytes);
}

void write_documents(uint64_t *state, uint32_t n_docs)
{
	FILE *file = must_fopen("c.jsonl", "w");
	for (uint32_t i = 0; i < n_docs; i++) {
		fprintf(file, "{\"id\":\"%u\",\"text\":\"",
		        (unsigned)random_below(state, n_docs * 20));
		uint64_t most = random_below(state, 20) == 0 ? 400 : 12;
		for (uint64_t n = random_below(state, most); n > 0; n--)
			fprintf(file, "w%u ",
			        (unsigned)(random_below(state, 30) * random_below(state, 30) *
			                   random_below(state, 4)));
		fprintf(file, "\"}\n");
	}
	assert_int_equal(fclose(file), 0);
}
