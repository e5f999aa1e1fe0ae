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

/* bs_output_add adds bytes to the buffer; bs_output_flush writes the buffer to standard output.
 * Thread-safe. After a failure to write, every call returns false and sets errno. */
bool bs_output_add(const void *bytes, size_t n_bytes);
bool bs_output_flush(void);

/* Makes a stream that writes into the buffer. The stream has a buffer of its own: call fflush on it
 * before bs_output_add. BS_NO_MEMORY. */
enum bs_status bs_output_stream(FILE **stream_out, struct bs_error *err) BS_WARN_UNUSED;

/* For a signal handler that then ends the process: writes the buffer, and blocks all threads that
 * try to add more. */
void bs_output_rescue(void);
