/*
 * grep_sink.h: what the searcher tells a printer of one file, event by event. A printer appends to its own buffer and
 * answers whether it wants more; it may ask the search where in a line the matches are.
 */
#ifndef BS_QUERY_GREP_GREP_SINK_H
#define BS_QUERY_GREP_GREP_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "query/grep/grep_matcher.h"

enum bs_grep_line_kind {
	BS_GREP_LINE_MATCH,
	BS_GREP_LINE_BEFORE,
	BS_GREP_LINE_AFTER,
	BS_GREP_LINE_OTHER, /* --passthru */
};

/* A line, or with -U the lines that a run of matches touches. */
struct bs_grep_line {
	const uint8_t *text; /* of the part of the file that is in hand */
	size_t text_bytes;
	size_t start, end;   /* offsets in text, the line's end included */
	uint64_t file_off;   /* of start */
	uint64_t number;     /* 1-based; 0: not counted */
};

/* How the search of a file ended. */
struct bs_grep_finish {
	uint64_t searched_bytes;
	bool is_binary;
	uint64_t binary_off;
	enum bs_grep_binary binary; /* what was to be done with NUL bytes */
};

struct bs_grep_sink;

struct bs_grep_sink_methods {
	/* False: do not search at all. */
	bool (*begin)(struct bs_grep_sink *sink);
	/* False: enough. */
	bool (*line)(struct bs_grep_sink *sink, enum bs_grep_line_kind kind, const struct bs_grep_line *line);
	/* Lines were left out between two that are shown. */
	void (*gap)(struct bs_grep_sink *sink);
	/* A NUL byte was met, before the lines that follow are told. */
	void (*nul)(struct bs_grep_sink *sink, uint64_t file_off, enum bs_grep_binary binary);
	void (*finish)(struct bs_grep_sink *sink, const struct bs_grep_finish *finish);
};

/* What every printer has; the parts of one file. */
struct bs_grep_sink {
	const struct bs_grep_sink_methods *methods;
	const struct bs_grep_output *output;
	const struct bs_grep_search *search;
	struct bs_grep_scratch *scratch; /* to find matches again with */
	const struct bs_grep_matcher *matcher;
	bool by_line; /* of the matcher */
	const char *path;                /* as it is shown; NULL: not */
	struct bs_buffer *out;
	bool has_matched;
	/* The first failure: no memory, or a match limit. err says what. */
	enum bs_status status;
	struct bs_error *err;
};

/* Appends, remembering a failure. */
void bs_grep_put(struct bs_grep_sink *sink, const void *bytes, size_t n_bytes);
void bs_grep_put_text(struct bs_grep_sink *sink, const char *text);
/* The digits of a number, at the end of memory for them. */
const char *bs_grep_digits(uint64_t number, char digits[24], size_t *n_out);
void bs_grep_put_number(struct bs_grep_sink *sink, uint64_t number);

/* The text of a line without its end. */
size_t bs_grep_trimmed_end(const struct bs_grep_sink *sink, const uint8_t *text, size_t start, size_t end);

/*
 * The matches in a line, as offsets from its start, appended to matches (struct bs_grep_span). What a match may look at
 * is what ripgrep lets it: the text before the line, and behind it nothing or, with -U, a little.
 */
void bs_grep_find_all(struct bs_grep_sink *sink, const struct bs_grep_line *line, struct bs_buffer *matches);

/* The same step by step. */
struct bs_grep_finder {
	struct bs_grep_sink *sink;
	const uint8_t *text; /* what may be looked at: text[0..n_bytes) */
	size_t n_bytes;
	size_t text_off;     /* of text in line->text */
	bool is_ascii;       /* bs_grep_is_ascii() of it */
	size_t limit;        /* matches start before this offset in text */
	size_t from;
	size_t last_end;
};

void bs_grep_finder_init(struct bs_grep_finder *finder, struct bs_grep_sink *sink, const struct bs_grep_line *line);
/* The next match, in offsets of finder->text. False if there is none. */
bool bs_grep_finder_next(struct bs_grep_finder *finder, struct bs_grep_span *at_out);

#endif
