/* error_rig.h: errors of the calls of a test. */
#pragma once

#include "core/bitsift/status.h"

/* The error of the last call that was given ERR, which clears it before the call. Each thread has
 * its own. */
/* A function, because gcc's sanitizer takes the address of a thread-local variable in another file
 * for NULL. */
struct bs_error *last_error(void);
#define said (*last_error())
#define ERR  empty_error()
struct bs_error *empty_error(void);

/* Fails the test with the message of err unless status is BS_OK. */
void expect_ok(enum bs_status status, const struct bs_error *err);
/* Fails the test unless status is `wanted` and err has a message. */
void expect_status(enum bs_status status, enum bs_status wanted, const struct bs_error *err);
