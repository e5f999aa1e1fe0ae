/* document.c: the words for why something is no document. See document.h. */
#include "corpus/document.h"

const char *bs_skip_name(enum bs_skip reason)
{
	switch (reason) {
	case BS_SKIP_BINARY:
		return "binary files";
	case BS_SKIP_LINK:
		return "symbolic links";
	case BS_SKIP_SPECIAL:
		return "sockets, pipes or devices";
	case BS_SKIP_UNREADABLE:
		return "unreadable files or folders";
	case BS_SKIP_TOO_LARGE:
		return "documents of 4 GiB or more";
	case BS_SKIP_BAD_RECORD:
		return "malformed records";
	case BS_SKIP_NO_TEXT:
		return "records without text";
	case BS_SKIP_REASONS:
		break;
	}
	return "unknown";
}
