/*
 * The search that needs no index: prints the lines of the files named that hold all the words given before "--".
 * Slow, short, and right; whatever is faster has to agree with it.
 *
 *     naive_search WORD... -- FILE...
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the word stands in the line with no letter or digit on either side; case does not matter. */
static bool has_word(const char *line, const char *word)
{
	size_t n_bytes = strlen(word);
	for (const char *at = line; (at = strcasestr(at, word)); at++) {
		bool starts = at == line || !isalnum((unsigned char)at[-1]);
		bool ends = !isalnum((unsigned char)at[n_bytes]);
		if (starts && ends)
			return true;
	}
	return false;
}

static bool has_all(const char *line, char **words, int n_words)
{
	for (int i = 0; i < n_words; i++)
		if (!has_word(line, words[i]))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	int n_words = 0;
	while (n_words + 1 < argc && strcmp(argv[n_words + 1], "--") != 0)
		n_words++;
	bool found = false;
	char *line = NULL;
	size_t line_capacity = 0;
	for (int i = n_words + 2; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");
		if (!file) {
			perror(argv[i]);
			continue;
		}
		while (getline(&line, &line_capacity, file) >= 0) {
			if (!has_all(line, argv + 1, n_words))
				continue;
			printf("%s: %s", argv[i], line);
			found = true;
		}
		fclose(file);
	}
	free(line);
	return found ? 0 : 1;
}
