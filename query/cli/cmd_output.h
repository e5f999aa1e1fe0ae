/*
 * cmd_output.h: standard output of the commands that print results one by one: a buffer that is
 * written when it is full. Unlike the buffer of stdio, a signal handler can write it at any
 * time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/bitsift/status.h"

/* Thread-safe. After standard output could not be written, every call returns false and sets
 * errno. */
bool bs_output_add(const void *bytes, size_t n_bytes);
bool bs_output_flush(void);

/* A stream that writes into the buffer. It has its own buffer: call fflush before bytes are added
 * in another way. BS_NO_MEMORY. */
enum bs_status bs_output_stream(FILE **stream_out, struct bs_error *err) BS_WARN_UNUSED;

/* For a signal handler that then ends the process: writes what was added so far, and blocks all
 * threads that add more. */
void bs_output_rescue(void);
