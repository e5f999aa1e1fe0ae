/*
 * grep_search.h: the search of one text: which lines match, which stand around them, where reading
 * ends because of a NUL byte; told to a printer in the order of the text.
 *
 * What can be seen of how ripgrep 13 reads files is done the same: it looks for NUL bytes in what
 * it has read, 64 KiB less the lines it keeps, so that a later NUL leaves the lines of earlier
 * pieces shown; and it takes the first three bytes for a piece of its own if they hold a whole
 * line.
 */
#pragma once

#include "query/grep/print/grep_printer.h"
#include "query/grep/read/grep_text.h"

/* text->bytes may be changed: NUL bytes become line ends (BS_GREP_BINARY_CONVERT). is_slice: the
 * text is in hand as a whole, as a file is that rg maps. Failures are left in printer->status. */
void bs_grep_search_text(const struct bs_grep_matcher *matcher, struct bs_grep_text *text,
                         enum bs_grep_binary binary, bool is_slice,
                         struct bs_grep_printer *printer);
