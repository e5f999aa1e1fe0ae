/* file_conditions.c: see file_conditions.h. */
#include "query/grep/file_conditions.h"

#include <string.h>

#include "core/bitsift/grep_request.h"
#include "query/grep/grep_search.h"

/* A search that ends with the first line that matches, and prints nothing. */
static enum bs_status is_in(const struct bs_condition *condition, struct bs_grep_scratch *scratch,
                            struct bs_grep_text *text, enum bs_grep_binary binary, bool is_slice, bool *is_in_out,
                            struct bs_error *err)
{
	static const struct bs_grep_program no_program;
	struct bs_grep_request request = {.pattern = condition->pattern, .output = {.format = BS_GREP_QUIET}};
	struct bs_buffer nothing = {0};
	struct bs_grep_printer printer;
	bs_grep_printer_init(&printer, &request, &no_program, condition->matcher, scratch);
	printer.out = &nothing;
	printer.err = err;
	printer.offer_bytes = SIZE_MAX;
	bs_grep_search_text(condition->matcher, text, binary, is_slice, &printer);
	*is_in_out = printer.has_matched;
	bs_grep_printer_deinit(&printer);
	bs_buffer_deinit(&nothing);
	return printer.status;
}

enum bs_status bs_conditions_hold_in_file(struct bs_condition_asker *asker, struct bs_grep_text *text,
                                          enum bs_grep_binary binary, bool is_slice, bool *hold_out,
                                          struct bs_error *err)
{
	struct bs_buffer kept = {0};
	enum bs_status status = BS_OK;
	size_t n_bytes = text->bytes.used_bytes;
	*hold_out = true;
	/* A search makes NUL bytes line ends. */
	bool is_changed = binary == BS_GREP_BINARY_CONVERT && n_bytes > 0 && memchr(text->bytes.data, 0, n_bytes);
	if (is_changed)
		status = bs_buffer_append(&kept, text->bytes.data, n_bytes, err);
	for (size_t i = 0; i < asker->conditions->n && *hold_out && !status; i++) {
		const struct bs_condition *condition = &asker->conditions->list[i];
		bool found = false;
		status = is_in(condition, asker->scratches[i], text, binary, is_slice, &found, err);
		*hold_out = !status && found != condition->is_not;
		if (is_changed)
			memcpy(text->bytes.data, kept.data, n_bytes);
	}
	bs_buffer_deinit(&kept);
	return status;
}
