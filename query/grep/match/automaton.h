/*
 * automaton.h: an automaton of Hyperscan, which reads each byte of a text once, at 1 to 10 GB/s,
 * and reports where matches end. Hyperscan is loaded when it is first needed. Without it no
 * automaton can be built.
 *
 * Only Hyperscan 5.4.0 to 5.4.2 is used. Its fork Vectorscan has the same soname and interface, but
 * misses matches: 5.4.9 fails the test in automaton.c, and 5.4.12 has Vectorscan's issues 358 and
 * 382.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* whether Hyperscan's headers were found when bitsift was built */
#ifdef BITSIFT_HAS_HYPERSCAN
#define BS_AUTOMATON_IS_BUILT true
#else
#define BS_AUTOMATON_IS_BUILT false
#endif

struct bs_automaton;
struct bs_automaton_scratch;

/* Compiles a pattern in Hyperscan's syntax, with its flag MULTILINE. *automaton_out is NULL if the
 * library is missing or not usable, or refuses the pattern, for example because it matches the
 * empty text. Takes some milliseconds. An automaton may be used by several threads.
 * BS_NO_MEMORY. */
enum bs_status bs_automaton_new(const char *pattern, struct bs_automaton **automaton_out,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_automaton_free(struct bs_automaton *automaton);

/* Makes or extends *scratch, the state of one thread, so that it can run this automaton, too.
 * *scratch is NULL at first. BS_NO_MEMORY. */
enum bs_status bs_automaton_prepare(const struct bs_automaton *automaton,
                                    struct bs_automaton_scratch **scratch,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_automaton_scratch_free(struct bs_automaton_scratch *scratch);

enum bs_automaton_result {
	BS_AUTOMATON_DONE,
	BS_AUTOMATON_STOPPED, /* by the callback */
	BS_AUTOMATON_FAILED,  /* the text is too long, or Hyperscan failed */
};

/* Calls `take` for each end of a match, in ascending order, with its offset in the text, at least
 * 1. Equal offsets may repeat. `take` returns true to stop. */
enum bs_automaton_result bs_automaton_scan(const struct bs_automaton *automaton,
                                           struct bs_automaton_scratch *scratch,
                                           const uint8_t *text, size_t n_bytes,
                                           bool (*take)(void *context, size_t match_end),
                                           void *context);

/* Loads the library and formats its version, such as "Hyperscan 5.4.0"; "" if it is missing or not
 * usable. */
void bs_automaton_version(char out[64]);
