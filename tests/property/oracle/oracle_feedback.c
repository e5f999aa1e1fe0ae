/* oracle_feedback.c: feedback terms, straight from their definition in feedback.h. See oracle.h. */
#include <math.h>

#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

#define MOST_WORDS 20

/* A term of the feedback documents. `share` is the sum over these documents of the tf part of its
 * BM25 score, times the fourth power of the document's score relative to the best one (add_doc).
 * `value` is share times idf (at most 7); the terms with the greatest values are taken. */
struct typical {
	double share, value;
	double told; /* its weight in the line of --explain; 0: the line does not list it */
	bool may_be; /* the line of --explain may list it */
};

static void add_doc(const struct oracle *oracle, size_t d, double trust, struct typical *typical)
{
	const struct oracle_doc *doc = &oracle->docs.items[d];
	double avgdl = (double)oracle->n_positions / (double)oracle_n_counted(oracle);
	for (size_t i = 0; i < doc->n_tokens; i++) {
		uint32_t term = oracle->tokens.items[doc->first_token + i].term, tf = 0,
			 n_before = 0;
		for (size_t k = 0; k < doc->n_tokens; k++) {
			bool is_same = oracle->tokens.items[doc->first_token + k].term == term;
			tf += is_same;
			n_before += is_same && k < i;
		}
		if (n_before == 0)
			typical[term].share +=
				trust * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * doc->length / avgdl));
	}
}

/* Reads "word^weight word^weight ...". False: an entry is not a term of the corpus, or is
 * repeated. */
static bool read_line(const struct oracle *oracle, const char *at, const char *end,
                      struct typical *typical, size_t *n_out)
{
	for (*n_out = 0; at < end && *at == ' '; ++*n_out) {
		const char *word = ++at, *after = NULL;
		for (const char *caret = word;
		     (caret = memchr(caret, '^', (size_t)(end - caret))) != NULL && !after;
		     caret++) {
			const char *behind = caret + 1 + strspn(caret + 1, "0123456789.");
			if (behind > caret + 1 && (*behind == ' ' || *behind == '\n')) {
				at = caret;
				after = behind;
			}
		}
		uint32_t term = after ? oracle_find_term(oracle, word, (size_t)(at - word))
		                      : ORACLE_NO_TERM;
		if (term == ORACLE_NO_TERM || typical[term].told > 0)
			return false;
		typical[term].told = strtod(at + 1, NULL);
		at = after;
	}
	return at < end && *at == '\n';
}

static const char *check(const struct typical *typical, size_t n_terms, size_t n_told, double own)
{
	double sum = 0, least = INFINITY;
	size_t n_may = 0;
	for (size_t t = 0; t < n_terms; t++) {
		n_may += typical[t].may_be;
		if (typical[t].told > 0 && !typical[t].may_be)
			return "an unknown word";
		sum += typical[t].told > 0 ? typical[t].share : 0;
		least = typical[t].told > 0 ? fmin(least, typical[t].value) : least;
	}
	if (n_told != (n_may < MOST_WORDS ? n_may : MOST_WORDS))
		return "another number of words";
	for (size_t t = 0; t < n_terms; t++) {
		double weight = typical[t].share / sum * own;
		if (typical[t].told > 0 && own > 0 &&
		    fabs(typical[t].told - weight) > 0.000051 + weight * 1e-9 && !(weight < 0.0001))
			return "another weight";
		if (typical[t].may_be && !(typical[t].told > 0) &&
		    typical[t].value > least * (1 + 1e-9))
			return "a better word is left out";
	}
	return NULL;
}

const char *oracle_check_feedback(const struct oracle_query *query, struct oracle *oracle,
                                  const struct oracle_hit *hits, size_t n_hits, const char *line,
                                  size_t line_bytes)
{
	size_t n_terms = bs_vector_n(&oracle->terms), n_told = 0;
	double n_docs = (double)oracle_n_counted(oracle);
	FREED struct typical *typical = must_calloc(n_terms + 1, sizeof(*typical));
	for (size_t i = 0; i < n_hits && hits[0].score > 0; i++)
		add_doc(oracle, hits[i].doc, pow(hits[i].score / hits[0].score, 4), typical);
	bool is_long = false;
	for (size_t t = 0; t < n_terms; t++) {
		const struct oracle_term *term = &oracle->terms.items[t];
		const uint8_t *bytes = oracle->bytes.data + term->term_off;
		is_long = is_long || (typical[t].share > 0 && term->term_bytes > 100);
		typical[t].may_be = typical[t].share > 0 && term->df >= 2 &&
		                    !oracle_is_stop(query, oracle, bytes, term->term_bytes);
		typical[t].value = typical[t].share *
		                   fmin(7, log(1 + (n_docs - term->df + 0.5) / (term->df + 0.5)));
	}
	const char *at = line_bytes > 0 ? strstr(line, " text") : NULL;
	at = at ? strchr(at, ':') : NULL;
	const char *fault = NULL;
	/* The line truncates long words, so it cannot be read back. */
	if (is_long)
		fault = NULL;
	else if (!at || !read_line(oracle, at + 1, line + line_bytes, typical, &n_told))
		fault = hits[0].score > 0 ? "no line to be read" : NULL;
	else
		fault = check(typical, n_terms, n_told, query->own_weight);
	return fault;
}
