/* rust_class.h: reads bracketed classes and properties of Rust's syntax, and writes them as sets of
 * characters. */
#pragma once

#include "query/regex/rust/rust_reader.h"

/* Reads a class after its opening bracket, which is at `from`, and writes it. */
void bs_rust_read_class(struct bs_rust_reader *reader, size_t from);
/* Writes \p{...} or \P{...}. */
void bs_rust_add_property(struct bs_rust_reader *reader, const struct bs_rust_escape *escape);
