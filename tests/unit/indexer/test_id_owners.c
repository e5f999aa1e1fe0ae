/* test_id_owners.c: records whose ids have equal hashes. */
#include "core/base/hash.h"
#include "core/bitsift/index_open.h"
#include "corpus/changes/id_owners.h"
#include "tests/rigs/index_rig.h"

#define ID_BYTES 13

/* Writes the id with number `x`: "c" and twelve hexadecimal digits. */
static void make_id(uint64_t x, char id[ID_BYTES])
{
	id[0] = 'c';
	for (int i = 1; i < ID_BYTES; i++)
		id[i] = "0123456789abcdef"[x >> 4 * (ID_BYTES - 1 - i) & 15];
}

/* The hash bits that a slot of a small collection has. */
static uint64_t step(uint64_t x)
{
	char id[ID_BYTES];
	make_id(x, id);
	return bs_hash_slot(id, ID_BYTES) >> BS_ID_OWNERS_NUMBER_BITS;
}

/* Finds two numbers whose ids have equal hashes: the sequence of hashes of the hashes ends in a
 * cycle, and where the cycle begins, two numbers have the same successor (Floyd). */
static void collide(uint64_t *a, uint64_t *b)
{
	for (uint64_t start = 1;; start++) {
		uint64_t slow = step(start), fast = step(slow);
		while (slow != fast) {
			slow = step(slow);
			fast = step(step(fast));
		}
		for (*a = start, *b = slow; *a != *b;) {
			uint64_t next_a = step(*a), next_b = step(*b);
			if (next_a == next_b)
				return;
			*a = next_a;
			*b = next_b;
		}
	}
}

static void test_equal_hashes(void **state)
{
	uint64_t a, b;
	char ids[2][ID_BYTES], records[512];
	collide(&a, &b);
	make_id(a, ids[0]);
	make_id(b, ids[1]);
	/* "a" is less than "b", so this id and all later ones get slots (id_owners.h). */
	snprintf(records, sizeof(records),
	         "{\"id\":\"b\",\"t\":\"one\"}\n{\"id\":\"a\",\"t\":\"one\"}\n"
	         "{\"id\":\"%.13s\",\"t\":\"one\"}\n{\"id\":\"%.13s\",\"t\":\"one\"}\n"
	         "{\"id\":\"%.13s\",\"t\":\"two\"}\n{\"id\":\"%.13s\",\"t\":\"two\"}\n",
	         ids[0], ids[1], ids[0], ids[1]);
	write_text("c.jsonl", records);
	struct bs_build_request request = {.dir = "index"};
	index_sources(&request, (const char *const[]){"c.jsonl", NULL}, NULL);
	struct bs_index *index;
	struct bs_index_info info;
	ok(bs_index_open("index", &index, ERR));
	bs_index_describe(index, &info);
	assert_int_equal(info.n_docs, 4);
	assert_int_equal(info.n_deleted, 2);
	bs_index_close(index);
}

RUN_FOLDER_TESTS(test_equal_hashes)
