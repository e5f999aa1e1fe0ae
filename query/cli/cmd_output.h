/*
 * cmd_output.h: standard output of the commands that print answers one after the other: a buffer,
 * written out when it is full. Unlike the buffer of stdio, a signal handler can write it out at any
 * time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/bitsift/status.h"

/* Any thread. False and errno, from then on, if standard output cannot be written. */
bool bs_output_add(const void *bytes, size_t n_bytes);
bool bs_output_flush(void);

/* A stream into it, with a buffer of its own: fflush it before something else is added.
 * BS_NO_MEMORY. */
enum bs_status bs_output_stream(FILE **stream_out, struct bs_error *err) BS_WARN_UNUSED;

/* In a signal handler, to be followed by the end of the process: writes what was added so far, and
 * lets no thread add more. */
void bs_output_rescue(void);
