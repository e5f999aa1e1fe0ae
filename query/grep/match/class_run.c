/* class_run.c: see class_run.h. */
#include "query/grep/match/class_run.h"

size_t bs_class_run_find(const struct bs_class_run *run, const uint8_t *text, size_t from,
                         size_t end)
{
	const size_t least = run->least;
	/* No run begins before `low`. A run that begins at `low` or later contains `probe`, or
	 * begins after it. */
	size_t low = from;
	while (end - low >= least) {
		size_t probe = low + least - 1, start, at;
		if (!run->has[text[probe]]) {
			low = probe + 1;
			continue;
		}
		for (start = probe; start > low && run->has[text[start - 1]];)
			start--;
		size_t run_end = start + least < end ? start + least : end;
		for (at = probe + 1; at < run_end && run->has[text[at]];)
			at++;
		if (at == start + least)
			return start;
		low = at < end ? at + 1 : end;
	}
	return end;
}
