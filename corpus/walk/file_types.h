/*
 * file_types.h: files chosen by type (-t rust, -T html): a type is a list of globs that are matched
 * with a file's name. The table is ripgrep 13's; types may be added and cleared. As there, of all
 * globs that match the last one decides, in the order in which types were chosen; with a type
 * wanted, other files are left out; a wanted file may be hidden.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "corpus/walk/ignore.h"

struct bs_file_types;

/* The table, nothing chosen. BS_NO_MEMORY. */
enum bs_status bs_file_types_new(struct bs_file_types **types_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
void bs_file_types_free(struct bs_file_types *types);

/* "name:glob" or "name:include:other,another", borrowed. BS_INVALID: neither, no name, or an
 * unknown one included. */
enum bs_status bs_file_types_add(struct bs_file_types *types, const char *definition,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Forgets the globs of a type; nothing if there is none of that name. */
void bs_file_types_clear(struct bs_file_types *types, const char *name);

/* Chooses a type, or with is_negated its opposite; "all" is every type. Definitions come before.
 * BS_INVALID: unknown. */
enum bs_status bs_file_types_choose(struct bs_file_types *types, const char *name, bool is_negated,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Whether a type is chosen for what it is: then hidden files may be wanted. */
bool bs_file_types_has_wanted(const struct bs_file_types *types);

/* What the chosen types say of a file of that name. Not thread-safe. */
enum bs_ignore_verdict bs_file_types_match(struct bs_file_types *types, const char *name);

/* Appends "name: glob, glob" lines, in order. */
enum bs_status bs_file_types_list(const struct bs_file_types *types, struct bs_buffer *text,
                                  struct bs_error *err) BS_WARN_UNUSED;
