/*
 * fuzz_summary.c: a fuzz target: bytes that say they are a summary, or coded numbers, are refused or answer, and read nothing beside
 * themselves. Numbers that decode come out of what is made of them again.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/store/summary.h"

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
		if (bs_coded_write(all, n, &bytes_again, NULL) || bs_coded_open(bytes_again.data, bytes_again.used_bytes, &coded_again, NULL) ||
		    bs_coded_read(&coded_again, &again, NULL) || again.used_bytes != numbers.used_bytes ||
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	uint8_t *own = malloc(n_bytes + 1); /* its end is where a sanitizer sees it */
	if (!own)
		return 0;
	memcpy(own, data, n_bytes);
	uint8_t *exact = realloc(own, n_bytes ? n_bytes : 1);
	own = exact ? exact : own;
	ask_summary(own, n_bytes);
	ask_numbers(own, n_bytes);
	free(own);
	return 0;
}
