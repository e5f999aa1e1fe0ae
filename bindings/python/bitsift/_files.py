"""Functions on indexes of files, and grep. They are implemented in src/api/py_files.c and
src/api/py_grep.c."""

import weakref

from . import _bitsift


def build(path, sources=(), **options):
    """Makes or refreshes the index in the directory path from files, folders and JSONL collections,
    as `bitsift index` does. Returns a BuildReport.

    sources: one path or several; without any, all sources of the index. Every option that takes a
    list of strings also accepts one string or path.

    Options that a new index records: words, grams, stem, fold_accents, split_identifiers, weights
    ({"title": 3}), hidden, no_ignore, binary_as_text, max_document_bytes, id_field, text_fields,
    globs, records, no_records, store, density, analyzer (an Analyzer).

    rebuild: index everything again; with sources, which must be sources of the index, only these.

    Options of this run: memory (a Memory; path is None), forget (sources to remove), rebuild,
    strict (stop at the first invalid record), wait (for another writer), names_hidden (notices name
    hidden and ignored files, too), shared (other users may read the index, if they may read all its
    sources), memory_bytes, threads, trust, texts, deadline (seconds), cancel (a Cancel), log (a
    logging.Logger or its name), progress (a function that is called at intervals with a
    BuildReport; an exception that it raises ends the run).
    """
    return _bitsift.build(dir=path, sources=sources, **options)


def compact(path, **options):
    """Merges small segments into large ones and removes deleted documents. Options, as for build:
    memory, wait, memory_bytes, threads, trust, texts, analyzer, deadline, cancel, log, progress."""
    return _bitsift.compact(dir=path, **options)


def check(path=None, **options):
    """Checks every byte of an index. Raises CorruptError if it is damaged. Options: memory, trust,
    deadline, cancel, and progress: a function of the number of bytes read and of their total."""
    return _bitsift.check(dir=path, **options)


def delete(path, ids=None, query=None, **options):
    """Deletes documents by their ids, or all that match the query, in any source of the index. They
    stay deleted until their source changes. Returns a DeleteReport.

    Options: any (match any word of the query), undo (restore the documents), dry_run (write
    nothing), confirm (a function of the number of documents; if it returns a false value,
    StoppedError is raised), memory, wait, trust, texts, analyzer, deadline, cancel, log.
    """
    if (ids is None) == (query is None):
        raise TypeError("either ids or a query")
    return _bitsift.delete(dir=path, ids=ids, query=query, **options)


def grep(pattern, *paths, **options):
    """Searches lines that match a regular expression, or any of a list of them, in files and
    folders, as `bitsift grep` does. Without paths, searches the working directory; "-" is standard
    input. Returns a Grep, an iterator of Line(path, number, text, matches, offset,
    is_context, enclosing). Each line is available as soon as it is found.

    Patterns: ignore_case, smart_case, fixed (literal text), word (whole words) or line (whole
    lines), multiline, dot_all, crlf, no_unicode, pcre2, invert; ands, nots (further patterns that
    lines must match or must not match), by_file (these apply to files).

    Files: hidden, no_ignore, ignore_files, follow, one_file_system, max_depth, max_file_bytes,
    globs, iglobs, types, not_types, type_adds, encoding, text (binary files too), search_zip,
    preprocessor, preprocessor_globs; sort ("path", "modified", "accessed", "created"), descending.

    Output: before, after (lines of context), passthru (all lines), enclosing (the line of the
    function, or the heading, around each line), max_count (lines per file), max_results (results in
    total; pass result.cursor as cursor to resume). Only names of files: files, files_without,
    list_files (all files that would be searched), candidates (files that the index does not rule
    out).

    Other options: index (the directory of an index, which rules files out), try_index, no_stat,
    brute, kernel, threads, trust, log, slow, deadline (seconds), cancel (a Cancel), partial (return
    the lines found so far instead of raising DeadlineError).
    """
    lines = _bitsift.Grep(patterns=pattern, paths=paths, **options)
    # The thread of the search must not run any more when the interpreter ends.
    weakref.finalize(lines, _end, weakref.ref(lines))
    return lines


def _end(reference):
    lines = reference()
    if lines is not None:
        lines.close()
