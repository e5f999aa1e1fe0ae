/* paragraphs.c: see paragraphs.h. */
#include "bench/paragraphs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <unicode/utf8.h>

#include "bench/tool.h"

#define LEAST_WORDS 20

struct text {
	uint8_t *bytes;
	size_t n_bytes, capacity;
};

static void read_file(const char *path, struct text *text)
{
	FILE *file = open_file(path, "r");
	text->n_bytes = 0;
	for (size_t n = 1; n > 0; text->n_bytes += n) {
		if (text->capacity - text->n_bytes < (size_t)1 << 16)
			text->bytes = grown(text->bytes, text->capacity = text->capacity * 2 +
			                                                  ((size_t)1 << 20));
		n = fread(text->bytes + text->n_bytes, 1, text->capacity - text->n_bytes, file);
	}
	close_file(file, path);
}

static void write_char(const uint8_t *bytes, size_t n_bytes, FILE *out)
{
	if (n_bytes > 1)
		fwrite_unlocked(bytes, 1, n_bytes, out);
	else if (*bytes == '\n')
		fputs("\\n", out);
	else if (*bytes == '\t')
		fputs("\\t", out);
	else if (*bytes < ' ')
		fprintf(out, "\\u%04x", *bytes);
	else {
		if (*bytes == '"' || *bytes == '\\')
			putc_unlocked('\\', out);
		putc_unlocked(*bytes, out);
	}
}

/* Writes a JSON string, with its quotes. */
static void write_string(const uint8_t *bytes, size_t n_bytes, FILE *out)
{
	putc_unlocked('"', out);
	for (size_t at = 0; at < n_bytes;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT(bytes, at, n_bytes, c);
		if (c < 0)
			fputs("\xef\xbf\xbd", out);
		else
			write_char(bytes + start, at - start, out);
	}
	putc_unlocked('"', out);
}

static bool has_words(const uint8_t *bytes, size_t n_bytes, unsigned least)
{
	bool is_inside = false;
	for (size_t i = 0; i < n_bytes && least; i++) {
		uint8_t b = bytes[i];
		bool is_word = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') ||
		               (b >= '0' && b <= '9') || b == '_' || b >= 128;
		least -= is_word && !is_inside;
		is_inside = is_word;
	}
	return least == 0;
}

static void write_paragraph(const char *path, size_t line, const uint8_t *bytes, size_t n_bytes,
                            FILE *out)
{
	if (!has_words(bytes, n_bytes, LEAST_WORDS))
		return;
	char *id = text_of("%s:%zu", path, line);
	fputs("{\"id\":", out);
	write_string((const uint8_t *)id, strlen(id), out);
	fputs(",\"text\":", out);
	write_string(bytes, n_bytes, out);
	fputs("}\n", out);
	free(id);
}

static bool is_blank(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i] != ' ' && (bytes[i] < '\t' || bytes[i] > '\r'))
			return false;
	return true;
}

/* Writes the paragraphs of a file. path: relative to the folder, for ids. */
static void write_file(const char *path, const struct text *text, FILE *out)
{
	/* The place of the current paragraph; first_line 0: outside a paragraph. */
	size_t first_line = 0, first_byte = 0, end_byte = 0;
	size_t line = 1;
	for (size_t at = 0; at < text->n_bytes; line++) {
		const uint8_t *feed = memchr(text->bytes + at, '\n', text->n_bytes - at);
		size_t end = feed ? (size_t)(feed - text->bytes) : text->n_bytes;
		if (!is_blank(text->bytes + at, end - at)) {
			first_byte = first_line ? first_byte : at;
			first_line = first_line ? first_line : line;
			end_byte = end;
		} else if (first_line) {
			write_paragraph(path, first_line, text->bytes + first_byte,
			                end_byte - first_byte, out);
			first_line = 0;
		}
		at = end + 1;
	}
	if (first_line)
		write_paragraph(path, first_line, text->bytes + first_byte, end_byte - first_byte,
		                out);
}

/* The tree. */

struct walk {
	const char *root;
	struct text text;
	FILE *out;
};

static int is_other_name(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void write_folder(struct walk *walk, const char *below);

/* With wants_folders, writes only a folder, otherwise only a file. name: relative to the root. */
static void write_entry(struct walk *walk, const char *name, bool wants_folders)
{
	struct stat found;
	char *path = text_of("%s/%s", walk->root, name);
	if (lstat(path, &found))
		die("%s: cannot be read", path);
	if (S_ISDIR(found.st_mode) && wants_folders)
		write_folder(walk, name);
	if (S_ISREG(found.st_mode) && !wants_folders) {
		read_file(path, &walk->text);
		if (!memchr(walk->text.bytes, '\0', walk->text.n_bytes))
			write_file(name, &walk->text, walk->out);
	}
	free(path);
}

/* Writes the files of a folder, then its subfolders. below: the folder, relative to the root; "" is
 * the root. */
static void write_folder(struct walk *walk, const char *below)
{
	struct dirent **entries;
	char *folder = text_of("%s/%s", walk->root, below);
	int n = scandir(folder, &entries, is_other_name, by_name);
	if (n < 0)
		die("%s: cannot be read", folder);
	for (int i = 0; i < 2 * n; i++) {
		char *name = text_of("%s%s%s", below, *below ? "/" : "", entries[i % n]->d_name);
		write_entry(walk, name, i >= n);
		free(name);
	}
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	free(folder);
}

void paragraphs_write(const char *folder, FILE *out)
{
	struct walk walk = {.root = folder, .out = out};
	write_folder(&walk, "");
	free(walk.text.bytes);
	if (fflush(out) || ferror(out))
		die("the paragraphs cannot be written");
}
