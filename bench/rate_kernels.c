/*
 * rate_kernels.c: measures the rate at which the AND kernels read columns from memory, compared
 * with a plain sum over the same bytes. The columns are much larger than the caches, and all their
 * bits are set, so that a kernel cannot skip a line. See rates.h.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/rates.h"
#include "bench/tool.h"
#include "core/simd/kernels.h"

#define MOST_COLUMNS 8
#define MOST_KERNELS 16
#define REPETITIONS  5
#define SHARD_BYTES  ((size_t)BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES)

struct columns {
	uint64_t *bits[MOST_COLUMNS];
	size_t n_bytes; /* size of each column, a multiple of SHARD_BYTES */
};

/* Volatile, so that the sums are not optimized away. */
static volatile uint64_t sink;

/* Sums all words of the columns. Has eight sums, so that additions do not wait for each other and
 * the compiler can vectorize. */
static void sum_all(const struct columns *columns, size_t n_columns)
{
	uint64_t sums[8] = {0};
	for (size_t c = 0; c < n_columns; c++)
		for (size_t i = 0; i < columns->n_bytes / 8; i += 8)
			for (size_t j = 0; j < 8; j++)
				sums[j] += columns->bits[c][i + j];
	for (size_t j = 0; j < 8; j++)
		sink += sums[j];
}

/* ANDs the columns, shard by shard, as a scan does. */
static void and_all(const struct bs_kernel *kernel, const struct columns *columns, size_t n_columns)
{
	static uint64_t lines[SHARD_BYTES / 8] __attribute__((aligned(64)));
	for (size_t at = 0; at < columns->n_bytes / 8; at += SHARD_BYTES / 8) {
		struct bs_live live;
		bs_column shard[MOST_COLUMNS];
		for (size_t c = 0; c < n_columns; c++)
			shard[c] = columns->bits[c] + at;
		memset(&live, 255, sizeof(live));
		sink += kernel->lines.and_columns(lines, &live, shard, n_columns, n_columns, true);
	}
}

/* GB/s of the fastest of several runs. kernel NULL: of the plain sum. */
static double rate_of(const struct bs_kernel *kernel, const struct columns *columns,
                      size_t n_columns)
{
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < REPETITIONS; i++) {
		uint64_t start = now_ns();
		if (kernel)
			and_all(kernel, columns, n_columns);
		else
			sum_all(columns, n_columns);
		uint64_t elapsed = now_ns() - start;
		best = elapsed < best ? elapsed : best;
	}
	return (double)(columns->n_bytes * n_columns) / (double)best;
}

static struct columns make_columns(size_t column_bytes)
{
	struct columns columns = {.n_bytes = column_bytes / SHARD_BYTES * SHARD_BYTES};
	for (size_t c = 0; c < MOST_COLUMNS; c++) {
		columns.bits[c] = aligned_alloc(4096, columns.n_bytes);
		if (!columns.bits[c])
			die("out of memory");
		memset(columns.bits[c], 255, columns.n_bytes);
	}
	return columns;
}

void kernels_report(size_t column_bytes, FILE *file, FILE *summary)
{
	const struct bs_kernel *kernels[MOST_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MOST_KERNELS);
	struct columns columns = make_columns(column_bytes);
	fprintf(file,
	        "\n### AND kernels against memory\n\nGB/s over columns of %.0f MB, all read, one "
	        "thread, and the "
	        "share of the plain sum's rate.\n\n| columns | plain sum |",
	        (double)columns.n_bytes / 1e6);
	for (size_t k = 0; k < n_kernels; k++)
		fprintf(file, " %s | |", kernels[k]->name);
	fputs("\n|--:|--:|", file);
	for (size_t k = 0; k < n_kernels; k++)
		fputs("--:|--:|", file);
	for (size_t n = 1; n <= MOST_COLUMNS; n *= 2) {
		double sum = rate_of(NULL, &columns, n);
		fprintf(file, "\n| %zu | %.1f |", n, sum);
		for (size_t k = 0; k < n_kernels; k++) {
			double rate = rate_of(kernels[k], &columns, n);
			fprintf(file, " %.1f | %.0f %% |", rate, 100 * rate / sum);
			if (k == 0 && summary)
				fprintf(summary, "rate\tkernel-%zu\t%.3f\n", n, rate / sum);
		}
	}
	fputc('\n', file);
	for (size_t c = 0; c < MOST_COLUMNS; c++)
		free(columns.bits[c]);
}
