/*
 * catalog_suggest.c: where nothing matches: words that no index has, each with one much like it that some index has. The summaries are
 * asked about all that is one edit away, as a filter of a list of words checks spelling; what they let through is looked for in the
 * lexicons. If there is nothing, a few indexes go through theirs: those that have most of the word's trigrams, the largest first.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/search.h"
#include "query/catalog/finding.h"
#include "query/language/fuzzy.h"
#include "query/plan/plan.h"
#include "query/search/finder.h"
#include "query/plan/suggest.h"

#define MOST_WORDS 3
/* Of so many indexes the lexicons are gone through. */
#define MOST_ASKED 16u
/* So many are opened to find out that a word of which their summaries are not sure is not there; where more are unsure, nothing is said of
 * it. */
#define MOST_UNSURE 64u

/* Of a longer word not all is tried. */
#define LONGEST 40u
#define LEAST   3u

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";

/* What is one edit away, */
struct variant {
	uint8_t word[LONGEST + 1];
	uint8_t n_bytes;
	_Atomic uint64_t df; /* in so many documents of all */
};
/* and all of it. */
struct variants {
	struct variant *list;
	size_t n;
};

struct chosen {
	struct bs_asked *asked;
	uint32_t n_grams; /* that it has of the word */
};

/* A number, say, that others begin with: those are meant. */
static bool may_go_on(const struct bs_element *element)
{
	uint8_t last = element->term[element->term_bytes - 1];
	return last >= 0x80 || (last >= '0' && last <= '9');
}

static enum bs_status stands_anywhere(struct bs_finding *finding, const struct bs_element *element, bool *stands_out,
                                      struct bs_error *err)
{
	uint32_t n_unsure = 0;
	enum bs_status status = BS_OK;
	*stands_out = false;
	for (size_t i = 0; i < finding->asking.n_asked && !*stands_out && !status; i++) {
		struct bs_asked *asked = &finding->asking.asked[i];
		bool may = false, is_known = false;
		uint64_t df = 0;
		if (asked->is_reached)
			status = bs_asking_know_word(asked, element->term, element->term_bytes, &may, &is_known, &df, err);
		if (status || !may)
			continue;
		*stands_out = is_known || ++n_unsure > MOST_UNSURE;
		if (*stands_out)
			continue;
		status = bs_finding_open(finding, asked);
		if (!status)
			status = bs_plan_df(&asked->finder->list, element->term, element->term_bytes, &df, &asked->answer->why);
		if (status)
			return bs_fail(err, status, "%s: %s", asked->item->name, asked->answer->why.text);
		*stands_out = df > 0;
	}
	return status;
}

static int compare_chosen(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;
	int order = bs_compare_u64(y->n_grams, x->n_grams);
	if (!order)
		order = bs_compare_u64(y->asked->item->n_docs, x->asked->item->n_docs);
	return order ? order : bs_compare_u64((uint64_t)(uintptr_t)x->asked, (uint64_t)(uintptr_t)y->asked);
}

static void add_variant(struct variants *to, const struct bs_element *of, uint32_t n_head, int letter, uint32_t n_left_out)
{
	struct variant *variant = &to->list[to->n++];
	const uint32_t n_tail = of->term_bytes - n_head - n_left_out;
	memcpy(variant->word, of->term, n_head);
	variant->word[n_head] = (uint8_t)letter;
	memcpy(variant->word + n_head + (letter >= 0), of->term + n_head + n_left_out, n_tail);
	variant->n_bytes = (uint8_t)(n_head + (letter >= 0) + n_tail);
}

/* Two letters exchanged, and each left out; these are few, and so come first. What makes no sense stands in no lexicon. */
static void add_shifts(struct variants *variants, const struct bs_element *element)
{
	for (uint32_t i = 0; i < element->term_bytes; i++) {
		add_variant(variants, element, i, -1, 1);
		if (i + 1 == element->term_bytes)
			continue;
		add_variant(variants, element, i, element->term[i + 1], 1);
		variants->list[variants->n - 1].word[i + 1] = element->term[i];
	}
}

/* A letter more, or in place of another. */
static void add_letters(struct variants *variants, const struct bs_element *element)
{
	for (uint32_t i = 0; i <= element->term_bytes; i++) {
		for (const char *letter = letters; *letter; letter++) {
			add_variant(variants, element, i, *letter, 0);
			if (i < element->term_bytes)
				add_variant(variants, element, i, *letter, 1);
		}
	}
}

/* Whether the summary lets it pass: its place among the words, and its trigrams. */
static enum bs_status may_stand(const struct bs_asked *asked, const struct variant *variant, bool *may_out, struct bs_error *err)
{
	const struct bs_summary *summary = &asked->item->summary;
	enum bs_status status = bs_summary_may_have_word(summary, bs_hash_term(variant->word, variant->n_bytes), may_out, err);
	for (uint32_t i = 2; i < variant->n_bytes && *may_out && !status; i++)
		status = bs_summary_may_have_gram(summary, variant->word + i - 2, may_out, err);
	return status;
}

/* A step. Who has no summary of words is not asked about so many. */
static enum bs_status count_variants(struct bs_finding *finding, struct bs_asked *asked)
{
	struct variants *variants = finding->step_context;
	enum bs_status status = BS_OK;
	const bool has_words = !asked->is_unknown && asked->item->summary.facts.has_words;
	for (size_t i = 0; i < variants->n && has_words && !status; i++) {
		struct variant *variant = &variants->list[i];
		bool may, is_known = false;
		uint64_t df = 0;
		status = may_stand(asked, variant, &may, &asked->answer->why);
		if (status || !may)
			continue;
		status = bs_asking_know_word(asked, variant->word, variant->n_bytes, &may, &is_known, &df, &asked->answer->why);
		if (!status && !is_known)
			status = bs_finding_open(finding, asked);
		if (!status && !is_known)
			status = bs_plan_df(&asked->finder->list, variant->word, variant->n_bytes, &df, &asked->answer->why);
		atomic_fetch_add(&variant->df, status ? 0 : df);
	}
	return status;
}

/* The most frequent of them, of no bytes if there is none. */
static enum bs_status find_frequent(struct bs_finding *finding, struct variants *variants, struct bs_buffer *near, struct bs_error *err)
{
	uint64_t most = 0;
	finding->n_list = 0;
	for (size_t i = 0; i < finding->asking.n_asked; i++)
		if (finding->asking.asked[i].is_reached)
			finding->list[finding->n_list++] = &finding->asking.asked[i];
	finding->step_context = variants;
	enum bs_status status = bs_finding_run_whole(finding, count_variants, err);
	for (size_t i = 0; i < variants->n && !status; i++) {
		uint64_t df = atomic_load(&variants->list[i].df);
		if (df <= most)
			continue;
		most = df;
		bs_buffer_clear(near);
		status = bs_buffer_append(near, variants->list[i].word, variants->list[i].n_bytes, err);
	}
	return status;
}

/* A word that is one edit away; of no bytes: there is none. */
static enum bs_status find_variant(struct bs_finding *finding, const struct bs_element *element, struct bs_buffer *near,
                                   struct bs_error *err)
{
	const size_t most = ((size_t)element->term_bytes + 1) * 2 * sizeof(letters);
	if (element->term_bytes < LEAST || element->term_bytes >= LONGEST || may_go_on(element))
		return BS_OK;
	struct variants variants = {calloc(most, sizeof(*variants.list)), 0};
	if (!variants.list)
		return bs_fail_memory(err, "words", most * sizeof(*variants.list));
	add_shifts(&variants, element);
	enum bs_status status = find_frequent(finding, &variants, near, err);
	if (!status && near->used_bytes == 0) {
		variants.n = 0;
		add_letters(&variants, element);
		status = find_frequent(finding, &variants, near, err);
	}
	free(variants.list);
	return status;
}

/* Lists those that are to look. */
static enum bs_status choose(struct bs_finding *finding, const struct bs_element *element, struct bs_error *err)
{
	const size_t n = finding->asking.n_asked;
	struct chosen *chosen = calloc(n + 1, sizeof(*chosen));
	size_t n_chosen = 0;
	enum bs_status status = chosen ? BS_OK : bs_fail_memory(err, "a list", n * sizeof(*chosen));
	for (size_t i = 0; i < n && !status; i++) {
		struct bs_asked *asked = &finding->asking.asked[i];
		if (!asked->is_reached)
			continue;
		chosen[n_chosen].asked = asked;
		for (uint32_t k = 2; k < element->term_bytes && !status; k++) {
			bool may = true;
			if (!asked->is_unknown)
				status = bs_summary_may_have_gram(&asked->item->summary, element->term + k - 2, &may, err);
			chosen[n_chosen].n_grams += may;
		}
		n_chosen++;
	}
	if (n_chosen > 0)
		qsort(chosen, n_chosen, sizeof(*chosen), compare_chosen);
	finding->n_list = n_chosen < MOST_ASKED ? n_chosen : MOST_ASKED;
	for (size_t i = 0; i < finding->n_list; i++)
		finding->list[i] = chosen[i].asked;
	free(chosen);
	return status;
}

/* A step. */
static enum bs_status look(struct bs_finding *finding, struct bs_asked *asked)
{
	const struct bs_element *element = finding->step_context;
	struct bs_answer *answer = asked->answer;
	enum bs_status status = bs_finding_open(finding, asked);
	return status ? status : bs_suggest(&asked->finder->list, element->term, element->term_bytes, &answer->near, &answer->is_beginning,
	                                    &answer->why);
}

/* One edit is nearer than two; of a number, words that go on like it are nearest, and of others farthest. */
static unsigned distance(const struct bs_element *element, const struct bs_answer *answer, struct bs_fuzzy *fuzzy)
{
	if (answer->is_beginning)
		return may_go_on(element) ? 0 : 3;
	return bs_fuzzy_matches(fuzzy, answer->near.data, (uint32_t)answer->near.used_bytes, 0) ? 1 : 2;
}

/* In how many documents of the indexes that looked it stands. */
static enum bs_status count(struct bs_finding *finding, const struct bs_buffer *word, uint64_t *df_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*df_out = 0;
	for (size_t i = 0; i < finding->n_list && !status; i++) {
		struct bs_asked *asked = finding->list[i];
		uint64_t df = 0;
		status = bs_finding_open(finding, asked);
		if (!status)
			status = bs_plan_df(&asked->finder->list, word->data, (uint32_t)word->used_bytes, &df, &asked->answer->why);
		if (status)
			return bs_fail(err, status, "%s: %s", asked->item->name, asked->answer->why.text);
		*df_out += df;
	}
	return status;
}

/* Of what they found the nearest, and of such the most frequent; NULL: nothing. */
static enum bs_status find_near(struct bs_finding *finding, const struct bs_element *element, const struct bs_answer **near_out,
                                struct bs_error *err)
{
	struct bs_fuzzy *fuzzy = NULL;
	unsigned least = UINT32_MAX;
	uint64_t most = 0;
	*near_out = NULL;
	finding->step_context = (void *)(uintptr_t)element;
	enum bs_status status = choose(finding, element, err);
	if (!status)
		status = bs_finding_run_whole(finding, look, err);
	if (!status)
		status = bs_fuzzy_new(element->term, element->term_bytes, 1, &fuzzy, err);
	for (size_t i = 0; i < finding->n_list && !status; i++) {
		const struct bs_answer *answer = finding->list[i]->answer;
		uint64_t df = 1;
		if (!answer->near.used_bytes)
			continue;
		unsigned edits = distance(element, answer, fuzzy);
		if (edits <= least && !answer->is_beginning)
			status = count(finding, &answer->near, &df, err);
		if (status || edits > least || (edits == least && df <= most))
			continue;
		least = edits;
		most = df;
		*near_out = answer;
	}
	bs_fuzzy_free(fuzzy);
	return status;
}

enum bs_status bs_finding_suggest(struct bs_finding *finding, struct bs_error *err)
{
	const struct bs_find_request *find = finding->asking.find;
	const struct bs_asking_group *group = finding->asking.n_groups ? &finding->asking.groups[0] : NULL;
	const char *star = group && group->reading.words_unstemmed ? "*" : "";
	enum bs_status status = BS_OK;
	for (size_t i = 0, n = 0; group && i < group->tree->n_elements && n < MOST_WORDS && !status; i++) {
		const struct bs_element *element = &group->tree->elements[i];
		const struct bs_answer *near = NULL;
		struct bs_error line;
		bool stands = true;
		int n_bytes = element->term_bytes < 100 ? (int)element->term_bytes : 100;
		if (element->kind == BS_ELEMENT_TERM && element->is_positive)
			status = stands_anywhere(finding, element, &stands, err);
		if (status || stands)
			continue;
		struct bs_buffer variant = {.data = NULL};
		status = find_variant(finding, element, &variant, err);
		if (!status && variant.used_bytes == 0)
			status = find_near(finding, element, &near, err);
		bool is_beginning = near && near->is_beginning;
		const struct bs_buffer *word = near ? &near->near : &variant;
		(void)bs_fail(&line, BS_OK, "no index has %.*s%s%s%.*s%s", n_bytes, (const char *)element->term, is_beginning ? "" : star,
		              word->used_bytes ? "; did you mean " : "", (int)word->used_bytes, word->used_bytes ? (const char *)word->data : "",
		              word->used_bytes ? *star || is_beginning ? "*?" : "?" : "");
		bs_buffer_deinit(&variant);
		if (!status)
			find->notice(find->context, line.text);
		n++;
	}
	return status;
}
