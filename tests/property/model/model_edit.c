/* model_edit.c: random changes of files and of their content. See model.h. */
#include "tests/property/model/model.h"
#include "tests/rigs/core_rig.h"

/* ---- random things ---- */

static const char *random_of(const char *const *names, size_t n)
{
	return names[below(n)];
}

static const char *random_text(char *text, size_t text_bytes)
{
	uint32_t n = by_chance(3) ? 60 + below(60) : below(9);
	char *at = text;
	*at = '\0';
	for (uint32_t i = 0; i < n && at + 8 < text + text_bytes; i++)
		at += sprintf(at, "%sw%u", i ? " " : "", by_chance(40) ? below(4) : below(20));
	return text;
}

static const char *random_name(void)
{
	static const char *const names[] = {"a", "b", "a-b", "a.b", "c"};
	return random_of(names, COUNT(names));
}

/* Draws a path one to three levels below a folder. */
static const char *random_path(const char *folder)
{
	static char path[128];
	int n = snprintf(path, sizeof(path), "%s", folder);
	for (uint32_t depth = 1 + below(3); depth > 0; depth--)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "/%s", random_name());
	if (by_chance(20))
		snprintf(path + n, sizeof(path) - (size_t)n, "%s",
		         by_chance(70) ? ".jsonl" : ".ndjson");
	return path;
}

static enum model_time random_time(void)
{
	return by_chance(50)   ? MODEL_TIME_NOW
	       : by_chance(70) ? MODEL_TIME_KEPT
	       : by_chance(70) ? MODEL_TIME_PAST
	                       : MODEL_TIME_FUTURE;
}

/* Draws a line of a collection, without line end: usually a record, with one of about n_ids ids. */
static void random_line(char *line, size_t line_bytes, uint32_t n_ids)
{
	char text[1024], id[64] = "";
	random_text(text, sizeof(text));
	switch (below(8)) {
	case 0:
		break;
	case 1:
		snprintf(id, sizeof(id), "\"id\":%u,", below(4));
		break;
	case 2:
		snprintf(id, sizeof(id), "\"id\":\"%s:%u\",", by_chance(50) ? "c.jsonl" : "-",
		         1 + below(6));
		break;
	default:
		snprintf(id, sizeof(id), "\"id\":\"%s%u\",", by_chance(85) ? "r" : "",
		         below(n_ids));
		break;
	}
	switch (below(20)) {
	case 0:
		snprintf(line, line_bytes, "%s", by_chance(50) ? "" : "  ");
		break;
	case 1:
		snprintf(line, line_bytes, "%s",
		         by_chance(50) ? "no record" : "{\"id\":true,\"text\":\"w1\"}");
		break;
	case 2:
		snprintf(line, line_bytes, "{%s\"n\":[null,{}]}", id);
		break;
	case 3:
		snprintf(line, line_bytes, "{\"id\":\"\",\"text\":\"%s\"}", text);
		break;
	case 4:
	case 5:
		snprintf(line, line_bytes, "{%s\"title\":\"w1 w2\",\"text\":\"%s\"}", id, text);
		break;
	default:
		snprintf(line, line_bytes, "{%s\"text\":\"%s\"}", id, text);
		break;
	}
}

char *model_lines(uint32_t n)
{
	char *lines = must_calloc(n + 1, 1200), *at = lines;
	for (uint32_t i = 0; i < n; i++) {
		random_line(at, 1100, n < 12 ? 12 : n);
		at += strlen(at);
		if (i + 1 < n || by_chance(80))
			at += sprintf(at, "%s", by_chance(10) ? "\r\n" : "\n");
	}
	return lines;
}

static bool is_collection(const char *label)
{
	return strstr(label, "json") != NULL;
}

static bool is_folder(const struct model_files *files, const char *path)
{
	const struct model_node *node = disk_find(&files->disk, path);
	return node && node->kind == MODEL_FOLDER;
}

static const char *random_content(const struct model_files *files)
{
	return random_of(files->content, files->n_content);
}

/* Draws a node at any depth, with only_files a file; NULL if it finds none in 20 tries. */
static const struct model_node *random_node(const struct model_files *files, bool only_files)
{
	for (int tries = 0; tries < 20 && files->disk.n_nodes > 0; tries++) {
		const struct model_node *node = &files->disk.nodes[below(files->disk.n_nodes)];
		if (node->kind == MODEL_FILE || !only_files)
			return node;
	}
	return NULL;
}

/* ---- operations on files ---- */

static void write_collection(struct model_files *files, const char *path)
{
	FREED char *lines =
		model_lines(by_chance(4) ? 60 + below(by_chance(20) ? 1500 : 60) : below(10));
	FREED char *marked = NULL;
	assert_true(asprintf(&marked, "%s%s", by_chance(95) ? "" : "\xef\xbb\xbf", lines) >= 0);
	disk_write(&files->disk, path, marked, strlen(marked), by_chance(60), random_time());
}

static void write_text_at(struct model_files *files, const char *path)
{
	char text[1024];
	if (is_collection(path) && by_chance(75)) {
		write_collection(files, path);
		return;
	}
	random_text(text, sizeof(text));
	disk_write(&files->disk, path, text, strlen(text), by_chance(60), random_time());
}

static void op_create(struct model_files *files)
{
	const char *label = random_content(files);
	if (is_folder(files, label))
		write_text_at(files, random_path(label));
}

/* Changes the first digit of a random word. False: it found no word in 10 tries. */
static bool change_digit(char *bytes, size_t n_bytes)
{
	for (int tries = 0; tries < 10 && n_bytes > 1; tries++) {
		size_t at = below(n_bytes - 1);
		if (bytes[at] != 'w' || bytes[at + 1] < '0' || bytes[at + 1] > '9')
			continue;
		bytes[at + 1] = (char)('1' + (bytes[at + 1] - '0') % 9);
		return true;
	}
	return false;
}

static void op_edit(struct model_files *files)
{
	const struct model_node *node = random_node(files, true);
	char path[256];
	if (!node)
		return;
	snprintf(path, sizeof(path), "%s", node->path);
	size_t n_bytes = node->n_bytes;
	FREED char *bytes = memcpy(malloc(n_bytes + 1), node->bytes, n_bytes + 1);
	if (n_bytes < sizeof(files->undo)) {
		memcpy(files->undo, bytes, n_bytes);
		files->undo_bytes = n_bytes;
		snprintf(files->undo_path, sizeof(files->undo_path), "%s", path);
	}
	if (by_chance(70) && change_digit(bytes, n_bytes))
		disk_write(&files->disk, path, bytes, n_bytes, by_chance(60), random_time());
	else if (by_chance(20)) /* unchanged bytes */
		disk_write(&files->disk, path, bytes, n_bytes, by_chance(60), random_time());
	else if ((!is_collection(path) || strchr(path, '/')) && !strstr(path, ".ignore"))
		write_text_at(files, path);
}

/* Gives a file the content that it had before the last edit. */
static void op_undo(struct model_files *files)
{
	const struct model_node *node = disk_find(&files->disk, files->undo_path);
	if (node && node->kind == MODEL_FILE)
		disk_write(&files->disk, files->undo_path, files->undo, files->undo_bytes,
		           by_chance(60), random_time());
}

static void op_remove(struct model_files *files)
{
	const struct model_node *node = random_node(files, by_chance(80));
	char path[256];
	if (!node)
		return;
	snprintf(path, sizeof(path), "%s", node->path);
	disk_remove(&files->disk, path);
}

static void op_rename(struct model_files *files)
{
	const char *label = random_content(files);
	const struct model_node *node = random_node(files, by_chance(70));
	char from[256];
	if (!node || !is_folder(files, label) || strstr(node->path, ".ignore") ||
	    !strchr(node->path, '/'))
		return;
	snprintf(from, sizeof(from), "%s", node->path);
	disk_rename(&files->disk, from, random_path(label));
}

static void op_swap(struct model_files *files)
{
	const struct model_node *a = random_node(files, true), *b = random_node(files, true);
	char from[256], to[256];
	if (!a || !b || a == b || strstr(a->path, ".ignore") || strstr(b->path, ".ignore"))
		return;
	if (is_collection(a->path) != is_collection(b->path))
		return;
	snprintf(from, sizeof(from), "%s", a->path);
	snprintf(to, sizeof(to), "%s", b->path);
	disk_rename(&files->disk, from, "../swap");
	disk_rename(&files->disk, to, from);
	disk_rename(&files->disk, "../swap", to);
}

static void op_link(struct model_files *files)
{
	if (is_folder(files, "s0"))
		disk_link(&files->disk, random_path("s0"), random_name());
}

static void op_binary(struct model_files *files)
{
	if (is_folder(files, "s0"))
		disk_write(&files->disk, random_path("s0"), "w1\0w2", 5, by_chance(60),
		           random_time());
}

static void op_ignore(struct model_files *files)
{
	const char *name = random_name();
	const char *path = by_chance(60) ? "s0/.ignore" : "s0/a/.ignore";
	if (!is_folder(files, "s0") || (strlen(path) > 10 && !is_folder(files, "s0/a")))
		return;
	if (disk_find(&files->disk, path) && by_chance(60))
		disk_remove(&files->disk, path);
	else
		disk_write(&files->disk, path, name, strlen(name), true, MODEL_TIME_NOW);
}

/* ---- operations on collections ---- */

static const char *random_collection_label(const struct model_files *files)
{
	static char path[256];
	const char *label = random_content(files);
	/* Often picks a collection that is in a folder. */
	for (int tries = 0; tries < 5 && by_chance(50); tries++) {
		const struct model_node *node = random_node(files, true);
		if (!node || !is_collection(node->path) || !strchr(node->path, '/'))
			continue;
		snprintf(path, sizeof(path), "%s", node->path);
		return path;
	}
	for (int tries = 0; tries < 5 && !is_collection(label); tries++)
		label = random_content(files);
	return is_collection(label) && !is_folder(files, label) ? label : NULL;
}

/* Appends lines, or the first part of a line and later its rest, cut to 100 bytes. */
static void op_append(struct model_files *files)
{
	const char *label = random_collection_label(files);
	if (!label)
		return;
	if (files->rest[0] && by_chance(70)) {
		disk_append(&files->disk, label, files->rest, strlen(files->rest));
		files->rest[0] = '\0';
	} else if (by_chance(30)) {
		char line[1100];
		random_line(line, sizeof(line), 12);
		size_t half = below(strlen(line) + 1);
		snprintf(files->rest, sizeof(files->rest), "%.100s%s", line + half,
		         by_chance(70) ? "\n" : "");
		disk_append(&files->disk, label, line, half);
	} else {
		FREED char *lines = model_lines(1 + below(4));
		disk_append(&files->disk, label, lines, strlen(lines));
	}
}

static void op_end_line(struct model_files *files)
{
	const char *label = random_collection_label(files);
	if (label)
		disk_append(&files->disk, label, &"\r\n"[below(2)], 1 + (size_t)by_chance(20));
}

static void op_rewrite(struct model_files *files)
{
	const char *label = random_collection_label(files);
	if (label)
		write_collection(files, label);
}

static void op_truncate(struct model_files *files)
{
	const char *label = random_collection_label(files);
	const struct model_node *node = label ? disk_find(&files->disk, label) : NULL;
	if (!node || node->n_bytes == 0)
		return;
	size_t n_bytes = below(node->n_bytes + 1);
	FREED char *bytes = memcpy(malloc(n_bytes + 1), node->bytes, n_bytes);
	const char *feed = memrchr(bytes, '\n', n_bytes);
	if (feed && by_chance(70))
		n_bytes = (size_t)(feed - bytes) + 1;
	disk_write(&files->disk, label, bytes, n_bytes, by_chance(70), random_time());
}

/* ---- operations on whole sources ---- */

static void make(struct model_files *files, const char *label, bool is_file)
{
	if (is_collection(label) && is_file) {
		write_collection(files, label);
	} else if (is_file) {
		write_text_at(files, label);
	} else {
		disk_make_folder(&files->disk, label);
		for (uint32_t n = by_chance(4) ? 70 : below(8); n > 0; n--)
			write_text_at(files, random_path(label));
	}
}

void model_make(struct model_files *files, const char *label)
{
	make(files, label, strchr(label, '.') != NULL);
}

/* Moves a source away and later back, or removes it and later makes a new one. */
static void op_vanish(struct model_files *files)
{
	const char *label = random_content(files);
	char away[64];
	snprintf(away, sizeof(away), "../away-%s", label);
	if (disk_find(&files->disk, label) && by_chance(70))
		disk_rename(&files->disk, label, away);
	else if (disk_find(&files->disk, label))
		disk_remove(&files->disk, label);
	else if (disk_find(&files->disk, away))
		disk_rename(&files->disk, away, label);
	else
		model_make(files, label);
}

static void op_return(struct model_files *files)
{
	for (size_t i = 0; i < files->n_content; i++)
		if (!disk_find(&files->disk, files->content[i]))
			model_make(files, files->content[i]);
}

/* Replaces a folder by an empty one, as if its file system were not mounted, and later restores it,
 * replacing what was created at its path in between. */
static void op_unmount(struct model_files *files)
{
	const char *label = random_content(files);
	const struct model_node *node = disk_find(&files->disk, label);
	char away[64];
	snprintf(away, sizeof(away), "../unmounted-%s", label);
	if (disk_find(&files->disk, away)) {
		if (node)
			disk_remove(&files->disk, label);
		disk_rename(&files->disk, away, label);
	} else if (node && node->kind == MODEL_FOLDER) {
		disk_rename(&files->disk, label, away);
		disk_make_folder(&files->disk, label);
	}
}

/* Replaces a file by a folder, or the reverse. */
static void op_morph(struct model_files *files)
{
	const char *label = random_content(files);
	if (disk_find(&files->disk, label))
		make(files, label, is_folder(files, label));
}

/* ---- all of them ---- */

const struct model_edit model_edits[] = {
	{"edit", 16, op_edit},       {"create", 8, op_create},   {"remove", 4, op_remove},
	{"rename", 4, op_rename},    {"swap", 2, op_swap},       {"link", 1, op_link},
	{"binary", 1, op_binary},    {"ignore", 2, op_ignore},   {"append", 14, op_append},
	{"endline", 3, op_end_line}, {"rewrite", 4, op_rewrite}, {"truncate", 3, op_truncate},
	{"vanish", 3, op_vanish},    {"return", 2, op_return},   {"morph", 2, op_morph},
	{"undo", 4, op_undo},        {"unmount", 4, op_unmount},
};

const size_t n_model_edits = COUNT(model_edits);
