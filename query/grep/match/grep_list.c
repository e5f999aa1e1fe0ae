/* grep_list.c: see grep_list.h. */
#include "query/grep/match/grep_list.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "query/regex/literal_set.h"

/* For shorter lists, PCRE2 is as fast as a literal set, or a window (grep_matcher.c) is used. */
#define LONG_PARTS 16u

/* A pattern of the list. */
struct part {
	struct bs_grep_code code;
	uint32_t n_groups_before; /* groups of the preceding patterns */
	bool needs_more;          /* a match also needs one of its further literals (n_more) */
};

struct bs_grep_list {
	const struct bs_grep_pattern *pattern;
	const struct bs_pattern_list *parts;
	bool is_literal;
	bool is_rust;                /* analysis->is_rust */
	bool has_context;            /* a match may depend on the text around it */
	struct bs_literals literals; /* the literals in `set` */
	struct bs_literal_set *set;  /* NULL: no literals are known */
	/* The first part with an empty literal, or BS_NO_LITERAL. Used with -x, for which this
	 * literal is not in set. */
	uint32_t empty;
	/* matches one word character beyond ASCII, for literals with -w */
	struct bs_grep_code word;
	struct part *codes; /* codes[i]: part i; NULL if is_literal */
	/* owners[i]: twice the number of the part of literal i, plus 1 if it is a further literal
	 * of the part */
	uint32_t *owners;
	uint32_t *unknown; /* the n_unknown parts that are always tried */
	uint32_t n_unknown;
	/* n_groups: the groups of all parts; most_groups: those of the part with the most */
	uint32_t n_groups, most_groups;
	pthread_mutex_t mutex;
};

#define NOWHERE SIZE_MAX

/* A part that may match in the current text, and the position of its next match. */
struct candidate {
	uint32_t part;
	bool is_stale; /* start is not known and must be found again */
	size_t start;  /* offset of the match in the text, or NOWHERE */
};

BS_VECTOR(candidates, struct candidate);

struct bs_grep_list_scratch {
	struct bs_grep_list *list;
	pcre2_match_context *context; /* borrowed */
	pcre2_match_data *data;       /* match data of the last match found, or of `word` */
	struct bs_literal_found found;
	uint32_t matched; /* the part that matched last */
	/* candidates are the parts that may match in text[..end). from: where the last search
	 * began. */
	const uint8_t *text;
	size_t from, end;
	/* fingerprint: the number of the current text. fingerprints[2 * part]: the number of the
	 * last text in which a literal of the part was found. fingerprints[2 * part + 1]: the
	 * number of the last text with a further literal (n_more) of the part. */
	uint32_t *fingerprints;
	uint32_t fingerprint;
	struct candidates candidates;
	enum bs_status status;
	struct bs_error *err;
};

bool bs_grep_list_is_literal(const struct bs_grep_pattern *pattern,
                             const struct bs_grep_analysis *analysis, bool by_line)
{
	const struct bs_pattern_list *list = &analysis->list;
	bool is_plain_line = by_line && !pattern->crlf && !pattern->null_data;
	if (!list->is_literal || pattern->is_brute || (pattern->is_line && !is_plain_line) ||
	    (pattern->is_word && list->has_empty))
		return false;
	/* Literals are left to PCRE2 if they contain a line end and lines are searched one by one
	 * or -x is given, or if they contain \r and --crlf is given. */
	for (uint32_t i = 0; i < list->n_parts; i++) {
		const struct bs_literal *literal = bs_pattern_literal(list, i);
		if ((by_line &&
		     memchr(literal->bytes, bs_grep_end_byte(pattern), literal->n_bytes)) ||
		    (pattern->is_line && memchr(literal->bytes, '\n', literal->n_bytes)) ||
		    (pattern->crlf && memchr(literal->bytes, '\r', literal->n_bytes)))
			return false;
	}
	return true;
}

bool bs_grep_list_is_long(const struct bs_grep_analysis *analysis)
{
	return analysis->list.n_parts >= LONG_PARTS &&
	       (analysis->list.are_all_known || analysis->list.is_literal);
}

static enum bs_literal_case literal_case(const struct bs_grep_list *list)
{
	if (!list->parts->is_caseless)
		return BS_LITERAL_EXACT;
	return list->pattern->no_unicode ? BS_LITERAL_ASCII : BS_LITERAL_UNICODE;
}

/* Makes the set of all literals. An empty literal is included only if all patterns are literals and
 * -x is not given, because only then is finding it already a match. */
static enum bs_status make_set(struct bs_grep_list *list, struct bs_error *err)
{
	uint32_t n = bs_pattern_n_literals(list->parts);
	bool keeps_empty = list->is_literal && !list->pattern->is_line;
	enum bs_status status = bs_vector_reserve(&list->literals, n, err);
	list->owners = malloc((n + (size_t)1) * sizeof(*list->owners));
	if (!status && !list->owners)
		status = bs_fail_memory(err, "a list of patterns", n * sizeof(*list->owners));
	uint32_t n_kept = 0;
	for (uint32_t i = 0; i < list->parts->n_parts && !status; i++) {
		struct bs_pattern_part part = bs_pattern_part_at(list->parts, i);
		for (uint32_t k = 0; k < part.n_literals + part.n_more && !status; k++) {
			const struct bs_literal *literal =
				bs_pattern_literal(list->parts, part.first_literal + k);
			if (literal->n_bytes == 0 && list->empty == BS_NO_LITERAL)
				list->empty = i;
			if (literal->n_bytes == 0 && !keeps_empty)
				continue;
			status = bs_vector_append(&list->literals, literal, err);
			list->owners[n_kept++] = 2 * i + (k >= part.n_literals);
		}
	}
	if (status || n_kept == 0)
		return status;
	return bs_literal_set_new(list->literals.items, n_kept, literal_case(list), &list->set,
	                          err);
}

/* For -w: compiles \w, to test one character beyond ASCII. */
static enum bs_status make_word(struct bs_grep_list *list, const struct bs_grep_analysis *analysis,
                                struct bs_error *err)
{
	static const char text[] = "\\w";
	struct bs_buffer word = {0};
	if (!list->pattern->is_word || list->pattern->no_unicode)
		return BS_OK;
	/* The pattern needs no anchor, because is_of_word() passes one character as the whole
	 * text. */
	enum bs_status status = bs_buffer_append(&word, text, sizeof(text), err);
	if (!status)
		status = bs_grep_code_compile(list->pattern, analysis, &word,
		                              BS_GREP_CODE_CHARACTERS, &list->word, NULL, err);
	bs_buffer_deinit(&word);
	return status;
}

static enum bs_status make_part(struct bs_grep_list *list, const struct bs_grep_analysis *analysis,
                                uint32_t index, struct bs_buffer *text, struct bs_error *err)
{
	struct part *part = &list->codes[index];
	uint32_t n_groups = 0;
	bs_buffer_clear(text);
	part->n_groups_before = list->n_groups;
	enum bs_status status = bs_grep_write_part(list->pattern, analysis, index, text, err);
	if (!status)
		status = bs_grep_code_compile(list->pattern, analysis, text,
		                              BS_GREP_CODE_CHARACTERS, &part->code, NULL, err);
	if (status)
		return status;
	pcre2_pattern_info(part->code.code, PCRE2_INFO_CAPTURECOUNT, &n_groups);
	list->n_groups += n_groups - part->code.n_defined;
	list->most_groups = n_groups > list->most_groups ? n_groups : list->most_groups;
	return BS_OK;
}

/* Compiles each part, and lists the parts that must always be tried. */
static enum bs_status make_parts(struct bs_grep_list *list, const struct bs_grep_analysis *analysis,
                                 struct bs_error *err)
{
	uint32_t n = list->parts->n_parts;
	struct bs_buffer text = {0};
	list->codes = calloc(n, sizeof(*list->codes));
	list->unknown = malloc(n * sizeof(*list->unknown));
	list->n_groups = list->parts->has_group;
	enum bs_status status =
		list->codes && list->unknown
			? BS_OK
			: bs_fail_memory(err, "a list of patterns", n * sizeof(*list->codes));
	for (uint32_t i = 0; i < n && !status; i++) {
		status = make_part(list, analysis, i, &text, err);
		struct bs_pattern_part part = bs_pattern_part_at(list->parts, i);
		bool is_known = list->set && part.n_literals &&
		                bs_pattern_literal(list->parts, part.first_literal)->n_bytes;
		if (!is_known)
			list->unknown[list->n_unknown++] = i;
		list->codes[i].needs_more = part.n_more > 0;
	}
	bs_buffer_deinit(&text);
	return status;
}

enum bs_status bs_grep_list_new(const struct bs_grep_pattern *pattern,
                                const struct bs_grep_analysis *analysis, bool is_literal,
                                struct bs_grep_list **list_out, struct bs_error *err)
{
	struct bs_grep_list *list = calloc(1, sizeof(*list));
	*list_out = NULL;
	if (!list)
		return bs_fail_memory(err, "a list of patterns", sizeof(*list));
	*list = (struct bs_grep_list){.pattern = pattern,
	                              .parts = &analysis->list,
	                              .is_literal = is_literal,
	                              .is_rust = analysis->is_rust,
	                              .empty = BS_NO_LITERAL,
	                              .has_context = analysis->has_assertion};
	pthread_mutex_init(&list->mutex, NULL);
	/* --brute does not search for literals first. */
	enum bs_status status = pattern->is_brute ? BS_OK : make_set(list, err);
	if (!status && is_literal)
		status = make_word(list, analysis, err);
	if (!status && !is_literal)
		status = make_parts(list, analysis, err);
	if (status)
		bs_grep_list_free(list);
	else
		*list_out = list;
	return status;
}

void bs_grep_list_free(struct bs_grep_list *list)
{
	if (!list)
		return;
	bs_literal_set_free(list->set);
	bs_vector_deinit(&list->literals);
	pcre2_code_free(list->word.code);
	for (uint32_t i = 0; list->codes && i < list->parts->n_parts; i++)
		pcre2_code_free(list->codes[i].code.code);
	free(list->codes);
	free(list->owners);
	free(list->unknown);
	pthread_mutex_destroy(&list->mutex);
	free(list);
}

bool bs_grep_list_has_places(const struct bs_grep_list *list)
{
	return list->set && list->n_unknown == 0;
}

size_t bs_grep_list_find_place(const struct bs_grep_list *list, const uint8_t *text, size_t from,
                               size_t end)
{
	struct bs_literal_found found;
	return bs_literal_set_find(list->set, text, from, end, NULL, NULL, &found) ? found.start
	                                                                           : end;
}

bool bs_grep_list_is_bare(struct bs_grep_list *list)
{
	static const uint8_t no_characters[] = {0xff, 0xff};
	pcre2_match_data *data = list->is_literal ? NULL : pcre2_match_data_create(1, NULL);
	bool found = false;
	for (uint32_t i = 0; data && i < list->parts->n_parts && !found; i++)
		found = pcre2_match(list->codes[i].code.code, no_characters, 2, 1, PCRE2_ANCHORED,
		                    data, NULL) >= 0;
	pcre2_match_data_free(data);
	return found;
}

enum bs_status bs_grep_seeker_new(struct bs_grep_list *list, pcre2_match_context *context,
                                  struct bs_grep_list_scratch **seeker_out, struct bs_error *err)
{
	struct bs_grep_list_scratch *seeker = calloc(1, sizeof(*seeker));
	*seeker_out = seeker;
	if (!seeker)
		return bs_fail_memory(err, "a matcher", sizeof(*seeker));
	seeker->list = list;
	seeker->context = context;
	seeker->data = pcre2_match_data_create(list->most_groups + 1, NULL);
	seeker->fingerprints = calloc(list->is_literal ? 1 : 2 * (size_t)list->parts->n_parts,
	                              sizeof(*seeker->fingerprints));
	if (seeker->data && seeker->fingerprints)
		return BS_OK;
	bs_grep_seeker_free(seeker);
	*seeker_out = NULL;
	return bs_fail_memory(err, "a matcher",
	                      list->parts->n_parts * sizeof(*seeker->fingerprints));
}

void bs_grep_seeker_free(struct bs_grep_list_scratch *seeker)
{
	if (!seeker)
		return;
	pcre2_match_data_free(seeker->data);
	free(seeker->fingerprints);
	bs_vector_deinit(&seeker->candidates);
	free(seeker);
}

void bs_grep_seeker_reset(struct bs_grep_list_scratch *seeker)
{
	seeker->text = NULL;
}

/* True if the character c is a word character. An invalid character (c < 0) is not one. */
static bool is_of_word(struct bs_grep_list_scratch *seeker, const uint8_t *bytes, size_t n_bytes,
                       UChar32 c)
{
	if (c < 0x80 || seeker->list->pattern->no_unicode)
		return c == '_' || (c >= '0' && c <= '9') ||
		       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
	struct bs_grep_code *word = &seeker->list->word;
	return word->code && pcre2_match(bs_grep_code_ready(word, &seeker->list->mutex), bytes,
	                                 n_bytes, 0, PCRE2_NO_UTF_CHECK, seeker->data, NULL) >= 0;
}

/* Accepts a literal as a match if -w or -x allows it. */
static bool is_match(void *context, const uint8_t *text, size_t n_bytes,
                     const struct bs_literal_found *found)
{
	struct bs_grep_list_scratch *seeker = context;
	size_t before = found->start, after = found->end, at;
	UChar32 c = -1;
	if (seeker->list->pattern->is_line)
		return (before == 0 || text[before - 1] == '\n') &&
		       (after == n_bytes || text[after] == '\n');
	/* Finds the start of the character before the literal. If this character does not end where
	 * the literal starts, it is invalid. */
	while (before > 0 && found->start - before < 4 && (text[--before] & 0xc0) == 0x80)
		continue;
	at = before;
	if (at < found->start)
		U8_NEXT(text, at, found->start, c);
	/* ripgrep's own engine finds no word next to an invalid character, and ignores continuation
	 * bytes that follow a character. */
	bool sees_validity = seeker->list->is_rust && !seeker->list->pattern->no_unicode;
	if (sees_validity && found->start > 0 && c < 0)
		return false;
	if ((at == found->start || sees_validity) &&
	    is_of_word(seeker, text + before, at - before, c))
		return false;
	c = -1;
	if (after < n_bytes)
		U8_NEXT(text, after, n_bytes, c);
	if (sees_validity && found->end < n_bytes && c < 0)
		return false;
	return !is_of_word(seeker, text + found->end, after - found->end, c);
}

static void add_candidate(struct bs_grep_list_scratch *seeker, uint32_t part)
{
	struct candidate candidate = {.part = part, .is_stale = true};
	if (!seeker->status)
		seeker->status = bs_vector_append(&seeker->candidates, &candidate, seeker->err);
}

/* A callback of the literal search: records that a literal of a part occurs. The part becomes a
 * candidate; if it needs_more, only when one of its further literals occurs, too. Returns false, so
 * that the search visits all literals. */
static bool note(void *context, const uint8_t *text, size_t n_bytes,
                 const struct bs_literal_found *found)
{
	struct bs_grep_list_scratch *seeker = context;
	uint32_t need = seeker->list->owners[found->literal], part = need / 2;
	(void)text;
	(void)n_bytes;
	if (seeker->fingerprints[need] == seeker->fingerprint)
		return false;
	seeker->fingerprints[need] = seeker->fingerprint;
	if (!seeker->list->codes[part].needs_more ||
	    seeker->fingerprints[need ^ 1] == seeker->fingerprint)
		add_candidate(seeker, part);
	return false;
}

static void collect(struct bs_grep_list_scratch *seeker, const uint8_t *text, size_t end)
{
	const struct bs_grep_list *list = seeker->list;
	struct bs_literal_found found;
	bs_vector_clear(&seeker->candidates);
	if (++seeker->fingerprint == 0) {
		memset(seeker->fingerprints, 0,
		       2 * (size_t)list->parts->n_parts * sizeof(*seeker->fingerprints));
		seeker->fingerprint = 1;
	}
	if (list->set)
		(void)!bs_literal_set_find(list->set, text, 0, end, note, seeker, &found);
	for (uint32_t i = 0; i < list->n_unknown; i++)
		add_candidate(seeker, list->unknown[i]);
}

/* Finds the parts that may match in text[0..end). The candidates are kept if the search continues
 * in the same text, or in the rest of the same text. */
static void prepare(struct bs_grep_list_scratch *seeker, const uint8_t *text, size_t from,
                    size_t end)
{
	struct candidate *candidates = seeker->candidates.items;
	size_t n = bs_vector_n(&seeker->candidates);
	bool is_same = seeker->text == text && seeker->end == end && from > seeker->from;
	bool is_rest =
		seeker->text && text > seeker->text && text + end == seeker->text + seeker->end;
	if (is_rest) {
		size_t gone = (size_t)(text - seeker->text);
		for (size_t i = 0; i < n; i++) {
			candidates[i].is_stale |=
				seeker->list->has_context || candidates[i].start < gone;
			candidates[i].start -= candidates[i].start == NOWHERE ? 0 : gone;
		}
	} else if (!is_same) {
		collect(seeker, text, end);
	}
	seeker->text = text;
	seeker->from = from;
	seeker->end = end;
}

static enum bs_status match_part(struct bs_grep_list_scratch *seeker, uint32_t part,
                                 const uint8_t *text, size_t from, size_t end, size_t *start_out,
                                 struct bs_error *err)
{
	struct bs_grep_list *list = seeker->list;
	int n = bs_grep_code_match(bs_grep_code_ready(&list->codes[part].code, &list->mutex), text,
	                           end, from, end, bs_grep_code_most_steps(), seeker->data,
	                           seeker->context);
	*start_out = n >= 0 ? pcre2_get_ovector_pointer(seeker->data)[0] : NOWHERE;
	seeker->matched = part;
	return bs_grep_code_check(n, err);
}

static enum bs_status seek_parts(struct bs_grep_list_scratch *seeker, const uint8_t *text,
                                 size_t from, size_t end, bool any, struct bs_grep_span *match_out,
                                 bool *found_out, struct bs_error *err)
{
	const struct candidate *best = NULL, *last = NULL;
	seeker->status = BS_OK;
	seeker->err = err;
	prepare(seeker, text, from, end);
	struct candidate *candidates = seeker->candidates.items;
	size_t n = bs_vector_n(&seeker->candidates);
	enum bs_status status = seeker->status;
	for (size_t i = 0; i < n && !status && !(any && best); i++) {
		struct candidate *candidate = &candidates[i];
		if (candidate->is_stale || candidate->start < from) {
			status = match_part(seeker, candidate->part, text, from, end,
			                    &candidate->start, err);
			last = candidate;
		}
		candidate->is_stale = false;
		bool is_better = !best || candidate->start < best->start ||
		                 (candidate->start == best->start && candidate->part < best->part);
		if (candidate->start != NOWHERE && is_better)
			best = candidate;
	}
	*found_out = best && !status;
	if (any)
		seeker->text = NULL;
	if (status || !best || any)
		return status;
	size_t start = best->start;
	if (last != best)
		status = match_part(seeker, best->part, text, start, end, &start, err);
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(seeker->data);
	/* \K inside a lookahead can end a match before it starts. */
	*match_out = (struct bs_grep_span){start, places[1] > start ? places[1] : start};
	return status;
}

/* The position after the next line feed, or `end`. */
static size_t next_start(const uint8_t *text, size_t from, size_t end)
{
	const uint8_t *found = from < end ? memchr(text + from, '\n', end - from) : NULL;
	return found ? (size_t)(found - text) + 1 : end;
}

/* For -x with an empty literal: finds the first empty line that starts between `from` and upto. */
static bool seek_empty_line(struct bs_grep_list_scratch *seeker, const uint8_t *text, size_t from,
                            size_t upto, size_t end)
{
	size_t at = from > 0 && text[from - 1] != '\n' ? next_start(text, from, end) : from;
	while (at <= upto && at < end && text[at] != '\n')
		at = next_start(text, at, end);
	if (at > upto || (at > 0 && text[at - 1] != '\n'))
		return false;
	seeker->found = (struct bs_literal_found){at, at, seeker->list->empty};
	return true;
}

enum bs_status bs_grep_list_find(struct bs_grep_list_scratch *seeker, const uint8_t *text,
                                 size_t from, size_t end, bool any, struct bs_grep_span *match_out,
                                 bool *found_out, struct bs_error *err)
{
	const struct bs_grep_list *list = seeker->list;
	static const uint8_t nothing[1];
	text = text ? text : nothing;
	if (!list->is_literal)
		return seek_parts(seeker, text, from, end, any, match_out, found_out, err);
	bool has_place = list->pattern->is_word || list->pattern->is_line;
	*found_out = list->set &&
	             bs_literal_set_find(list->set, text, from, end, has_place ? is_match : NULL,
	                                 seeker, &seeker->found);
	if (list->pattern->is_line && list->empty != BS_NO_LITERAL)
		*found_out |= seek_empty_line(seeker, text, from,
		                              *found_out ? seeker->found.start : end, end);
	*match_out = (struct bs_grep_span){seeker->found.start, seeker->found.end};
	return BS_OK;
}

bool bs_grep_seeker_group(const struct bs_grep_list_scratch *seeker, long number, const char *name,
                          struct bs_grep_span *group_out)
{
	const struct bs_grep_list *list = seeker->list;
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(seeker->data);
	if (list->is_literal) {
		*group_out = (struct bs_grep_span){seeker->found.start, seeker->found.end};
		return number >= 0 && number <= list->parts->has_group;
	}
	const struct part *part = &list->codes[seeker->matched];
	if (number < 0)
		number = pcre2_substring_number_from_name(part->code.code, (PCRE2_SPTR)name);
	else if (number <= list->parts->has_group)
		number = 0;
	else
		number = number > (long)part->n_groups_before ? number - (long)part->n_groups_before
		                                              : -1;
	uint32_t n_groups = 0;
	pcre2_pattern_info(part->code.code, PCRE2_INFO_CAPTURECOUNT, &n_groups);
	if (number < 0 || number > (long)n_groups || places[2 * number] == PCRE2_UNSET)
		return false;
	*group_out = (struct bs_grep_span){places[2 * number], places[2 * number + 1]};
	return true;
}
