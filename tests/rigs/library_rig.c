/* library_rig.c: see library_rig.h. */
#include "tests/rigs/library_rig.h"
#include "tests/rigs/test.h"

void make_folder(char folder[FOLDER_BYTES])
{
	strcpy(folder, "/tmp/bitsift-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

void remove_folder(const char *folder)
{
	char command[FOLDER_BYTES + 16];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

static void put_text(const char *path, const char *mode, const char *text)
{
	FILE *file = fopen(path, mode);
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
	put_text(path, "w", text);
}

void append_text(const char *path, const char *text)
{
	put_text(path, "a", text);
}

struct bs_error failure;

void ok(enum bs_status status, const struct bs_error *err)
{
	if (status)
		fail_msg("%s: %s", bs_status_name(status), err->text);
}
