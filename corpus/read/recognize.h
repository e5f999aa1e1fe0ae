/*
 * recognize.h: is a file that a walk meets in a folder a collection? By its name, *.jsonl, *.ndjson
 * or one that --records asks for, and by its first line that is not blank: what that holds must be
 * a JSON object. A file without such a line is a collection of nothing.
 */
#pragma once

#include "corpus/read/source.h"

/* One thread. */
struct bs_recognizer;

/* options are borrowed. BS_INVALID for a bad glob, BS_NO_MEMORY. */
enum bs_status bs_recognizer_new(const struct bs_source_options *options,
                                 struct bs_recognizer **recognizer_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_recognizer_free(struct bs_recognizer *recognizer);

/* Whether the file at path below a folder is one by its name. Globs mean what they do in a
 * .gitignore there. */
bool bs_recognizer_has_name(const struct bs_recognizer *recognizer, const char *path);

/* Whether the first line of an open file is that of a collection. Of a line that is longer than 1
 * MiB its beginning must do. path: for messages. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_recognizer_has_line(struct bs_recognizer *recognizer, int fd, const char *path,
                                      bool *has_out, struct bs_error *err) BS_WARN_UNUSED;
/* The same of the bytes of a file. */
enum bs_status bs_recognizer_has_text(struct bs_recognizer *recognizer, const uint8_t *text,
                                      size_t text_bytes, bool *has_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
