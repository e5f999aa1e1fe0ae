/* error_rig.h: errors of the calls of a test. */
#pragma once

#include "core/bitsift/status.h"

/* The error of the last call that was given ERR, which clears it before the call. Each thread has
 * its own. It is a function because gcc's sanitizer reports the address of a thread-local variable
 * of another file as NULL. */
struct bs_error *last_error(void);
#define said (*last_error())
#define ERR  empty_error()
struct bs_error *empty_error(void);

/* Fails the test, with the message of the error, unless the call (given ERR) succeeds. */
#define ok(call) check_status((call), BS_OK, NULL, __FILE__, __LINE__)
/* Fails the test unless the call (given ERR) returns `wanted` and a message. */
#define expect_status(call, wanted) expect_error(call, wanted, "")
/* Like expect_status; the message must also contain `part`. */
#define expect_error(call, wanted, part) check_status((call), (wanted), (part), __FILE__, __LINE__)
void check_status(enum bs_status status, enum bs_status wanted, const char *part, const char *file,
                  int line);
