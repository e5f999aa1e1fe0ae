/* question.h: a question: a search request (struct bs_search_request of bitsift.h), split into the
 * inputs of each stage. Only the files that implement public functions, such as search.c, use the
 * request itself. */
#pragma once

#include "core/base/error.h"
#include "core/bitsift/search_request.h"
#include "core/program/options.h"
#include "query/answer/hit_assembly.h"
#include "query/language/stop.h"
#include "query/plan/filter.h"

/* The input of the parser. */
struct bs_query_text {
	const char *text;
	size_t n_bytes;
	bool any;          /* Adjacent words are joined by OR (parse.h). */
	bool strict;       /* A notice about the query is an error. */
	const char *field; /* Restricts the whole query to this field; NULL: no restriction. */
};

/* Where words to add to the query are taken from: its best documents, or example documents, which
 * hits should resemble. */
struct bs_likeness {
	size_t feedback_docs; /* The number of best documents whose words are added; 0: none. */
	const char *id;       /* The id of an example document; NULL: none. */
	const char *text;     /* The text of an example document; NULL: none. */
	size_t text_bytes;
};

/* How the query is run. Members without a comment are copied from the request. */
struct bs_run_options {
	enum bs_search_mode mode;
	/* For BS_SEARCH_TOP: the number of hits to find, including those that `offset` skips. */
	size_t n_best;
	const char *sort_field; /* The field to sort by; NULL: sort by score. */
	bool sort_descending;
	bool approx;
	bool brute;
	bool candidates;
	bool no_stat;
	bool exhaustive;
	bool verbose;
	uint32_t n_threads;
};

/* Pointers are borrowed; bs_question_make takes them from the request. */
struct bs_question {
	struct bs_query_text query;
	struct bs_stop_choice stop;
	struct bs_likeness like;
	struct bs_selection selection;
	/* The statistics that scores are computed from; NULL: those of the list. */
	const struct bs_statistics *statistics;
	/* `statistics` does not count the documents of the list, so those of the list are added. */
	bool adds_statistics;
	struct bs_run_options run;
	struct bs_hit_parts wanted;
	size_t offset;     /* The number of hits skipped at the beginning. */
	bool suggest;      /* If there are no hits, similar words of the index are suggested. */
	bool explain_bars; /* Explanations contain bars, for a terminal. */
	struct bs_search_callbacks listener;
};

/* Makes a question from a request. program: nullable. BS_INVALID: the request is inconsistent.
 * BS_UNSUPPORTED: its mode is unknown, or a reserved member is set. */
enum bs_status bs_question_make(const struct bs_search_request *request,
                                const struct bs_search_program *program,
                                struct bs_question *question_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* The documents that scores are based on, when the question is run on `list`. */
static inline struct bs_corpus bs_question_corpus(const struct bs_question *question,
                                                  const struct bs_snapshot_list *list)
{
	bool counts_list = !question->statistics || question->adds_statistics;
	return (struct bs_corpus){counts_list ? list : NULL, question->statistics};
}

/* Passes a message about the query to notice_query, or to notice if that is NULL. */
void bs_listener_notice_query(const struct bs_search_callbacks *listener, const char *message);

/* The number of best hits to find, including those before the offset. */
size_t bs_question_n_wanted(const struct bs_search_request *request);

/* For an example document without usable words: reports that only the words of the query, which has
 * query_bytes, are used. BS_INVALID: the query is empty, too. */
enum bs_status bs_question_learnt_nothing(size_t query_bytes,
                                          const struct bs_search_callbacks *listener,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* Logs the outcome of a search (log: nullable). Slow and partial searches are warnings. */
void bs_question_log(const struct bs_log *log, const struct bs_question *question,
                     const struct bs_search_result *result, enum bs_status status,
                     uint64_t elapsed_ns, const struct bs_error *err);
