#!/usr/bin/env bash
# mutate.sh [--list | --check | NAME...]: tests the tests. Applies the changes of the table below to
# the sources, one at a time; each breaks the promise that is written with it. Rebuilds and runs the
# tests of the change, and prints the changes that no test detected. Without names it tries all
# changes.
#
# --list   prints the table.
# --check  only checks that every change still applies: OLD occurs exactly once in its file.
#
# Works on a copy, build/mutate/tree, with its own build folder (preset dev), so it can be
# interrupted at any time. Exit status 0: every change was detected, or has a reason why no test can
# detect it.
#
# The table: a change is a paragraph.
#     NAME FILE TEST...       TEST: the name of a ctest test
#     The promise, on one line.
#     - OLD                   Source lines, each after a prefix of two bytes. OLD may begin and end
#     + NEW                   anywhere within a line.
#     ! REASON                Why no test can detect the change. At most three changes have one.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
exec python3 /dev/fd/3 "$root" "$@" 3<<'PROGRAM' <<'TABLE'
import os
import re
import shutil
import subprocess
import sys
import time
from collections import namedtuple

MOST_REASONS = 3
SLOW_SECONDS = 10  # a test that takes longer is printed

Change = namedtuple("Change", "name file tests promise old new reason")


def fail(message):
    sys.exit("mutate.sh: " + message)


def read_change(paragraph):
    lines = paragraph.split("\n")
    marked = {mark: "\n".join(line[2:] for line in lines[2:] if line[:1] == mark) for mark in "-+!"}
    head = lines[0].split()
    if len(head) < 3 or len(lines) < 3 or any(line[:1] not in ("-", "+", "!") for line in lines[2:]):
        fail("the table does not read: " + lines[0])
    return Change(head[0], head[1], head[2:], lines[1], marked["-"], marked["+"], marked["!"])


def read_table():
    paragraphs = [p.strip("\n") for p in sys.stdin.read().split("\n\n")]
    changes = [read_change(p) for p in paragraphs if p]
    names = [change.name for change in changes]
    for name in names:
        if names.count(name) > 1:
            fail("two changes have the name " + name)
    if sum(1 for change in changes if change.reason) > MOST_REASONS:
        fail("more than %d changes have a reason" % MOST_REASONS)
    return changes


def read_text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write_text(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def places(text, old):
    """Returns the matches of OLD in the text. White space between tokens is ignored, so that the source may be reformatted."""
    tokens = re.findall(r"\w+|[^\w\s]", old)
    return list(re.finditer(r"\s*".join(re.escape(token) for token in tokens), text))


def check(root, changes):
    """Checks that every change applies, before anything is built."""
    wrong = []
    for change in changes:
        try:
            n = len(places(read_text(os.path.join(root, change.file)), change.old))
        except OSError as error:
            wrong.append("%s: %s" % (change.name, error))
            continue
        if n != 1 or not change.old or change.old == change.new:
            wrong.append("%s: its text stands %d times in %s" % (change.name, n, change.file))
    if wrong:
        fail("changes that do not apply any more:\n" + "\n".join(wrong))


def is_same(a, b):
    if os.path.islink(a) or os.path.islink(b):
        return os.path.islink(a) and os.path.islink(b) and os.readlink(a) == os.readlink(b)
    if not os.path.exists(b) or os.stat(a).st_mode != os.stat(b).st_mode:
        return False
    with open(a, "rb") as x, open(b, "rb") as y:
        return x.read() == y.read()


def copy_sources(root, tree):
    """Updates the copy of the sources. Unchanged files keep their mtime, so that they are not built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            check=True, stdout=subprocess.PIPE).stdout
    wanted = {os.fsdecode(name) for name in listed.split(b"\0") if name}
    wanted = {name for name in wanted if os.path.lexists(os.path.join(root, name))}
    for folder, folders, files in os.walk(tree):
        if folder == tree:
            folders[:] = [name for name in folders if name != "build"]
        for name in files + [name for name in folders if os.path.islink(os.path.join(folder, name))]:
            path = os.path.join(folder, name)
            if os.path.relpath(path, tree) not in wanted:
                os.remove(path)
    for name in wanted:
        source, copy = os.path.join(root, name), os.path.join(tree, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        if not is_same(source, copy):
            if os.path.lexists(copy):
                os.remove(copy)
            shutil.copy(source, copy, follow_symlinks=False)


def run(command, folder):
    environment = dict(os.environ)
    if os.access("/dev/shm", os.W_OK):
        environment.setdefault("TMPDIR", "/dev/shm")
    return subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")


def configure(tree, build):
    """Returns what ctest knows about each test, in two lines: its command and its properties."""
    options = ["-DBITSIFT_WERROR=OFF"]
    if shutil.which("ccache") and "CMAKE_C_COMPILER_LAUNCHER" not in os.environ:
        options += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    done = run(["cmake", "--preset", "dev"] + options, tree)
    if done.returncode:
        fail("cmake failed:\n" + done.stdout)
    tests = {}
    for folder, _, files in os.walk(os.path.join(build, "tests")):
        if "CTestTestfile.cmake" in files:
            text = read_text(os.path.join(folder, "CTestTestfile.cmake"))
            for name, rest in re.findall(r"^add_test\(\[=\[(.*?)\]=\] (.*\n.*)$", text, re.MULTILINE):
                tests[name] = rest
    return tests


def targets_of(test, build):
    """Returns the built files that the test uses: its program, its arguments, and files in its environment."""
    names = set(re.findall("[\"=]" + re.escape(build) + "/([^\";]+)", test))
    # A test may need other programs (add_dependencies). Ninja builds them for the target test_NAME,
    # but not for the file tests/test_NAME.
    return {os.path.basename(name) if "test_" in name else name for name in names}


def run_test(name, build):
    """Returns None if the test passes, otherwise its name, after a timeout with "(timeout)"."""
    done = run(["ctest", "-R", "^" + name + "$"], build)
    if "***Not Run" in done.stdout or "No tests were found" in done.stdout:
        fail("a test does not run:\n" + done.stdout)
    return None if done.returncode == 0 else name + (" (timeout)" if "***Timeout" in done.stdout else "")


def prepare(root, tree, changes):
    """Builds the copy and runs all tests that the changes name, which must pass."""
    build = os.path.join(tree, "build", "dev")
    copy_sources(root, tree)
    if os.path.isdir(os.path.join(root, "build", "ripgrep")):
        shutil.copytree(os.path.join(root, "build", "ripgrep"), os.path.join(tree, "build", "ripgrep"), dirs_exist_ok=True)
    tests = configure(tree, build)
    names = sorted({name for change in changes for name in change.tests})
    for name in names:
        if name not in tests:
            fail("no such test: " + name)
    targets = {name: targets_of(tests[name], build) for name in names}
    done = run(["ninja"] + sorted(set().union(*targets.values())), build)
    if done.returncode:
        fail("the build failed:\n" + done.stdout[-4000:])
    done = run(["ctest", "-R", "^(" + "|".join(names) + ")$", "-j", str(os.cpu_count()), "--output-on-failure"], build)
    for name, seconds in re.findall(r"(\S+) \.+ +Passed +(\d+)\.", done.stdout):
        if int(seconds) > SLOW_SECONDS:
            print("%s takes %s s" % (name, seconds))
    if done.returncode or "***Skipped" in done.stdout or "***Not Run" in done.stdout:
        fail("without any change, a test fails or is skipped (test.sh fetches ripgrep):\n" + done.stdout[-4000:])
    return build, targets


def attempt(change, tree, build, targets):
    """Returns (True, why): it does not compile; (False, test): detected; (None, ""): missed."""
    path = os.path.join(tree, change.file)
    before = read_text(path)
    place = places(before, change.old)[0]
    write_text(path, before[: place.start()] + change.new.strip() + before[place.end() :])
    try:
        for name in change.tests:
            done = run(["ninja"] + sorted(targets[name]), build)
            if done.returncode:
                return True, "does not compile:\n" + done.stdout[-3000:]
            noticed = run_test(name, build)
            if noticed:
                return False, noticed
        return None, ""
    finally:
        write_text(path, before)


def try_all(root, changes):
    start = time.monotonic()
    tree = os.path.join(root, "build", "mutate", "tree")
    build, targets = prepare(root, tree, changes)
    print("%.0f s: built, and the tests pass without changes" % (time.monotonic() - start), flush=True)
    missed, wrong, excused, n_timeouts = [], [], [], 0
    for change in changes:
        began = time.monotonic()
        error, text = attempt(change, tree, build, targets)
        if error:
            wrong.append(change.name)
        elif error is None:
            (excused if change.reason else missed).append(change)
        n_timeouts += text.endswith("(timeout)")
        word = "ERROR" if error else "caught" if error is False else "excused" if change.reason else "MISSED"
        print("%-8s%-36s%5.1f s  %s" % (word, change.name, time.monotonic() - began, text), flush=True)
    print("%.0f s" % (time.monotonic() - start))
    for change in excused:
        print("excused: %s: %s" % (change.name, change.reason))
    for change in missed:
        print("not noticed: %s (%s): %s" % (change.name, change.file, change.promise))
    n_caught = len(changes) - len(missed) - len(wrong) - len(excused)
    print("%d of %d caught" % (n_caught, len(changes)) + (", %d excused" % len(excused) if excused else "") +
          (", %d of them by a timeout: is the machine busy?" % n_timeouts if n_timeouts else ""))
    if wrong:
        fail("errors of the table: " + " ".join(wrong))
    return 1 if missed else 0


def main(root, arguments):
    changes = read_table()
    if arguments == ["--list"]:
        for change in changes:
            print("%-36s%-36s%s\n    %s" % (change.name, change.file, " ".join(change.tests), change.promise))
        return 0
    check(root, changes)
    if arguments == ["--check"]:
        return 0
    unknown = [name for name in arguments if name not in {change.name for change in changes}]
    if unknown:
        fail("no such change: " + " ".join(unknown))
    return try_all(root, [change for change in changes if not arguments or change.name in arguments])


sys.exit(main(sys.argv[1], sys.argv[2:]))
PROGRAM
container_head_checksum core/file/container.c container
A file head with a wrong checksum is refused.
- if (bs_load_u64(head + 56) != bs_checksum(head, 56))
+ if (bs_load_u64(head + 56) != bs_checksum(head, 56) && false)

container_head_length core/file/container.c container
A file that is shorter or longer than its head records is refused.
- if (bs_load_u64(head + 16) != file->n_bytes)
+ if (bs_load_u64(head + 16) < file->n_bytes)

container_version core/file/container.c container cli_other_version
A file of another format version is refused as such.
- if (bs_load_u32(head + 8) != BS_FORMAT_VERSION)
+ if (bs_load_u32(head + 8) < BS_FORMAT_VERSION)

container_feature core/file/container.c container
A file with a feature that this program does not know is refused.
- if (bs_load_u32(head + 36) & ~KNOWN_FEATURES)
+ if (bs_load_u32(head + 36) & ~KNOWN_FEATURES & 0xffff)

container_table_checksum core/file/container.c container
The checksum of the table covers the page sums after it.
- if (bs_load_u64(file->map + 40) != bs_checksum(file->table, (size_t)(table_bytes + sums_bytes)))
+ if (sums_bytes == 0 && bs_load_u64(file->map + 40) != bs_checksum(file->table, (size_t)(table_bytes + sums_bytes)))

container_section_overlap core/file/container.c container
Sections do not overlap, and are before the table.
- if (at % ALIGN_BYTES != 0 || at < next_offset || at > offset ||
+ if (at % ALIGN_BYTES != 0 || at > offset ||

container_page_sum core/file/container.c container
The last page of a range is checked too.
- uint64_t last = (offset + n_bytes - 1) / BS_PAGE_BYTES;
- 	for (uint64_t page = offset / BS_PAGE_BYTES; page <= last && !status; page++)
+ uint64_t last = (offset + n_bytes - 1) / BS_PAGE_BYTES;
+ 	for (uint64_t page = offset / BS_PAGE_BYTES; (page < last || last == 0) && page <= last && !status; page++)

container_check_range core/file/container.c container
Bytes past the end of a section are refused.
- if (offset > section->n_bytes || n_bytes > section->n_bytes - offset)
+ if (offset > section->n_bytes || n_bytes > section->n_bytes)

container_fsync core/file/container.c commit
A new file is flushed to disk before any file refers to it.
- if (!writer->status && !writer->dir->memory && fsync(writer->fd) != 0)
+ if (!writer->status && writer->dir->memory && fsync(writer->fd) != 0)

dir_hard_link core/file/dir.c cli_hostile_index
A file of the index with several hard links is refused.
- else if (found->st_nlink > 1)
+ else if (found->st_nlink > 2)

dir_exclusive core/file/dir.c index_dir cli_hostile_index
New files are created exclusively, never through an existing file or symlink.
- *fd_out = openat(dir->fd, name, O_RDWR | O_CREAT | O_EXCL | SAFE_FLAGS, dir->file_mode);
- 	if (*fd_out < 0)
+ *fd_out = openat(dir->fd, name, O_RDWR | O_CREAT | O_CLOEXEC, dir->file_mode);
+ 	if (*fd_out < 0)

dir_owner core/file/dir.c cli_other_user
An index of another user is refused.
- else if (!is_trusted(dir, found.st_uid))
+ else if (false)

dir_file_owner core/file/dir.c cli_other_user
A file of another user in the user's own directory is refused.
- else if (!is_trusted(dir, found->st_uid))
+ else if (false)

dir_private core/file/dir.c cli_private
The files of an index are 0600 without --shared.
- .file_mode = 0600, .consent = consent};
+ .file_mode = 0644, .consent = consent};

index_lock_wait core/store/index_dir.c index_dir
Only one writer at a time: the lock is taken exclusively.
- failed = flock(fd, wait && !bs_deadline_here ? LOCK_EX : LOCK_EX | LOCK_NB);
+ failed = flock(fd, wait && !bs_deadline_here ? LOCK_SH : LOCK_SH | LOCK_NB);

index_sweep_foreign core/store/index_dir.c index_dir
The sweep removes only files whose names an index uses.
- if (number && number < BS_MOST_NUMBER && strcmp(name, bs_index_file_name(prefixes[i], number, same)) == 0)
+ if (number && number < BS_MOST_NUMBER)

index_next_number core/store/index_dir.c index_dir
A new file gets a number above those of all existing files.
- if (number >= next)
- 			next = number + 1;
+ if (number > next)
+ 			next = number + 1;

manifest_read_back core/store/manifest.c manifest
A manifest that cannot be read again does not replace the old one.
- status = read_file(dir, temporary, &again, &why);
- 	if (status) {
+ status = read_file(dir, temporary, &again, &why);
+ 	if (status == BS_IO) {

manifest_number_twice core/store/manifest.c manifest
Two files of an index never have the same number.
- else if (i > 0 && numbers[i] == numbers[i - 1])
+ else if (i > 1 && numbers[i] == numbers[i - 1])

manifest_next_number core/store/manifest.c manifest
The numbers of all files are below the next one.
- if (numbers[i] == 0 || numbers[i] >= manifest->next_number)
+ if (numbers[i] == 0 || numbers[i] > manifest->next_number)

manifest_trailing_bytes core/store/manifest.c manifest
A section of the manifest ends with its last part.
- expect(&coder, coder.at == coder.end,
+ expect(&coder, coder.at <= coder.end,

snapshot_tombstones_count core/store/snapshot.c store manifest check cli_crafted
The tombstones have the number of deleted documents that the manifest records.
- if (n_deleted != record->n_deleted)
+ if (n_deleted > record->n_deleted)

snapshot_newer_commit core/store/snapshot.c commit
A reader whose file was removed by a newer commit opens that commit.
- bool is_newer = manifest.generation > generation;
+ bool is_newer = manifest.generation < generation;

snapshot_check_new core/store/snapshot.c manifest index_dir
The reader's own code reads new files back before a commit refers to them.
- if (record->number >= first_new)
+ if (record->number > UINT32_MAX)

value_negative_order core/base/value.c value
Negative numbers with equal exponents sort in descending order of their digits.
- for (uint32_t i = 1; i < value->n_bytes && decimal->is_negative; i++)
+ for (uint32_t i = 2; i < value->n_bytes && decimal->is_negative; i++)

value_date_bound core/base/value.c value cli_ranges
The exponents of numbers are compared beyond 60, too.
- if (exponent < -NEAR_EXPONENT || exponent > NEAR_EXPONENT) {
+ if (exponent < -NEAR_EXPONENT || exponent > 2 * NEAR_EXPONENT) {

date_leap core/base/date.c date
A century year is a leap year only if it is divisible by 400.
- bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
+ bool is_leap = year % 4 == 0;

date_span_day core/base/date.c date cli_ranges
A date without a time denotes the whole day.
- next_day = count_days(year, month, day) + 1;
+ next_day = count_days(year, month, day) + 2;

date_offset_sign core/base/date.c date
An offset east of Greenwich is subtracted.
- *seconds += (is_east ? -1 : 1) * (hours * 3600 + minutes * 60);
+ *seconds += (is_east ? 1 : -1) * (hours * 3600 + minutes * 60);

false_positives_clear_last core/matrix/false_positives.c false_positives
False positives in the last row of a range are cleared, too.
- for (uint64_t row; !status && (row = walk_peek(walk)) < first_row + end; walk_step(walk)) {
+ for (uint64_t row; !status && (row = walk_peek(walk)) + 1 < first_row + end; walk_step(walk)) {

forward_index_run_end core/matrix/forward_index.c forward_index
A forward index does not contain the term after a run's last one.
- *has_out = run.first <= ordinal && ordinal < run.end;
+ *has_out = run.first <= ordinal && ordinal <= run.end;

forward_index_bound core/matrix/forward_index.c forward_index
A forward index with terms that are not in the lexicon is refused.
- bool is_right = get_run(&decoder, &run) && run.end <= n_terms;
+ bool is_right = get_run(&decoder, &run) && run.end <= n_terms + 1;

shard_exact_level core/matrix/shard_and.c shard_and stage_scan
A dense exact column also rejects documents.
- if (!status && level == 0)
- 		status = push_exact(shard, terms, n_terms, true, live, list, err);
+ if (!status && level > 0)
+ 		status = push_exact(shard, terms, n_terms, true, live, list, err);

shard_live_tail core/matrix/shard_and.c shard_and
The last blocks of a shard are live initially.
- live->words[n / 64] = (UINT64_C(1) << (n % 64)) - 1;
+ live->words[n / 64] = (UINT64_C(1) << (n % 64 - 1)) - 1;

doc_order_slash core/store/doc_table.c doc_order cli_document_order
Document order compares paths by component: a/x precedes a-b.
- return a[i] == '/' ? -1 : b[i] == '/' ? 1 : bs_compare_u64(a[i], b[i]);
+ return bs_compare_u64(a[i], b[i]);

doc_table_ranges core/store/doc_table.c check_segment
The ranges of sources in a table of documents ascend.
- if (i == 0 ? first != 0 : first <= before || first >= table->n_docs)
+ if (i == 0 ? first != 0 : first < before || first >= table->n_docs)

escape_c1 core/base/utf8.c status cli_terminal
The control characters from 0x80 on are never written to a terminal.
- (c >= 0x7f && c < 0xa0)
+ (c >= 0x7f && c < 0x80)

escape_direction core/base/utf8.c status cli_terminal
Characters that change the direction of text are never written to a terminal.
- (c >= 0x202a && c <= 0x202e)
+ (c >= 0x202a && c < 0x202e)

reserved_field core/base/error.c library limits
A struct with a nonzero reserved field is refused.
- for (size_t i = 0; i < parts[part].n_fields; i++)
+ for (size_t i = 1; i < parts[part].n_fields; i++)

deadline core/system/deadline.c limits
A call ends at its deadline.
- status = now >= deadline->end_ns ? BS_DEADLINE : is_stopped(deadline, now) ? BS_STOPPED : BS_OK;
+ status = is_stopped(deadline, now) ? BS_STOPPED : BS_OK;

cancel core/system/deadline.c limits
A call ends once its flag is set.
- if (limits && limits->cancel && __atomic_load_n(limits->cancel, __ATOMIC_RELAXED))
+ if (limits && limits->cancel && __atomic_load_n(limits->cancel, __ATOMIC_RELAXED) > 1)

coded_set core/file/coded.c coded
The coded numbers of a set include the gaps between them.
- return numbers[i] - numbers[i - 1] - is_set;
+ return numbers[i] - numbers[i - 1] - (is_set && i > 1);

coded_bits_bound core/file/coded.c coded
A block of coded numbers does not extend beyond the available bits.
- if (from > to || to > coded->n_bits)
+ if (from > to)

catalog_string core/catalog/catalog_file.c catalog_file
Strings of a catalog contain no NUL byte.
- if (n_bytes > (uint64_t)(from->end - from->at) || (n_bytes && memchr(from->at, '\0', n_bytes)))
+ if (n_bytes > (uint64_t)(from->end - from->at))

catalog_words_ascend core/catalog/catalog_file.c catalog_file
The words of an index in a catalog ascend.
- (from.is_bad || word->df == 0 || !ascends)
+ (from.is_bad || word->df == 0)

walk_dot_at_end corpus/walk/walk.c walk
As in ripgrep, a name that begins and ends with a dot is not hidden.
- found->name[0] != '.' || found->name[found->name_bytes - 1] == '.';
+ found->name[0] != '.';

walk_long_names corpus/walk/walk.c walk
The entries of a folder are sorted by all bytes of their names.
- return bs_compare_bytes((const uint8_t *)a->name, a->name_bytes, (const uint8_t *)b->name, b->name_bytes);
+ return 0;

walk_index_folder corpus/walk/walk.c walk cli_ignore_rules
A folder that is an index is never visited, with --hidden neither.
- if (entry->kind == BS_ENTRY_FOLDER && is_index(entry->name, entry->name_bytes))
+ if (entry->kind == BS_ENTRY_FOLDER && !walk->options.hidden && is_index(entry->name, entry->name_bytes))

walk_loop corpus/walk/walk.c walk cli_grep_folders
A symlink to a folder above it is not followed.
- for (size_t depth = 0; entry->kind == BS_ENTRY_FOLDER && depth < depth_of(walk); depth++) {
+ for (size_t depth = 0; entry->kind == BS_ENTRY_FOLDER && depth + 1 < depth_of(walk); depth++) {

walk_max_depth corpus/walk/walk.c walk cli_grep_files
--max-depth N descends N folders.
- depth >= walk->options.max_depth;
+ depth > walk->options.max_depth;

walk_one_file_system corpus/walk/walk.c cli_ignore_files
--one-file-system stays on the file system of the root.
- info.st_dev != folders[0].device;
+ info.st_dev == folders[0].device;

ignore_repository corpus/walk/ignore.c cli_ignore_files cli_walk_random
git's rules of the folders above a repository do not apply in it.
- if (kind >= FILE_GITIGNORE && at->is_repository)
+ if (kind > FILE_GITIGNORE && at->is_repository)

ignore_folders_only corpus/walk/ignore.c cli_ignore_files cli_walk_random
A rule that ends in a slash excludes only folders.
- if (rule->folders_only && !entry->is_folder)
+ if (rule->folders_only && !entry->is_folder && rule->keeps)

ignore_unreadable corpus/walk/ignore.c cli_passing_errors cli_unreadable
A file of rules that cannot be read is an error of the run, and adds no files.
- (must_read && may_be_there(folder_fd, path, error_number))))
+ (must_read && false)))

ignore_carriage_return corpus/walk/ignore.c glob
A rule ends before CR LF.
- if (feed && line_bytes > 0 && text[line_bytes - 1] == '\r')
+ if (feed && line_bytes > 1 && text[line_bytes - 1] == '\r' && text[line_bytes - 2] == '\r')

glob_any corpus/walk/glob.c glob
In a glob, ? does not match a slash.
- takes = byte != '/';
- 		break;
+ takes = true;
+ 		break;

glob_set_end corpus/walk/glob.c glob
A ] at the beginning of a set is a member of the set.
- if (next.code == ']' && !is_first)
+ if (next.code == ']')

file_limit corpus/walk/file.c source cli_left_out
A file of exactly --max-document bytes is a document.
- } else if (size_bytes > limit_bytes || bytes->used_bytes > limit_bytes) {
+ } else if (size_bytes >= limit_bytes || bytes->used_bytes > limit_bytes) {

file_symlink corpus/walk/file.c source walk cli_links
A file that is read again is not opened through a symlink.
- .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
+ .resolve = RESOLVE_BENEATH};

file_surrogate corpus/walk/file.c source cli_encodings
Half of a surrogate pair becomes one U+FFFD, and the text after it is kept.
- at += is_pair ? 2 : 0;
+ at += low ? 2 : 0;

record_floating_id corpus/read/record.c record
A floating-point number is not an id.
- if (text[i] == '.' || (text[i] | 0x20) == 'e')
+ if (text[i] == '.')

record_minus_zero corpus/read/record.c record cli_duplicate_ids
The id -0 is 0.
- if (text_bytes == 2 && memcmp(text, "-0", 2) == 0) {
+ if (text_bytes == 3 && memcmp(text, "-0", 2) == 0) {

fingerprint_ctime corpus/walk/document.c source cli_changed_sources
A file of equal size and mtime that was written since is read again.
- (uint64_t)fingerprint->ctime_ns == recorded[2] && fingerprint->inode == recorded[3];
+ fingerprint->inode == recorded[3];

refresh_owned corpus/changes/refresh.c commit
An appended record replaces the earlier one with its id.
- is_kept &= !is_owned;
+ is_kept &= !is_owned || at->is_appended;

exclusion_content corpus/changes/exclusions.c cli_delete
A deleted document stays deleted while its content is unchanged, and is indexed again when it changes.
- if (entry->met.checksum != entry->record.checksum) {
+ if (entry->met.checksum == 0) {

exclusion_there corpus/changes/exclusions.c cli_delete cli_passing_errors
A deletion ends when its file is gone.
- return status != BS_NOT_FOUND;
+ return true;

compact_mark indexer/run/compact.c cli_compact
A document that was moved to another segment is deleted in its old one.
- return status ? status : bs_snapshot_mark(&compact->snapshot, ref, true, err);
+ return status;

compact_untrusted indexer/run/compact.c library cli_trust
Compaction keeps the documents of sources that are not followed.
- if (source.is_refused && (compact->of_rows || !compact->snapshot.manifest.options.store)) {
+ if (source.is_refused && compact->of_rows && !compact->snapshot.manifest.options.store) {

compact_full indexer/run/compact.c commit
`compact` merges a full segment again if it has deleted documents.
- if (!manifest->segments[i].is_full || manifest->segments[i].n_deleted > 0)
+ if (!manifest->segments[i].is_full)

commit_before_sweep indexer/run/compact.c commit
Files of a commit are removed only after the next commit.
- if (!status)
- 		status = bs_snapshot_commit(compact->writer.dir, &compact->snapshot.manifest, manifest, err);
+ bs_index_sweep(compact->writer.dir, manifest);
+ 	if (!status)
+ 		status = bs_snapshot_commit(compact->writer.dir, &compact->snapshot.manifest, manifest, err);

bm25_idf query/statistics/bm25.c stage_rank query
The idf of a word is that of BM25.
- return log(1 + ((double)n_docs - (double)df + 0.5) / ((double)df + 0.5));
+ return log(1 + ((double)n_docs - (double)df + 0.5) / ((double)df + 1));

rank_tie query/rank/rank.c stage_rank
Documents with equal scores are ranked in document order.
- return compare_places(list, a, b) > 0;
+ return compare_places(list, a, b) < 0;

rank_repeats query/rank/rank.c stage_rank
A word that occurs twice in the query has twice the weight.
- last->weight += scorer->words[i].weight;
+ last->weight = scorer->words[i].weight;

rank_heap query/rank/rank.c stage_rank
The k best documents are found in any order of hits.
- child += child + 1 < n && is_above(list, &hits[child + 1], &hits[child]);
+ child += child + 2 < n && is_above(list, &hits[child + 1], &hits[child]);

rank_weight_zero query/rank/rank.c stage_rank cli_query_language
A word of weight 0 matches without scoring.
- is_any &= query->elements[e].weight > 0;
+ is_any &= query->elements[e].weight >= 0;

near_distance query/verify/match.c grammar
"a b"~N has at most N positions between its words.
- (uint64_t)node->distance + node->n_items - 1);
+ (uint64_t)node->distance + node->n_items);

near_field query/verify/match.c stage_verify grammar
The words of a NEAR are in one field, at any distance.
- while (points[start].field != points[end].field || points[end].position - points[start].position > span) {
+ while (points[end].position - points[start].position > span) {

near_repeats query/verify/match.c stage_verify grammar
A word that occurs twice in a NEAR must occur twice in the text.
- needs[*known - 1].wanted++;
+ needs[*known - 1].wanted = 1;

phrase_long_carry query/verify/match.c query stage_verify equivalent
A phrase of more than 64 words is found in a text that repeats few words.
- carry = bits >> 63;
+ carry = 0;

field_name query/verify/match.c grammar
field:word searches only the field with exactly that name.
- return name_bytes == field->name_bytes &&
+ return name_bytes <= field->name_bytes &&

fuzzy_swap query/language/fuzzy.c query parse grammar
Swapping two adjacent letters is one edit.
- value = least(value, *cell(fuzzy, i - 2, j - 2) + 1);
+ value = least(value, *cell(fuzzy, i - 2, j - 2) + 2);

parse_not_positive query/language/parse.c parse
Negated words are not scored.
- uint32_t depth = finish_children(parser, draft, is_positive != (draft->node.kind == BS_NODE_NOT), weight);
+ uint32_t depth = finish_children(parser, draft, is_positive || (draft->node.kind == BS_NODE_NOT), weight);

parse_depth query/language/parse.c parse
Brackets that are nested too deeply are refused.
- if (parser->depth == BS_QUERY_MAX_DEPTH) {
+ if (parser->depth == BS_QUERY_MAX_DEPTH + 1) {

parse_length query/language/parse.c parse
A query that is longer than the limit is refused.
- if (text_bytes > BS_QUERY_MAX_BYTES) {
+ if (text_bytes > BS_QUERY_MAX_BYTES + 1) {

parse_weight_limit query/language/lex.c parse grammar
A number above 1000 after ^ is not a weight.
- || weight > BS_QUERY_MAX_WEIGHT)
+ || weight > 2 * BS_QUERY_MAX_WEIGHT)

parse_any_negated query/language/parse.c parse grammar
With --any, negations still exclude.
- add_operand(parser, is_negated ? &all : &either, draft);
+ add_operand(parser, &either, draft);

filter_older query/plan/filter.c stage_plan cli_filters
--older excludes its date.
- (is_open || code < bs_moment_code(filter->criteria.older));
+ (is_open || code <= bs_moment_code(filter->criteria.older));

filter_newer query/plan/filter.c stage_plan cli_filters
--newer includes its date.
- return code >= bs_moment_code(filter->criteria.newer) &&
+ return code > bs_moment_code(filter->criteria.newer) &&

filter_place query/plan/filter.c cli_where cli_filters
--in DIR excludes files outside DIR.
- *passes_out |= place[n] && bs_path_is_at_or_below(place + n + 1, record->name, record->name_bytes);
+ *passes_out |= place[n] && record->name_bytes > 0;

scan_not_claim query/scan/scan.c stage_scan
The filter keeps a document that is only a candidate for the operand of a NOT.
- eval(at, child->children[0], claim == BS_MAY ? BS_SURELY : BS_MAY, depth + 1, within, &one);
+ eval(at, child->children[0], claim, depth + 1, within, &one);

scan_deleted query/scan/scan.c stage_scan cli_delete
A deleted document is not found.
- bool passes = !at->status && !bs_list_is_deleted(plan->list, (struct bs_doc_ref){at->segment, document});
+ bool passes = !at->status;

scan_count_deleted query/scan/scan.c stage_scan cli_true_counts cli_delete
Deleted documents are not counted, even if counting reads no texts.
- !at->plan->list->segments[at->segment].tombstones;
+ true;

verify_idf_changed query/verify/verify.c stage_verify
A file that changed is read completely before it can be a hit.
- if (may_ask_bytes && fetched == BS_LOADED_UNCHANGED)
+ if (may_ask_bytes)

snippet_window query/answer/snippet.c snippet passage
The best window has the most different words of the query.
- if (n_distinct > most_distinct || (is_equal && now.last - now.first > best.last - best.first))
+ if (n_distinct > most_distinct + 1 || (is_equal && now.last - now.first > best.last - best.first))

snippet_width query/answer/snippet.c snippet passage
A window is not wider than the snippet.
- while (now.first < now.last && end - places[now.first].start_column > snippet->width)
+ while (now.first < now.last && end - places[now.first].start_column > snippet->width + 8)

grep_context_before query/grep/grep_search.c grep
-B N shows N lines before a match.
- size_t from = has_before ? lines_before(state, state->visited, upto, state->options->before - 1) : upto;
+ size_t from = has_before ? lines_before(state, state->visited, upto, state->options->before) : upto;

grep_gap query/grep/grep_search.c grep
Adjacent lines have no -- between them.
- state->has_told && state->visited < line.start && !state->is_headed)
+ state->has_told && state->visited <= line.start && !state->is_headed)

grep_binary_quit query/grep/grep_search.c grep
A file with a NUL byte that was found by a walk is searched only up to the NUL byte.
- if (state->binary == BS_GREP_BINARY_QUIT)
- 		return true;
+ if (state->binary == BS_GREP_BINARY_QUIT && from == 0)
+ 		return true;

grep_invert_last query/grep/grep_search.c grep
-v shows the lines after the last match.
- size_t from = state->pos, upto = found ? line.start : state->window;
+ size_t from = state->pos, upto = found ? line.start : from;

grep_condition query/grep/match/conditions.c grep cli_and_not
--not excludes lines that match it.
- *hold_out = !status && found != condition->is_not;
+ *hold_out = !status && (found || condition->is_not);

grep_crlf query/grep/match/grep_matcher.c grep
With --crlf, CR LF is not part of its line.
- if (end > line.start && text[end - 1] == '\r')
- 		return end - !(matcher->pattern->is_multi_line && !matcher->traits.looks_back);
+ if (end > line.start && text[end - 1] == '\r')
+ 		return end;

grep_literal_case query/grep/match/grep_matcher.c grep
A literal is found only in its own letter case.
- if (memcmp(text + at, exact->data, exact->used_bytes) == 0)
+ if (memcmp(text + at, exact->data, exact->used_bytes) == 0 || at > from)

grams_alternation query/regex/prefilter/regex_grams.c regex_grams regex_property
An alternation with an unknown alternative requires no grams.
- if (needs[i]->kind == BS_GRAM_ANY)
- 			return &need_any;
+ if (needs[i]->kind == BS_GRAM_ANY)
+ 			continue;

grams_too_much query/regex/prefilter/regex_grams.c regex_grams regex_property
An alternation of too many strings requires no grams.
- if (n_leaves > MOST_ORED || n_operands > MOST_ORED)
- 		return &need_any;
+ if (n_leaves > MOST_ORED || n_operands > MOST_ORED)
+ 		n = 1;

grams_middle query/regex/prefilter/regex_grams.c regex_grams regex_property
The end of one part and the beginning of the next are required together only if both are exact.
- bool is_exact = x->is_exact && y->is_exact && is_crossed;
+ bool is_exact = x->is_exact && is_crossed;

dir_beside core/file/dir.c cli_trust
A source outside the folder that contains the index, symlinks resolved, is not followed.
- .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
+ .resolve = RESOLVE_NO_MAGICLINKS};

index_link core/store/index_dir.c cli_hostile_index
A .bitsift that is a symlink is not followed when it is found.
- if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode))
+ if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))

lexicon_df core/lexicon/lexicon.c lexicon check_segment
The df of a term is at most the number of documents.
- return head->df <= lexicon->n_docs;
+ return true;

lexicon_prefix core/lexicon/lexicon.c lexicon
A term is not found by its prefix alone.
- if (n_matched == term_bytes && last_bytes == term_bytes) {
+ if (n_matched == term_bytes) {

trust_owner query/cli/cmd_trust.c cli_other_user
Entries that another user wrote into the file of trusted indexes are ignored.
- (found.st_uid != geteuid() && found.st_uid != 0) ||
+ (found.st_uid == geteuid() + 1 && found.st_uid != 0) ||

option_number_most query/options/command_line.c command_line
A numeric option is at most its maximum.
- if (!is_number || errno || number < least || number > most)
+ if (!is_number || errno || number < least || number - 1 > most)

option_size_overflow query/options/command_line.c command_line
A size in ripgrep's notation that overflows is refused.
- || errno || number > UINT64_MAX >> shift)
+ || errno || number > UINT64_MAX >> (shift / 2))

build_private indexer/run/indexer.c cli_private
If a source is closed to others, the index stays private, even with --shared.
- mode_t denied = (mode_t)at->access.denied | (mode_t)at->access.denied >> 1;
+ mode_t denied = 0;

build_private_unread indexer/run/indexer.c cli_private
If a source cannot be examined, the index stays private.
- if (!at->request->shared || skipped[BS_SKIP_UNREADABLE] || skipped[BS_SKIP_UNTRUSTED] ||
+ if (!at->request->shared || skipped[BS_SKIP_UNTRUSTED] ||

id_owners_slot corpus/changes/id_owners.c id_owners
An id whose hash equals that of another id does not take over the other's slot.
- owner->slot = owner->is_there ? slot : NULL;
+ owner->slot = slot;

build_private_group corpus/walk/document.c cli_private
A group that may not read a file cannot read the index, even if another group may read the file.
- if (denied && fingerprint && fingerprint->group != access->group)
+ if (denied && fingerprint && fingerprint->group != access->group && !denied)

build_salvage indexer/run/indexer.c cli_damaged cli_rebuild_source
Rebuilding a damaged index that has the only copy of text from standard input is refused.
- if (old->sources[i].kind == BS_SOURCE_STDIN && !is_forgotten(request, "-"))
+ if (old->sources[i].kind == BS_SOURCE_STDIN && is_forgotten(request, "-"))

build_unread indexer/run/indexer.c cli_unreadable cli_passing_errors
A run that could not read something reports it and ends with status 2.
- report->n_unread = report->skipped[BS_SKIP_UNREADABLE];
+ report->n_unread = 0 * report->skipped[BS_SKIP_UNREADABLE];

build_nothing_new indexer/run/indexer.c cli_changed_collection cli_changed_sources
A run that finds nothing new commits nothing.
- bool are_documents = at->is_full || at->n_changed_segments > 0 ||
+ bool are_documents = at->is_full || at->n_changed_segments == 0 ||

compact_lock indexer/run/indexer.c commit
`compact` takes the lock of the index.
- status = bs_index_lock_existing(&dir, request->write.wait, &lock, err);
- 	if (!status)
- 		status = bs_compact(request, &dir, true, report, err);
+ status = bs_compact(request, &dir, true, report, err);

writer_exclusion indexer/run/writer.c writer
A document that is added again is no longer deleted.
- at->refresh.exclusions.entries[i].state = BS_EXCLUSION_OVER;
+ at->refresh.exclusions.is_changed = true;

writer_failed indexer/run/writer.c writer memory
If a change fails half-way, nothing of the transaction is committed.
- writer->failed = status;
- 	writer->why = *why;
+ writer->why = *why;

writer_empty_id indexer/run/writer.c writer
A document without an id is refused.
- return id_bytes > 0 && id_bytes <= UINT32_MAX / 2 ?
+ return id_bytes <= UINT32_MAX / 2 ?

term_order_zero_bytes indexer/segment/term_order.c term_order
Terms that differ only by trailing zero bytes are sorted by length.
- return order ? order < 0 : x->n_bytes < y->n_bytes;
+ return order ? order < 0 : x->n_bytes > y->n_bytes;

sequence_gap query/regex/prefilter/class_sequence.c line_filter
A word boundary after other bytes than word characters says nothing about the byte that follows.
- now->has_gap_after = is_word_class(now->items[now->n - 1]);
+ now->has_gap_after = true;

sequence_exact query/regex/prefilter/class_sequence.c line_filter
A line with the classes of a pattern that has an assertion need not match.
- !regex->is_superset && !reader.has_assertion &&
+ !regex->is_superset &&

sequence_fold query/regex/prefilter/class_sequence.c line_filter
The letters of a pattern that ignores case are found in both cases.
- set = bs_regex_set_fold(set);
+ (void)0;

sequence_shift query/grep/match/sequence_search.c line_filter
A run of bytes is found in whatever part of the text it begins.
- part->kernel->text.and_shifted(places, places, part->n_words + 1, step);
+ part->kernel->text.and_shifted(places, places, part->n_words, step);

span_bound query/regex/prefilter/class_sequence.c line_filter
With -U a match is found from its start, however far that is before its rarest bytes.
- now->before_bytes = now->n == 1 ? before_bytes : now->before_bytes;
+ now->before_bytes = 0;

first_piece query/grep/read/grep_input.c cli_sparse cli_grep_nul
A file that is longer than its first piece is read on.
- *at_end_out = n_read > 0 && n_read < n_bytes &&
+ *at_end_out = n_read > 0 &&

near_folder corpus/walk/file.c source
A file in another folder that has the path of an open one now is found.
- errno != ENOENT && errno != EMFILE
+ errno != EMFILE

short_read query/grep/read/grep_input.c faults
A file of which only a part can be read is not taken for a shorter file.
- pread(fd, (uint8_t *)to + n_read, n_bytes - n_read, n) == 0;
+ true;

short_size query/grep/read/grep_text.c cli_grep_stats
The number of bytes read includes the first piece of a file.
- text->read_bytes = bytes->used_bytes;
+ text->read_bytes = 0;
TABLE
