/* present_left_out.c: see present_left_out.h. */
#include "query/present/present_left_out.h"

#include <stdlib.h>
#include <string.h>

#include "query/options/command_line.h"

/* The most frequent first; equal ones in alphabetical order. */
static int compare_kinds(const void *left, const void *right)
{
	const struct bs_skip_kind *a = left, *b = right;
	if (a->n_files != b->n_files)
		return a->n_files > b->n_files ? -1 : 1;
	return strcmp(a->name, b->name);
}

#define SHOWN_KINDS 5

/* " (40 png, 30 jpg, 60 other)" */
static void put_kinds(const struct bs_skip_kind binary[BS_SKIP_KINDS], uint64_t n_left, FILE *out)
{
	struct bs_skip_kind kinds[BS_SKIP_KINDS];
	const char *before = " (";
	memcpy(kinds, binary, sizeof(kinds));
	qsort(kinds, BS_SKIP_KINDS, sizeof(*kinds), compare_kinds);
	if (kinds[0].n_files == 0)
		return;
	for (size_t i = 0; i < SHOWN_KINDS && kinds[i].n_files > 0; i++, before = ", ") {
		fprintf(out, "%s%s %s", before, BS_COUNT(kinds[i].n_files), kinds[i].name);
		n_left -= kinds[i].n_files;
	}
	if (n_left > 0)
		fprintf(out, ", %s other", BS_COUNT(n_left));
	fputs(")", out);
}

bool bs_present_left_out(const uint64_t skipped[BS_SKIP_MAX], const struct bs_skip_kind binary[BS_SKIP_KINDS],
                         const char *before, FILE *out)
{
	bool has_any = false;
	for (int reason = 0; reason < BS_SKIP_MAX; reason++) {
		if (skipped[reason] == 0)
			continue;
		fprintf(out, "%s%s %s", has_any ? ", " : before, BS_COUNT(skipped[reason]), bs_skip_name((enum bs_skip)reason, skipped[reason]));
		if (reason == BS_SKIP_BINARY)
			put_kinds(binary, skipped[reason], out);
		has_any = true;
	}
	return has_any;
}
