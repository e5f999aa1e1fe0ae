/*
 * file_types.h: chooses files by type (-t rust, -T html). A type is a list of globs that are
 * matched against a file's name. The table is that of ripgrep 15; types may be added and cleared.
 * Types can be chosen (wanted) or excluded, and the last matching glob decides, in the order of
 * these choices, as in ripgrep. If a type is wanted, files of other types are skipped, and its
 * hidden files are not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "corpus/walk/ignore.h"

struct bs_file_types;

/* Makes a table of ripgrep's types. None of them is chosen. BS_NO_MEMORY. */
enum bs_status bs_file_types_new(struct bs_file_types **types_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* NULL is allowed. */
void bs_file_types_free(struct bs_file_types *types);

/* Adds globs to a type. definition: "name:glob", or "name:include:other,another" for the globs of
 * other types; borrowed. BS_INVALID for another form, an invalid name, or an unknown included
 * type. */
enum bs_status bs_file_types_add(struct bs_file_types *types, const char *definition,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Removes the globs of a type; does nothing if it does not exist. */
void bs_file_types_clear(struct bs_file_types *types, const char *name);

/* Chooses a type; is_negated: excludes it. "all" means every type that is defined now. name is
 * borrowed. */
enum bs_status bs_file_types_choose(struct bs_file_types *types, const char *name, bool is_negated,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Call once, when all types were defined and chosen. BS_INVALID for a chosen type that is unknown,
 * or an invalid glob. */
enum bs_status bs_file_types_finish(struct bs_file_types *types,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* True if a type was chosen or excluded. */
bool bs_file_types_has_choice(const struct bs_file_types *types);

/* True if a type was chosen (not excluded). Then files of other types are skipped, and hidden files
 * of the type are visited. */
bool bs_file_types_has_wanted(const struct bs_file_types *types);

/* Whether the chosen types keep or skip a file of this name. Not thread-safe. */
enum bs_ignore_verdict bs_file_types_match(struct bs_file_types *types, const char *name);

/* Appends lines "name: glob, glob", sorted. */
enum bs_status bs_file_types_list(const struct bs_file_types *types, struct bs_buffer *text,
                                  struct bs_error *err) BS_WARN_UNUSED;
