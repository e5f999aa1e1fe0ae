/* library_rig.c: see library_rig.h. */
#include "tests/rigs/library_rig.h"

#include <unistd.h>

void make_folder(char folder[FOLDER_BYTES])
{
	strcpy(folder, "/tmp/bitsift-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

void enter_new_folder(char folder[FOLDER_BYTES])
{
	make_folder(folder);
	assert_int_equal(chdir(folder), 0);
}

void remove_folder(const char *folder)
{
	char command[FOLDER_BYTES + 16];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

static void put_text(const char *path, const char *mode, const char *text)
{
	FILE *file = must_fopen(path, mode);
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

static char rig_folder[FOLDER_BYTES];

int library_setup(const char *records)
{
	enter_new_folder(rig_folder);
	write_text("a.jsonl", records);
	return 0;
}

int library_teardown(void **state)
{
	remove_folder(rig_folder);
	return 0;
}
