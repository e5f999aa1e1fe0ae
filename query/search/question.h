/*
 * question.h: what a search is asked: a request (struct bs_search_request of bitsift.h), split into
 * what each stage needs. Only search.c and the files that it calls for other public functions see
 * the request itself.
 */
#pragma once

#include "core/base/error.h"
#include "core/bitsift/search_request.h"
#include "core/program/options.h"
#include "query/answer/hit_assembly.h"
#include "query/language/stop.h"
#include "query/plan/filter.h"

/* The query, for the parser. */
struct bs_query_text {
	const char *text;
	size_t n_bytes;
	bool any;
	bool strict;
	const char *field; /* all of it is in this field; NULL: as it says */
};

/* The documents that hits are to be like, or that words are taken from. */
struct bs_likeness {
	size_t feedback_docs; /* 0: none */
	const char *id;       /* NULL: none */
	const char *text;     /* NULL: none */
	size_t text_bytes;
};

/* How the query is run. */
struct bs_run_options {
	enum bs_search_mode mode;
	/* BS_SEARCH_TOP: the hits to be found, those before the offset included */
	size_t n_best;
	const char *sort_field; /* NULL: by score */
	bool sort_descending;
	bool approx;
	bool brute;
	bool candidates;
	bool no_stat;
	bool exhaustive;
	bool verbose;
	uint32_t n_threads;
};

/* All is borrowed from the request. */
struct bs_question {
	struct bs_query_text query;
	struct bs_stop_choice stop;
	struct bs_likeness like;
	struct bs_selection selection;
	const struct bs_statistics *statistics; /* NULL: those of the list of indexes alone */
	/* scores use those of the list, too, of whose documents the statistics have none */
	bool adds_statistics;
	struct bs_run_options run;
	struct bs_wanted wanted;
	size_t offset; /* hits passed over before the first that is handed out */
	bool suggest;  /* where nothing matches, words of the index are suggested */
	bool explain_bars;
	struct bs_search_callbacks listener;
};

/* program: nullable. Fails if the request makes no sense. BS_INVALID, BS_UNSUPPORTED. */
enum bs_status bs_question_make(const struct bs_search_request *request,
                                const struct bs_search_program *program,
                                struct bs_question *question_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* The documents by which the scores of the question are computed, where a list is searched. */
static inline struct bs_corpus bs_question_corpus(const struct bs_question *question,
                                                  const struct bs_snapshot_list *list)
{
	bool counts_list = !question->statistics || question->adds_statistics;
	return (struct bs_corpus){counts_list ? list : NULL, question->statistics};
}

/* Calls notice_query, or notice where the caller has none. */
void bs_listener_notice_query(const struct bs_search_callbacks *listener, const char *message);

/* How many of the best must be known for the request's hits to be shown: those before the offset
 * included. */
size_t bs_question_n_wanted(const struct bs_search_request *request);

/* The document that hits are to be like has no words: the query, of query_bytes, alone counts, as a
 * notice says. BS_INVALID: it is empty. */
enum bs_status bs_question_learnt_nothing(size_t query_bytes,
                                          const struct bs_search_callbacks *listener,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* Writes what came of the question to a log (nullable): slow searches and those that were cut off
 * are warnings. */
void bs_question_log(const struct bs_log *log, const struct bs_question *question,
                     const struct bs_search_result *result, enum bs_status status,
                     uint64_t elapsed_ns, const struct bs_error *err);
