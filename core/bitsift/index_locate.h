/*
 * index_locate.h: finding an index. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_LOCATE_H
#define BITSIFT_INDEX_LOCATE_H

#include "status.h"

BS_BEGIN_DECLS

/* Finds the nearest .bitsift of the working directory and its parents. *dir_out is its path, for
 * bs_index_open; release it with free(). BS_NOT_FOUND (*dir_out is NULL), BS_UNTRUSTED (it is a
 * symbolic link), BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_index_locate(char **dir_out, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
