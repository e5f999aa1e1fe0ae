/* paragraphs.h: a tree of files -> its paragraphs, as a collection of many short documents. */
#ifndef BENCH_PARAGRAPHS_H
#define BENCH_PARAGRAPHS_H

#include <stdio.h>

/*
 * Writes every paragraph of at least 20 words of every file below folder as a line
 * {"id":"path:line","text":"..."}; line is that of its beginning. Paragraphs are separated by lines
 * of nothing but white space; a word is here a run of ASCII letters, digits, underscores and of
 * bytes that are not ASCII. Links and files with a NUL byte are passed over; what is not UTF-8
 * becomes U+FFFD. Files come in the order of their names, a folder's before those of the folders in
 * it.
 */
void paragraphs_write(const char *folder, FILE *out);

#endif
