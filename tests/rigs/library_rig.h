/*
 * library_rig.h: what the tests share that see the library as a program does: a folder of one's own, and files in it. Every helper
 * fails the test when something goes wrong.
 */
#pragma once

#include "core/bitsift/status.h"

/* An empty one, by an absolute path. */
#define FOLDER_BYTES 64
void make_folder(char folder[FOLDER_BYTES]);
void remove_folder(const char *folder);

void write_text(const char *path, const char *text);
void append_text(const char *path, const char *text);

/* Fails the test with the message of err unless status is BS_OK. */
void ok(enum bs_status status, const struct bs_error *err);
/* The same for a call that is given failure for its message. */
#define OK(call) ok(call, &failure)
extern struct bs_error failure;
