/* error_rig.c: see error_rig.h. */
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

static _Thread_local struct bs_error error;

struct bs_error *last_error(void)
{
	return &error;
}

struct bs_error *empty_error(void)
{
	error.text[0] = '\0';
	return &error;
}

void check_status(enum bs_status status, enum bs_status wanted, const char *part, const char *file,
                  int line)
{
	if (status == wanted && (!part || (error.text[0] && strstr(error.text, part))))
		return;
	print_error("\"%s\" where \"%s\" was wanted; the message is: %s\n", bs_status_name(status),
	            bs_status_name(wanted), status ? error.text : "");
	if (part && *part)
		print_error("which must contain: %s\n", part);
	_fail(file, line);
}
