/*
 * file_types.h: chooses files by type (-t rust, -T html). A type is a list of globs that are
 * matched against a file's name. The table is that of ripgrep 13; types may be added and cleared.
 * As in ripgrep, the last matching glob decides, in the order in which types were chosen. If a type
 * is wanted, other files are skipped. A wanted file may be hidden.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "corpus/walk/ignore.h"

struct bs_file_types;

/* Makes the table, with no type chosen. BS_NO_MEMORY. */
enum bs_status bs_file_types_new(struct bs_file_types **types_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* NULL is allowed. */
void bs_file_types_free(struct bs_file_types *types);

/* definition: "name:glob" or "name:include:other,another", borrowed. BS_INVALID for another form,
 * an invalid name, or an unknown included type. */
enum bs_status bs_file_types_add(struct bs_file_types *types, const char *definition,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Removes the globs of a type; does nothing if it does not exist. */
void bs_file_types_clear(struct bs_file_types *types, const char *name);

/* Chooses a type, or with is_negated excludes it; "all" is every type. Add definitions before.
 * BS_INVALID for an unknown type. */
enum bs_status bs_file_types_choose(struct bs_file_types *types, const char *name, bool is_negated,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* True if a type is wanted (not only excluded): then hidden files may be wanted. */
bool bs_file_types_has_wanted(const struct bs_file_types *types);

/* The verdict of the chosen types for a file name. Not thread-safe. */
enum bs_ignore_verdict bs_file_types_match(struct bs_file_types *types, const char *name);

/* Appends lines "name: glob, glob", sorted. */
enum bs_status bs_file_types_list(const struct bs_file_types *types, struct bs_buffer *text,
                                  struct bs_error *err) BS_WARN_UNUSED;
