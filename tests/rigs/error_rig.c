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

void expect_ok(enum bs_status status, const struct bs_error *err)
{
	if (status)
		fail_msg("%s: %s", bs_status_name(status), err->text);
}

void expect_status(enum bs_status status, enum bs_status wanted, const struct bs_error *err)
{
	if (status != wanted)
		fail_msg("\"%s\" where \"%s\" was wanted; the message is: %s",
		         bs_status_name(status), bs_status_name(wanted), status ? err->text : "");
	assert_true(err->text[0] != '\0');
}
