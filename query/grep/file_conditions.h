/* file_conditions.h: --scope file: whether a file fulfils --and and --not, and so is searched at all. A pattern matches
 * a file if a search for it alone would say so: the rules for binary files are those of any search. */
#ifndef BS_QUERY_GREP_FILE_CONDITIONS_H
#define BS_QUERY_GREP_FILE_CONDITIONS_H

#include "query/grep/match/conditions.h"
#include "query/grep/print/grep_printer.h"
#include "query/grep/read/grep_text.h"

/* The whole text is in hand, and afterwards is what it was. is_slice: as for bs_grep_search_text, with which it fails. */
enum bs_status bs_conditions_hold_in_file(struct bs_condition_asker *asker, struct bs_grep_text *text,
                                          enum bs_grep_binary binary, bool is_slice, bool *hold_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

#endif
