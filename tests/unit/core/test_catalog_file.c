/* test_catalog_file.c: which bytes are accepted as the list of indexes of a catalog, and as the
 * list of words of an index. */
#include "core/catalog/catalog_file.h"
#include "tests/rigs/core_rig.h"

/* Two arguments: the bytes of a string and their number. A test of truncation passes a smaller
 * number; there a sanitizer does not detect a read past the end. */
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

/* Octal escapes of three digits, because letters and digits may follow. */
#define NUMBERS     "\0\0\0\0\005\003\011\007\006\002\001"
#define ITEM(place) place "\001n" NUMBERS "\0\0\00272\00215"

static void expect_items(const uint8_t *bytes, size_t n_bytes, enum bs_status wanted)
{
	struct bs_catalog_file file = {.container = NULL};
	assert_int_equal(bs_catalog_read_items(bytes, n_bytes, &file, ERR), wanted);
	if (!wanted && file.n_items) {
		assert_string_equal(file.items[0].place, "/a");
		assert_string_equal(file.items[0].read.versions.unicode, "15");
		assert_int_equal(file.items[0].n_docs, 3);
		assert_int_equal(file.items[0].flags, 6);
	}
	bs_catalog_file_close(&file);
}

static void test_items(void **state)
{
	expect_items(BYTES("\0"), BS_OK);
	expect_items(BYTES("\001" ITEM("\002/a")), BS_OK);
	expect_items(BYTES("\002" ITEM("\002/a") ITEM("\002/b")), BS_OK);
	expect_items(BYTES("\001" ITEM("\001a")), BS_CORRUPT);    /* not an absolute path */
	expect_items(BYTES("\001" ITEM("\003/\0a")), BS_CORRUPT); /* a NUL byte */
	expect_items(BYTES("\001" ITEM("\0")), BS_CORRUPT);
	expect_items(BYTES("\002" ITEM("\002/a")), BS_CORRUPT); /* fewer items than announced */
	/* a byte after the last item; an unknown flag; an unknown version */
	expect_items(BYTES("\001" ITEM("\002/a") "\0"), BS_CORRUPT);
	expect_items(BYTES("\001\002/a\001n\0\0\0\0\005\003\011\007\020\002\001\0\0\0\0"),
	             BS_CORRUPT);
	expect_items(BYTES("\001\002/a\001n" NUMBERS "\0\0\0200123456789abcdef\0"), BS_CORRUPT);
	/* the list is truncated at any byte */
	for (size_t n = 1; n < sizeof("\001" ITEM("\002/a")) - 1; n++)
		expect_items((const uint8_t *)"\001" ITEM("\002/a"), n, BS_CORRUPT);
}

static void expect_words(const uint8_t *bytes, size_t n_bytes, enum bs_status wanted)
{
	char place[] = "/a";
	struct bs_catalog_item item = {
		.place = place, .n_docs = 3, .words = {.data = bytes, .n_bytes = n_bytes}};
	assert_int_equal(bs_catalog_item_check(&item, ERR), wanted);
}

static void test_words(void **state)
{
	expect_words(BYTES("\0\003cat\002\002\001w\003\003\001n\001"), BS_OK);
	/* car after cat: not sorted */
	expect_words(BYTES("\0\003cat\002\002\001r\003"), BS_CORRUPT);
	expect_words(BYTES("\0\003cat\002\0\003cat\003"), BS_CORRUPT); /* a word twice */
	expect_words(BYTES("\0\003cat\002\002\0\003"), BS_CORRUPT); /* ca after cat: not sorted */
	/* the prefix shared with the previous word is longer than that word */
	expect_words(BYTES("\0\003cat\002\004\001w\003"), BS_CORRUPT);
	expect_words(BYTES("\0\003cat\0"), BS_CORRUPT);   /* a word in no document */
	expect_words(BYTES("\0\003cat\004"), BS_CORRUPT); /* a word in 4 documents, of 3 */
	expect_words(BYTES("\0\005cat\002"), BS_CORRUPT);
	expect_words(BYTES("\0\0\001"), BS_CORRUPT);
}

RUN_TESTS(test_items, test_words)
