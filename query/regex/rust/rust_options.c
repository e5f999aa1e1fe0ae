/* rust_options.c: see rust_options.h. */
#include "query/regex/rust/rust_options.h"

#include "core/bitsift/status.h"
#include "core/system/icu.h"

const char *bs_rust_banned(const struct bs_grep_pattern *pattern, bool bans_nul, uint32_t c)
{
	bool is_by_line = !pattern->is_multi_line;
	if (c == 0 && bans_nul)
		return "\\x00 cannot match, because files with NUL bytes are left out "
		       "(-a searches them)";
	if (c == 0 && is_by_line && pattern->null_data)
		return "\\x00 cannot match, because it ends lines";
	if (c == '\n' && is_by_line && !pattern->null_data)
		return "\\n cannot match, because it ends lines (-U lets matches span lines)";
	if (c == '\r' && is_by_line && pattern->crlf && !pattern->null_data)
		return "\\r cannot match, because it ends lines (-U lets matches span lines)";
	return NULL;
}

enum bs_status bs_rust_see_literal(struct bs_rust_traits *traits, uint32_t c, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_upper = c >= 'A' && c <= 'Z';
	traits->has_literal = true;
	if (c >= 0x80 && !traits->has_upper_case && (status = bs_icu_load(err)) == BS_OK)
		is_upper = bs_icu.u_hasBinaryProperty((UChar32)c, UCHAR_UPPERCASE);
	traits->has_upper_case |= is_upper;
	return status;
}
