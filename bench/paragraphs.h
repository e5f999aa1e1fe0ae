/* paragraphs.h: converts a tree of files into a record file of its paragraphs: many short
 * documents. */
#ifndef BENCH_PARAGRAPHS_H
#define BENCH_PARAGRAPHS_H

#include <stdio.h>

/*
 * Writes each paragraph of at least 20 words, of every file below folder, as a line
 * {"id":"path:line","text":"..."}, where line is the number of its first line. Paragraphs are
 * separated by lines of white space. A word is a run of ASCII letters, digits, underscores and
 * bytes that are not ASCII. Symlinks and files with a NUL byte are skipped; invalid UTF-8 becomes
 * U+FFFD. Files are ordered by name; the files of a folder come before its subfolders.
 */
void paragraphs_write(const char *folder, FILE *out);

#endif
