/* library_rig.c: see library_rig.h. */
#include "tests/rigs/library_rig.h"

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

void library_setup(void **state, const char *records)
{
	struct library_rig *rig = must_calloc(1, sizeof(*rig));
	make_folder(rig->folder);
	snprintf(rig->collection, sizeof(rig->collection), "%s/a.jsonl", rig->folder);
	snprintf(rig->dir, sizeof(rig->dir), "%s/index", rig->folder);
	write_text(rig->collection, records);
	*state = rig;
}

int library_teardown(void **state)
{
	struct library_rig *rig = *state;
	remove_folder(rig->folder);
	free(rig);
	return 0;
}
