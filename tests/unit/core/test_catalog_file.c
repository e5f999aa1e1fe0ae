/* test_catalog_file.c: which bytes are accepted as the list of indexes of a catalog, and as the
 * list of words of an index. */
#include "core/catalog/catalog_file.h"
#include "tests/rigs/core_rig.h"

/* Two arguments: the bytes of a string and their number. A test of truncation passes a smaller
 * number; there a sanitizer does not detect a read past the end. */
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

#define NUMBERS            \
	"\0\0\0\0"         \
	"\x05\x03\x09\x07" \
	"\x06\x02\x01"
#define ITEM(place)                  \
	place "\x01n" NUMBERS "\0\0" \
	      "\x02"                 \
	      "72"                   \
	      "\x02"                 \
	      "15"

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
	expect_items(BYTES("\x01" ITEM("\x02/a")), BS_OK);
	expect_items(BYTES("\x02" ITEM("\x02/a") ITEM("\x02/b")), BS_OK);
	expect_items(BYTES("\x01" ITEM("\x01"
	                               "a")),
	             BS_CORRUPT);                                 /* not an absolute path */
	expect_items(BYTES("\x01" ITEM("\x03/\0a")), BS_CORRUPT); /* a NUL byte */
	expect_items(BYTES("\x01" ITEM("\0")), BS_CORRUPT);
	expect_items(BYTES("\x02" ITEM("\x02/a")), BS_CORRUPT); /* fewer items than announced */
	/* a byte after the last item */
	expect_items(BYTES("\x01" ITEM("\x02/a") "\0"), BS_CORRUPT);
	/* an unknown flag */
	expect_items(BYTES("\x01\x02/a\x01n"
	                   "\0\0\0\0"
	                   "\x05\x03\x09\x07"
	                   "\x10\x02\x01"
	                   "\0\0\0\0"),
	             BS_CORRUPT);
	/* an unknown version */
	expect_items(BYTES("\x01\x02/a\x01n" NUMBERS "\0\0"
	                   "\x10"
	                   "0123456789abcdef"
	                   "\0"),
	             BS_CORRUPT);
	/* the list is truncated at any byte */
	for (size_t n = 1; n < sizeof("\x01" ITEM("\x02/a")) - 1; n++)
		expect_items((const uint8_t *)"\x01" ITEM("\x02/a"), n, BS_CORRUPT);
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
	expect_words(BYTES("\0\x03"
	                   "cat\x02"
	                   "\x02\x01"
	                   "w\x03"
	                   "\x03\x01"
	                   "n\x01"),
	             BS_OK);
	/* car after cat: not sorted */
	expect_words(BYTES("\0\x03"
	                   "cat\x02"
	                   "\x02\x01"
	                   "r\x03"),
	             BS_CORRUPT);
	expect_words(BYTES("\0\x03"
	                   "cat\x02"
	                   "\0\x03"
	                   "cat\x03"),
	             BS_CORRUPT); /* a word twice */
	expect_words(BYTES("\0\x03"
	                   "cat\x02"
	                   "\x02\0"
	                   "\x03"),
	             BS_CORRUPT); /* ca after cat: not sorted */
	/* the prefix shared with the previous word is longer than that word */
	expect_words(BYTES("\0\x03"
	                   "cat\x02"
	                   "\x04\x01"
	                   "w\x03"),
	             BS_CORRUPT);
	/* a word in no document */
	expect_words(BYTES("\0\x03"
	                   "cat\0"),
	             BS_CORRUPT);
	/* a word in 4 documents, of 3 */
	expect_words(BYTES("\0\x03"
	                   "cat\x04"),
	             BS_CORRUPT);
	expect_words(BYTES("\0\x05"
	                   "cat\x02"),
	             BS_CORRUPT);
	expect_words(BYTES("\0\0\x01"), BS_CORRUPT);
}

RUN_TESTS(test_items, test_words)
