/*
 * class_sequence.h: finds a part of a pattern that is a sequence of byte classes. Lines without the
 * sequence cannot match. A sequence consists of runs: `[A-Z]{3}_[0-9]{4}` has three, of 3, 1 and 4
 * bytes. query/grep/match/sequence_search.h tests a sequence at 64 places of a text at once.
 */
#pragma once

#include "core/simd/needle.h"
#include "query/regex/prefilter/byte_superset.h"

#define BS_SEQUENCE_MOST_CLASSES 8u
#define BS_SEQUENCE_MOST_RUNS    16u
/* the maximum length of a sequence of several runs; a single run may be longer */
#define BS_SEQUENCE_MOST_BYTES 64u

#define BS_SEQUENCE_UNBOUNDED UINT32_MAX

/* n_bytes consecutive bytes of one class, `offset` bytes after the start of the sequence. */
struct bs_class_run {
	uint32_t class; /* index in the classes of the sequence */
	uint32_t offset, n_bytes;
};

/* Zero-initialised: no sequence. */
struct bs_class_sequence {
	struct bs_byte_class classes[BS_SEQUENCE_MOST_CLASSES];
	/* Has the bytes that may be next to a word: all but ASCII word characters. */
	struct bs_byte_class gap;
	uint32_t n_classes;
	uint32_t n_runs;                                 /* 0: no sequence */
	struct bs_class_run runs[BS_SEQUENCE_MOST_RUNS]; /* the rarest first */
	uint32_t n_bytes;                                /* the length of all runs together */
	/* The byte before (after) the sequence must be in `gap`; the bounds of the searched text
	 * also count as a gap. Not tested for sequences of more than BS_SEQUENCE_MOST_BYTES. */
	bool has_gap_before, has_gap_after;
	/* the maximum number of bytes between the start of a match and the sequence, or
	 * BS_SEQUENCE_UNBOUNDED */
	uint32_t before_bytes;
};

/*
 * Finds the rarest sequence that every match contains. If no sequence is known,
 * sequence_out->n_runs is 0 and *rate_out is 1. spans_lines: a match may contain line feeds;
 * otherwise no class of the sequence has the line feed. *rate_out is the estimated share of places
 * of a text where the sequence occurs. *is_exact_out: a line of ASCII matches if the sequence
 * occurs in it; false if spans_lines. options->is_ascii: the sequence is for lines of ASCII;
 * otherwise for any text.
 */
void bs_regex_class_sequence(const struct bs_regex *regex,
                             const struct bs_byte_superset_options *options, bool spans_lines,
                             struct bs_class_sequence *sequence_out, double *rate_out,
                             bool *is_exact_out);
