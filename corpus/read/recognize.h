/*
 * recognize.h: decides whether a file found in a folder is a collection: by its name (*.jsonl,
 * *.ndjson, or a glob of --records) and by its first non-blank line, which must be a JSON object. A
 * file that has only blank lines is an empty collection.
 */
#pragma once

#include "corpus/read/source.h"

/* Not for concurrent use. */
struct bs_recognizer;

/* Creates a recognizer. options are borrowed. BS_INVALID for an invalid glob, BS_NO_MEMORY. */
enum bs_status bs_recognizer_new(const struct bs_source_options *options,
                                 struct bs_recognizer **recognizer_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_recognizer_free(struct bs_recognizer *recognizer);

/* True if the name of the file at path below a folder is that of a collection. Globs are
 * interpreted as in a .gitignore file of the folder. */
bool bs_recognizer_has_name(const struct bs_recognizer *recognizer, const char *path);

/* *has_out: whether the first non-blank line of an open file is that of a collection. If that line
 * is longer than 1 MiB, only its beginning is examined. path is used in messages. BS_IO,
 * BS_NO_MEMORY. */
enum bs_status bs_recognizer_has_line(struct bs_recognizer *recognizer, int fd, const char *path,
                                      bool *has_out, struct bs_error *err) BS_WARN_UNUSED;
/* Like bs_recognizer_has_line, for the bytes of a file. */
enum bs_status bs_recognizer_has_text(struct bs_recognizer *recognizer, const uint8_t *text,
                                      size_t text_bytes, bool *has_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
