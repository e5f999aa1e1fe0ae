/*
 * index_restore.h: a segment made of its condensed form. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_RESTORE_H
#define BITSIFT_INDEX_RESTORE_H

#include "limits.h"
#include "memory_index.h"

BS_BEGIN_DECLS

/*
 * Segments condensed, for whoever keeps an index where room is dear, and searches a copy of it. A file `condensed-N` is the segment `seg-N`
 * without what follows from the rest of it (columns and false positives: most of its bytes), and with the terms of each row instead: two thirds of
 * the bytes, if both are compressed. No search reads one. Whoever keeps it instead of the segment has that made anew before the index is
 * opened, which takes a third of the time that indexing took.
 *
 * Makes the file `seg-N` of the condensed one of that name, beside it: byte for byte as it was. It takes memory as writing a segment does; in a
 * folder, if there is one (bs_memory_index_use_folder), all but some 40 bytes a distinct term. limits: NULL, or when it is to end. BS_NOT_FOUND: there
 * is no such file; BS_INVALID: its name does not begin with `condensed-`; BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED.
 */
BS_API enum bs_status bs_memory_index_restore(struct bs_memory_index *memory, const char *name, const struct bs_limits *limits,
                                        struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
