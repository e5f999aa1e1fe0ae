/* re2.cpp: see re2.h. */
#include "query/grep/match/re2.h"

#include <re2/re2.h>

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#define EXPORTED __attribute__((visibility("default")))

/* RE2's memory for one pattern: its program and two automata. */
constexpr int64_t most_bytes = int64_t(64) << 20;

struct bs_re2_regex {
	RE2 regex;
	explicit bs_re2_regex(const re2::StringPiece &pattern, const RE2::Options &options)
	    : regex(pattern, options)
	{
	}
};

EXPORTED uint32_t bs_re2_version(void)
{
	return BS_RE2_VERSION;
}

EXPORTED bs_re2_regex *bs_re2_new(const char *pattern, size_t n_bytes)
try {
	RE2::Options options(RE2::Latin1);
	options.set_log_errors(false);
	options.set_max_mem(most_bytes);
	auto *re2 = new bs_re2_regex(re2::StringPiece(pattern, n_bytes), options);
	if (re2->regex.ok())
		return re2;
	delete re2;
	return nullptr;
} catch (const std::exception &) {
	return nullptr;
}

EXPORTED void bs_re2_free(bs_re2_regex *re2)
{
	delete re2;
}

EXPORTED int bs_re2_match(const bs_re2_regex *re2, const char *text, size_t end, size_t from,
                          size_t *places_out, size_t n_groups)
try {
	const size_t n = std::min(n_groups, size_t(re2->regex.NumberOfCapturingGroups()) + 1);
	std::vector<re2::StringPiece> groups(n);
	if (!re2->regex.Match(re2::StringPiece(text, end), from, end, RE2::UNANCHORED,
	                      groups.data(), int(n)))
		return 0;
	for (size_t i = 0; i < n_groups; i++) {
		const bool has_match = i < n && groups[i].data();
		places_out[2 * i] = has_match ? size_t(groups[i].data() - text) : SIZE_MAX;
		places_out[2 * i + 1] = has_match ? places_out[2 * i] + groups[i].size() : SIZE_MAX;
	}
	return 1;
} catch (const std::exception &) {
	return -1;
}
