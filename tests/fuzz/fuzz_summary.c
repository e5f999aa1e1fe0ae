/*
 * fuzz_summary.c: a fuzz target: bytes read as a summary or as coded numbers are refused or usable,
 * and nothing is read out of bounds. Decoded numbers are the same after they are encoded again.
 * From any summary and its counts the indexer can make the next ones; for this test an input is two
 * bytes with the size of the summary, the summary, and the counts.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/host.h"
#include "core/bitsift/writer.h"
#include "core/store/summary_make.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void ask_summary(const uint8_t *bytes, size_t n_bytes)
{
	struct bs_summary summary;
	bool may;
	if (bs_summary_open_bytes(bytes, n_bytes, &summary, NULL))
		return;
	for (uint64_t i = 0; i < 16; i++) {
		const uint8_t gram[] = {(uint8_t)i, (uint8_t)(i * 17), 'e'};
		(void)!bs_summary_may_have_word(&summary, bs_hash_mix(i), &may, NULL);
		(void)!bs_summary_may_have_gram(&summary, gram, &may, NULL);
	}
	(void)!bs_summary_check(&summary, NULL);
}

static void ask_numbers(const uint8_t *bytes, size_t n_bytes)
{
	struct bs_buffer numbers = {0}, bytes_again = {0}, again = {0};
	struct bs_coded coded, coded_again;
	bool has;
	if (bs_coded_open(bytes, n_bytes, &coded, NULL))
		return;
	for (uint64_t i = 0; i < 16; i++)
		(void)!bs_coded_has(&coded, bs_hash_mix(i) >> (8 + i * 3), &has, NULL);
	if (bs_coded_read(&coded, &numbers, NULL) == BS_OK) {
		const uint64_t *all = (const uint64_t *)(const void *)numbers.data;
		size_t n = numbers.used_bytes / sizeof(*all);
		if (bs_coded_write(all, n, &bytes_again, NULL) ||
		    bs_coded_open(bytes_again.data, bytes_again.used_bytes, &coded_again, NULL) ||
		    bs_coded_read(&coded_again, &again, NULL) ||
		    again.used_bytes != numbers.used_bytes ||
		    (n && memcmp(again.data, numbers.data, again.used_bytes) != 0))
			abort();
		for (size_t i = 0; i < n; i += 1 + n / 50)
			if (bs_coded_has(&coded, all[i], &has, NULL) || !has)
				abort();
	}
	bs_buffer_deinit(&numbers);
	bs_buffer_deinit(&bytes_again);
	bs_buffer_deinit(&again);
}

/* An index of three segments, made once; its summaries are replaced in each run. */
static struct bs_memory_index *memory;
static struct bs_dir dir;
static struct bs_snapshot snapshot;

static void must(enum bs_status status)
{
	if (status)
		abort();
}

static void make_index(void)
{
	static const char *const texts[] = {"the quick brown fox", "jumps over the lazy dog",
	                                    "the quick dog jumps high"};
	struct bs_writer *writer;
	must(bs_memory_index_new(&memory, NULL));
	must(bs_writer_open(&(struct bs_writer_request){.memory = memory, .write.n_threads = 1},
	                    &writer, NULL));
	for (unsigned i = 0; i < 3; i++) {
		struct bs_text text = {"text", 4, texts[i], strlen(texts[i])};
		must(bs_writer_add(writer, &"123"[i], 1, &text, 1, NULL));
		must(bs_writer_commit(writer, NULL, NULL));
	}
	bs_writer_close(writer);
	must(bs_dir_open(&dir, NULL, memory, NULL, NULL));
	must(bs_snapshot_open(&dir, &snapshot, NULL));
	must(snapshot.manifest.n_segments == 3 ? BS_OK : BS_INVALID);
}

static void remove_files(const struct bs_manifest *manifest)
{
	char name[BS_INDEX_NAME_BYTES];
	bs_dir_remove(&dir, bs_index_file_name("summary", manifest->summary.number, name));
	bs_dir_remove(&dir, bs_index_file_name("counts", manifest->summary.counts_number, name));
}

/* Makes the summary for a manifest of n_new segments, the first of which is `first`, from the
 * summary for a manifest of the first n_old segments. */
static void make_next(struct bs_buffer *summary, struct bs_buffer *counts, uint32_t n_old,
                      uint32_t first, uint32_t n_new)
{
	struct bs_snapshot old = snapshot;
	struct bs_manifest next = snapshot.manifest;
	struct bs_summary_file file;
	old.manifest.n_segments = n_old;
	old.manifest.summary.number = 900;
	old.manifest.summary.counts_number = 901;
	next.segments += first;
	next.n_segments = n_new;
	next.next_number = 902;
	must(bs_summary_file_write(&dir, &old.manifest, summary, counts, NULL));
	must(bs_summary_update(&dir, &old, NULL, UINT64_MAX, &next, NULL));
	must(bs_summary_file_open(&dir, &next, &file, NULL));
	must(bs_summary_counts_open(&dir, &next, &file, NULL));
	bs_summary_file_close(&file);
	remove_files(&old.manifest);
	remove_files(&next);
}

static void make_summaries(const uint8_t *data, size_t n_bytes)
{
	uint8_t *bytes = (uint8_t *)(uintptr_t)data; /* struct bs_buffer is not constant */
	size_t n_summary = n_bytes > 2 ? bytes[0] | (size_t)bytes[1] << 8 : 0;
	if (n_summary < BS_SUMMARY_HEAD_BYTES || n_summary > n_bytes - 2)
		return;
	struct bs_buffer summary = {.data = bytes + 2, .used_bytes = n_summary};
	struct bs_buffer counts = {.data = bytes + 2 + n_summary,
	                           .used_bytes = n_bytes - 2 - n_summary};
	if (!memory)
		make_index();
	make_next(&summary, &counts, 2, 0, 3);
	make_next(&summary, &counts, 2, 1, 2);
	make_next(&summary, &counts, 3, 1, 2);
	make_next(&summary, &counts, 3, 0, 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	ask_summary(data, n_bytes);
	ask_numbers(data, n_bytes);
	make_summaries(data, n_bytes);
	return 0;
}
