/* test_stage_load.c: the loader (query/load) over two indexes returns the texts on disk and
 * finds what has changed. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/rigs/stages_rig.h"

static const char *const field_names[] = {"title", "body", "year"};

/* The fields that were read are those that were written, no more and no less. */
static void check_fields(const struct rig_doc *doc, const struct bs_document *document)
{
	size_t n = 0;
	for (uint32_t f = 0; f < RIG_N_FIELDS; f++) {
		if (!doc->fields[f][0])
			continue;
		assert_true(n < document->text.n_fields);
		const struct bs_field *field = &document->text.fields[n++];
		assert_true(rig_is_text(field->name, field->name_bytes,
		                        doc->line ? field_names[f] : ""));
		assert_true(rig_is_text(field->text, field->text_bytes, doc->fields[f]));
	}
	assert_int_equal(document->text.n_fields, n);
}

static enum bs_load_state load(const struct rig_doc *doc, struct bs_document *document)
{
	enum bs_load_state fetched;
	ok(bs_load(rig.loader, doc->ref, document, &fetched, ERR));
	return fetched;
}

static void expect(const struct rig_doc *doc, enum bs_load_state expected)
{
	struct bs_document document;
	bool is_unchanged;
	if (load(doc, &document) != expected)
		fail_msg("%s is %d", doc->id, (int)load(doc, &document));
	if (expected == BS_LOADED_UNCHANGED || expected == BS_LOADED_CHANGED)
		check_fields(doc, &document);
	ok(bs_loader_is_unchanged(rig.loader, doc->ref, &is_unchanged, ERR));
	assert_int_equal(is_unchanged, expected == BS_LOADED_UNCHANGED);
}

static void test_unchanged(void **state)
{
	rig_load();
	for (size_t i = 0; i < rig.n_docs; i++) {
		/* The order alternates between indexes and segments. */
		const struct rig_doc *doc = &rig.docs[i * 211 % rig.n_docs];
		if (doc->is_deleted)
			continue;
		expect(doc, BS_LOADED_UNCHANGED);
		assert_true(bs_loader_agrees(rig.loader, doc->ref));
		assert_int_equal(bs_loader_is_of_line(rig.loader, doc->ref), doc->line > 0);
	}
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		bool is_unchanged;
		if (!bs_list_segment(&rig.list, s)->segment)
			continue;
		ok(bs_loader_is_segment_unchanged(rig.loader, s, &is_unchanged, ERR));
		/* Files have no common fingerprint, so each must be checked. */
		assert_int_equal(is_unchanged, bs_list_segment(&rig.list, s)->entry == 1);
	}
	struct bs_changes changes = bs_loader_changes(rig.loader);
	assert_int_equal(changes.n_changed + changes.n_gone, 0);
	assert_string_equal(changes.example, "");
	assert_int_equal(bs_loader_failures(rig.loader), 0);
}

/* bs_loader_expect announces documents that will be read; this does not change their texts. */
static void test_expected(void **state)
{
	rig_load();
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		uint32_t documents[RIG_MOST_DOCS];
		size_t n = 0;
		for (uint32_t d = 0; d < bs_list_segment(&rig.list, s)->n_docs; d++)
			if (!rig_doc_at((struct bs_doc_ref){s, d})->is_deleted && d % 3 > 0)
				documents[n++] = d;
		bs_loader_expect(rig.loader, s, documents, n);
		for (size_t i = 0; i < n; i++)
			expect(rig_doc_at((struct bs_doc_ref){s, documents[i]}),
			       BS_LOADED_UNCHANGED);
	}
}

static void test_lines(void **state)
{
	rig_load();
	for (const struct rig_doc *doc = NULL; (doc = rig_next(doc)) != NULL;) {
		struct bs_document document;
		const uint8_t *line;
		size_t line_bytes;
		char expected[1400];
		ok(bs_loader_line(rig.loader, doc->ref, &line, &line_bytes, ERR));
		assert_int_equal(line != NULL, doc->line > 0);
		if (!line)
			continue;
		int n = snprintf(expected, sizeof(expected),
		                 "{\"id\":\"%s\",\"title\":\"%s\",\"body\":\"%s\"%s%s}", doc->id,
		                 doc->fields[0], doc->fields[1],
		                 doc->fields[2][0] ? ",\"year\":" : "", doc->fields[2]);
		assert_int_equal(line_bytes, n);
		assert_memory_equal(line, expected, line_bytes);
		assert_true(bs_loader_cut_line(rig.loader, doc->ref, line, line_bytes, &document));
		check_fields(doc, &document);
		assert_true(bs_loader_resolve(rig.loader, doc->ref, &document));
		check_fields(doc, &document);
	}
}

/* Two files and the collection change, a file and a record are removed: changes are summed over
 * both indexes. */
static void test_changes(void **state)
{
	struct rig_doc *first = rig_doc(RIG_FILES "/d001.txt"),
		       *second = rig_doc(RIG_FILES "/sub/e010.md");
	struct rig_doc *gone = rig_doc(RIG_FILES "/d002.txt"), *record = rig_doc("c30"),
		       *gone_record = rig_doc("c31");
	struct rig_doc *stays = rig_doc(RIG_FILES "/d003.txt");
	rig_change_file(first, "paper that was written again");
	rig_change_file(second, "another paper");
	rig_remove_file(gone);
	strcpy(record->fields[1], "another body of the card");
	gone_record->is_deleted = true;
	rig_rewrite_records();
	rig_load();
	expect(stays, BS_LOADED_UNCHANGED);
	expect(first, BS_LOADED_CHANGED);
	expect(second, BS_LOADED_CHANGED);
	expect(gone, BS_LOADED_GONE);
	struct bs_changes of_first = bs_loader_changes(rig.loader);
	assert_int_equal(of_first.n_changed, 2);
	assert_int_equal(of_first.n_gone, 1);
	/* A record is found by its id, wherever it is now. */
	expect(record, BS_LOADED_CHANGED);
	expect(rig_doc("c200"), BS_LOADED_CHANGED);
	expect(gone_record, BS_LOADED_GONE);
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		bool is_unchanged = false;
		if (bs_list_segment(&rig.list, s)->segment)
			ok(bs_loader_is_segment_unchanged(rig.loader, s, &is_unchanged, ERR));
		assert_false(is_unchanged);
	}
	struct bs_changes changes = bs_loader_changes(rig.loader);
	assert_int_equal(changes.n_changed, 3);
	assert_int_equal(changes.n_gone, 1);
	assert_string_equal(changes.example, of_first.example);
	assert_false(bs_loader_agrees(rig.loader, record->ref));
	/* A trusting loader takes every source for unchanged. */
	bs_loader_begin(rig.loader, false, true);
	bool is_unchanged;
	ok(bs_loader_is_unchanged(rig.loader, first->ref, &is_unchanged, ERR));
	assert_true(is_unchanged);
	/* A loader that leaves changed documents to another loader does not look them up. */
	bs_loader_begin(rig.loader, false, false);
	bs_loader_leave_changed(rig.loader);
	struct bs_document document;
	assert_int_not_equal(load(record, &document), BS_LOADED_UNCHANGED);
	assert_int_equal(load(stays, &document), BS_LOADED_UNCHANGED);
}

/* Makes the sources readable or not. Root could read them anyway, so the process becomes another
 * user. */
static void allow_reading(bool may)
{
	static uid_t user;
	if (may)
		assert_int_equal(seteuid(user), 0);
	assert_int_equal(chmod(RIG_FILES, may ? 0700 : 0), 0);
	assert_int_equal(chmod(RIG_RECORDS, may ? 0600 : 0), 0);
	user = may ? user : geteuid();
	if (!may && user == 0)
		assert_int_equal(seteuid(65534), 0);
}

/* Failures are summed over both indexes. A document whose path is now a folder or too large a file
 * counts as gone. */
static void test_failures(void **state)
{
	const struct rig_doc *folder = rig_doc(RIG_FILES "/d004.txt"),
			     *large = rig_doc(RIG_FILES "/d006.txt");
	struct bs_document document;
	rig_load();
	allow_reading(false);
	enum bs_load_state of_file = load(rig_doc(RIG_FILES "/d001.txt"), &document);
	enum bs_load_state of_other = load(rig_doc(RIG_FILES "/d003.txt"), &document),
			   of_record = load(rig_doc("c40"), &document);
	uint64_t n = bs_loader_failures(rig.loader);
	allow_reading(true);
	assert_int_equal(of_file, BS_LOADED_FAILED);
	assert_int_equal(of_other, BS_LOADED_FAILED);
	assert_int_equal(of_record, BS_LOADED_FAILED);
	assert_int_equal(n, 3);
	rig_load();
	expect(rig_doc(RIG_FILES "/d001.txt"), BS_LOADED_UNCHANGED);
	rig_remove_file(folder);
	assert_int_equal(mkdir(folder->id, 0700), 0);
	expect(folder, BS_LOADED_GONE);
	assert_int_equal(truncate(large->id, (off_t)300 << 20), 0);
	expect(large, BS_LOADED_GONE);
	assert_int_equal(bs_loader_failures(rig.loader), 3);
}

static void test_overlay(void **state)
{
	uint32_t n = 0;
	rig_load();
	for (size_t i = 0; i < rig.n_docs; i++) {
		struct bs_document document;
		if (!rig.docs[i].is_overlay)
			continue;
		enum bs_load_state fetched = load(&rig.docs[i], &document);
		assert_true(fetched == BS_LOADED_UNCHANGED || fetched == BS_LOADED_RACY);
		check_fields(&rig.docs[i], &document);
		n++;
	}
	assert_int_equal(n, 2);
}

RUN_UNIT_TESTS(RIG_TEST(test_unchanged, rig_teardown), RIG_TEST(test_expected, rig_teardown),
               RIG_TEST(test_lines, rig_teardown), RIG_TEST(test_changes, rig_teardown),
               RIG_TEST(test_failures, rig_teardown), RIG_TEST_FRESH(test_overlay, rig_teardown))
