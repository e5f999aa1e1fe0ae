"""Indexes of files: built, refreshed, deleted from, compacted, checked; and grep. The work is done by src/files.c and src/grep.c."""

import weakref

from . import _bitsift


def build(path, sources=(), **options):
    """Makes or refreshes the index in the directory path from files, folders and JSONL collections, as `bitsift index` does; returns
    a BuildReport. sources: one path (a str is one, too), or
    several; none: all that the index has. What else takes a list of strings takes one string, or path, as well.

    What is recorded with a new index: words, grams, stem, fold_accents, split_identifiers, weights ({"title": 3}), hidden, no_ignore,
    binary_as_text, max_document_bytes, id_field, text_fields, globs, records, no_records, store, density, analyzer (an Analyzer).

    rebuild: everything is indexed again; with sources, which the index must have, only these, and all others stay unchanged.

    Of this run: memory (a Memory, path None), forget (sources), rebuild, strict, wait, names_hidden, shared, memory_bytes, threads, trust,
    texts, deadline (seconds), cancel (a Cancel), log (a logging.Logger, or its name), progress: a function that is called now and then with what
    was done so far; what it raises ends the run.
    """
    return _bitsift.build(dir=path, sources=sources, **options)


def compact(path, **options):
    """Few large segments instead of many small ones, and deleted documents gone. Options: memory, wait, memory_bytes, threads, trust, texts,
    analyzer, deadline, cancel, log, progress: as those of build."""
    return _bitsift.compact(dir=path, **options)


def check(path=None, **options):
    """Reads every byte of an index: raises CorruptError if it is not what the format says. Options: memory, trust, deadline, cancel, and
    progress: a function of bytes read and of all."""
    return _bitsift.check(dir=path, **options)


def delete(path, ids=None, query=None, **options):
    """Deletes documents of an index by their ids, or those that match the query, in whatever source: they stay deleted until their source
    changes. Returns a DeleteReport.

    Options: any (of the words of the query), undo (they are deleted no longer), dry_run (nothing is written), confirm (a function of how many
    there are, which says whether to go on; else StoppedError), memory, wait, trust, texts, analyzer, deadline, cancel, log.
    """
    if (ids is None) == (query is None):
        raise TypeError("either ids or a query")
    return _bitsift.delete(dir=path, ids=ids, query=query, **options)


def grep(pattern, *paths, **options):
    """Lines that match a regular expression (PCRE2), or any of a list of them, in files and below folders (none: the working
    directory; "-": standard input), as `bitsift grep` finds them: a Grep, which is an iterator of Line(path, number, text, matches,
    offset, is_context, enclosing). Each is there as soon as it is found.

    Patterns: ignore_case, smart_case, fixed (literal text), word, line (whole ones), multiline, dot_all, crlf, no_unicode, pcre2, invert;
    ands, nots (further patterns, which lines must match and must not), by_file (... files).

    Files: hidden, no_ignore, ignore_files, follow, one_file_system, max_depth, max_file_bytes, globs, iglobs, types, not_types,
    type_adds, encoding, text (binary files too), search_zip, preprocessor, preprocessor_globs; sort ("path", "modified", "accessed",
    "created"), descending.

    What comes: before, after (lines of context), passthru (all lines), enclosing (the line of the function, or the heading, around each),
    max_count (of each file), max_results (of all together; result.cursor is then where to resume, as cursor); only names of files: files,
    files_without, list_files (all that would be searched), candidates (those that the index does not rule out).

    The rest: index (the directory of one, which rules files out), try_index, no_stat, brute, kernel, threads, trust, log, slow, deadline
    (seconds), cancel (a Cancel), partial (what was found until then, instead of DeadlineError).
    """
    lines = _bitsift.Grep(patterns=pattern, paths=paths, **options)
    # At the end of Python its thread must not run on.
    weakref.finalize(lines, _end, weakref.ref(lines))
    return lines


def _end(reference):
    lines = reference()
    if lines is not None:
        lines.close()
