/*
 * index_restore.h: condensed segments. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_RESTORE_H
#define BITSIFT_INDEX_RESTORE_H

#include "limits.h"
#include "memory_index.h"

BS_BEGIN_DECLS

/*
 * A condensed segment is a smaller form of a segment, for storage. The file `condensed-N` has the
 * contents of the segment `seg-N`, but the terms of each document instead of the columns and
 * false-positive lists, which are most of the bytes of a segment and can be computed again. If both
 * files are compressed, `condensed-N` has two thirds of the bytes of `seg-N`. A condensed segment
 * cannot be searched. A host may store it instead of the segment, and restore the segment before it
 * opens the index, in a third of the time that indexing took.
 *
 * bs_memory_index_restore makes `seg-N` again, byte for byte, from the file `name` (`condensed-N`),
 * and adds it to the index. Needs as much memory as writing a segment; with
 * bs_memory_index_use_folder this memory is in files, except about 40 bytes for each distinct term.
 * limits: nullable. BS_NOT_FOUND: no such file; BS_INVALID: the name does not begin with
 * `condensed-`; BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED.
 */
BS_API enum bs_status bs_memory_index_restore(struct bs_memory_index *memory, const char *name,
                                              const struct bs_limits *limits,
                                              struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
