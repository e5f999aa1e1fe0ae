/* skip.c: names of the reasons why a file, record or source is skipped. See bitsift/skip.h. */
#include "core/bitsift/skip.h"

const char *bs_skip_name(enum bs_skip reason, uint64_t n)
{
	static const char *const names[BS_SKIP_REASONS][2] = {
		[BS_SKIP_BINARY] = {"binary file", "binary files"},
		[BS_SKIP_LINK] = {"symbolic link", "symbolic links"},
		[BS_SKIP_SPECIAL] = {"special file (pipe, socket, device)",
	                             "special files (pipes, sockets, devices)"},
		[BS_SKIP_UNREADABLE] = {"unreadable file or folder", "unreadable files or folders"},
		[BS_SKIP_TOO_LARGE] = {"document over --max-document",
	                               "documents over --max-document"},
		[BS_SKIP_BAD_RECORD] = {"malformed record", "malformed records"},
		[BS_SKIP_UNTRUSTED] = {"source that is not followed",
	                               "sources that are not followed"},
		[BS_SKIP_GONE] = {"source that is gone or empty", "sources that are gone or empty"},
		[BS_SKIP_NO_TEXT] = {"record without text", "records without text"},
		[BS_SKIP_HIDDEN] = {"hidden file", "hidden files"},
		[BS_SKIP_HIDDEN_FOLDER] = {"hidden folder", "hidden folders"},
		[BS_SKIP_IGNORED] = {"ignored file", "ignored files"},
		[BS_SKIP_IGNORED_FOLDER] = {"ignored folder", "ignored folders"},
	};
	return (unsigned)reason < BS_SKIP_REASONS ? names[reason][n != 1] : "unknown";
}
