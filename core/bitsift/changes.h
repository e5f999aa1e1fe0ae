/*
 * changes.h: files that are not what was indexed. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_CHANGES_H
#define BITSIFT_CHANGES_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Documents that cannot be read are named one by one up to this number, in the life of a finder or while an index is opened. */
#define BS_FIND_TOLD_UNREADABLE 3u

/* Files that a search met and that are not what was indexed, each counted once in the life of a finder. */
struct bs_changes {
	uint64_t n_changed, n_gone;
	char example[256]; /* the path of the first, printable, cut if it is long; empty: there is none */
	uint64_t reserved[4];
};

#ifdef __cplusplus
}
#endif
#endif
