/* document.c: stamps, and the words for why something is no document. See document.h. */
#include "corpus/walk/document.h"

#include <sys/stat.h>
#include <time.h>

#define CLOCK_GRAIN_NS 20000000

const char *bs_skip_name(enum bs_skip reason)
{
	static const char *const names[BS_SKIP_REASONS] = {
		[BS_SKIP_BINARY] = "binary files",
		[BS_SKIP_LINK] = "symbolic links",
		[BS_SKIP_SPECIAL] = "sockets, pipes or devices",
		[BS_SKIP_UNREADABLE] = "unreadable files or folders",
		[BS_SKIP_TOO_LARGE] = "documents over --max-document",
		[BS_SKIP_BAD_RECORD] = "malformed records",
		[BS_SKIP_UNTRUSTED] = "sources that are not followed",
		[BS_SKIP_GONE] = "sources that are not there any more",
		[BS_SKIP_NO_TEXT] = "records without text",
	};
	return (unsigned)reason < BS_SKIP_REASONS && names[reason] ? names[reason] : "unknown";
}

bool bs_stamp_is_private(const struct bs_stamp *stamp)
{
	return (stamp->mode & (S_IRGRP | S_IROTH)) == 0;
}

bool bs_stamp_is_suspect(const struct bs_stamp *stamp, int64_t from_ns)
{
	/* The later one: whoever sets mtime back leaves the time of doing so in ctime. */
	int64_t last_ns = stamp->mtime_ns > stamp->ctime_ns ? stamp->mtime_ns : stamp->ctime_ns;
	bool is_coarse = last_ns % 1000000000 == 0;
	return last_ns >= from_ns - (is_coarse ? 2000000000 : 0);
}

int64_t bs_stamp_suspect_from(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - CLOCK_GRAIN_NS;
}

bool bs_stamp_equals(const struct bs_stamp *stamp, const uint64_t recorded[4])
{
	return stamp->size_bytes == recorded[0] && (uint64_t)stamp->mtime_ns == recorded[1] &&
	       (uint64_t)stamp->ctime_ns == recorded[2] && stamp->inode == recorded[3];
}

void bs_stamp_record(const struct bs_stamp *stamp, uint64_t recorded_out[4])
{
	recorded_out[0] = stamp->size_bytes;
	recorded_out[1] = (uint64_t)stamp->mtime_ns;
	recorded_out[2] = (uint64_t)stamp->ctime_ns;
	recorded_out[3] = stamp->inode;
}
