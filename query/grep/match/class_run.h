/* class_run.h: finds runs of bytes of one class, such as 30 word characters, by looking at few of
 * the bytes: of N consecutive bytes one is tested, and its neighbours only if it is in the
 * class. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bs_class_run {
	bool has[256];  /* the class, by byte */
	uint32_t least; /* the minimum length of a run in bytes, at least 1; 0: no class run */
};

/* The start of the first run in text[from..end), or end if there is none. Each byte is looked at
 * twice at most. */
size_t bs_class_run_find(const struct bs_class_run *run, const uint8_t *text, size_t from,
                         size_t end);
