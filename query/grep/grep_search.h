/*
 * grep_search.h: searches one text for the matching lines and their context, and for a NUL byte,
 * which may end the search. Passes lines and other events to a printer in the order of the text.
 *
 * Imitates the visible effects of how ripgrep 15 reads files. ripgrep looks for NUL bytes in each
 * piece that it reads (64 KiB, less the lines that it keeps from the piece before), so a NUL byte
 * does not hide the lines of earlier pieces.
 */
#pragma once

#include "query/grep/print/grep_printer.h"
#include "query/grep/read/grep_text.h"

/* Searches a text and passes lines and events to the printer. text->bytes may be modified: NUL
 * bytes become line ends (BS_GREP_BINARY_CONVERT). is_slice: the whole text is in memory, like a
 * file that rg maps. Failures are left in printer->to.status. */
void bs_grep_search_text(const struct bs_grep_matcher *matcher, struct bs_grep_text *text,
                         enum bs_grep_binary binary, bool is_slice,
                         struct bs_grep_printer *printer);
