/* test_container.c: index files are read as they were written, and damage is detected. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/file/container.h"
#include "tests/rigs/core_rig.h"

/* ---- integers ---- */

static void test_varints(void **state)
{
	uint64_t random = 5;
	uint8_t bytes[BS_VARINT_MAX_BYTES + 1];
	for (int i = 0; i < 100000; i++) {
		uint64_t value = i < 64    ? UINT64_MAX >> i
		                 : i < 128 ? UINT64_C(1) << (i - 64)
		                           : next_random(&random) >> random_below(&random, 64);
		uint64_t got = 0;
		size_t n = bs_varint_put(bytes, value);
		assert_in_range(n, 1, BS_VARINT_MAX_BYTES);
		assert_ptr_equal(bs_varint_get(bytes, bytes + sizeof(bytes), &got), bytes + n);
		assert_true(got == value);
		for (size_t cut = 0; cut < n; cut++)
			assert_null(bs_varint_get(bytes, bytes + cut, &got));
	}
	/* 2^64 - 1 is the largest value; neither one more bit nor an eleventh byte is accepted. */
	uint64_t got = 7;
	memset(bytes, 0xff, sizeof(bytes));
	bytes[9] = 0x01;
	assert_non_null(bs_varint_get(bytes, bytes + 10, &got));
	assert_true(got == UINT64_MAX);
	bytes[9] = 0x02;
	assert_null(bs_varint_get(bytes, bytes + 10, &got));
	bytes[9] = 0x81;
	bytes[10] = 0x00;
	assert_null(bs_varint_get(bytes, bytes + 11, &got));
}

/* ---- round trips ---- */

struct part {
	uint32_t id, instance;
	size_t n_bytes;
	uint8_t *bytes;
};

static void part_fill(struct part *part, uint64_t *random)
{
	part->bytes = must_malloc(part->n_bytes + 1);
	fill_random(part->bytes, part->n_bytes, random);
}

static void write_parts(const char *path, const struct part *parts, size_t n_parts,
                        uint64_t *random)
{
	uint64_t file_bytes = 0;
	struct bs_file_writer *writer = new_file(path);
	for (size_t i = 0; i < n_parts; i++) {
		bs_file_writer_section(writer, parts[i].id, parts[i].instance);
		for (size_t at = 0; at < parts[i].n_bytes;) {
			size_t n = 1 + random_below(random, random_below(random, 10) ? 300 : 20000);
			n = n < parts[i].n_bytes - at ? n : parts[i].n_bytes - at;
			bs_file_writer_bytes(writer, parts[i].bytes + at, n);
			at += n;
			assert_int_equal(bs_file_writer_section_bytes(writer), at);
		}
		bs_file_writer_bytes(writer, NULL, 0);
	}
	ok(bs_file_writer_finish(writer, &file_bytes, ERR));
	struct stat info;
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, file_bytes);
}

static void check_parts(const struct bs_container *file, const struct part *parts, size_t n_parts)
{
	assert_int_equal(bs_container_n_sections(file), n_parts);
	for (size_t i = 0; i < n_parts; i++) {
		struct bs_section section =
			bs_container_section(file, parts[i].id, parts[i].instance);
		assert_int_equal(section.n_bytes, parts[i].n_bytes);
		assert_int_equal((uintptr_t)section.data % 64, 0);
		ok(bs_section_touch(&section, 0, section.n_bytes, ERR));
		if (section.n_bytes)
			assert_memory_equal(section.data, parts[i].bytes, section.n_bytes);
		uint32_t instance;
		struct bs_section same = bs_container_section_at(file, i, &instance);
		assert_int_equal(same.id, parts[i].id);
		assert_int_equal(instance, parts[i].instance);
		assert_ptr_equal(same.data, section.data);
		assert_int_equal(same.n_bytes, section.n_bytes);
	}
}

static void test_round_trips(void **state)
{
	static const size_t edges[] = {0,    1,    63,   64,          65,     4095,
	                               4096, 4097, 8192, 262144 - 64, 262144, 300000};
	struct part parts[COUNT(edges)];
	uint64_t random = 21;
	for (int round = 0; round < 40; round++) {
		size_t n_parts = round == 0   ? 0
		                 : round == 1 ? COUNT(edges)
		                              : random_below(&random, COUNT(edges) + 1);
		for (size_t i = 0; i < n_parts; i++) {
			size_t n =
				round == 1 ? edges[i] : edges[random_below(&random, COUNT(edges))];
			/* Sections with random ids, which may be equal, and descending
			 * instances. */
			parts[i] = (struct part){.id = (uint32_t)random_below(&random, 4),
			                         .instance = (uint32_t)(n_parts - i),
			                         .n_bytes = n};
			part_fill(&parts[i], &random);
		}
		write_parts("file", parts, n_parts, &random);
		/* Equal bytes, written in other pieces, give an equal file. */
		AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, again = {0};
		write_parts("again", parts, n_parts, &random);
		read_bytes("file", &bytes);
		read_bytes("again", &again);
		assert_buffers_equal(&bytes, &again);
		assert_int_equal(unlink("again"), 0);
		struct bs_container *file = open_file("file");
		check_parts(file, parts, n_parts);
		assert_string_equal(bs_container_path(file), "./file");
		assert_int_equal(bs_container_bytes(file), bytes.used_bytes);
		/* A missing section is empty; touching zero bytes of it succeeds. */
		struct bs_section missing = bs_container_section(file, 2, 77);
		assert_int_equal(missing.n_bytes, 0);
		assert_non_null(missing.data);
		ok(bs_section_touch(&missing, 0, 0, ERR));
		expect_status(bs_section_touch(&missing, 0, 1, ERR), BS_CORRUPT);
		bs_container_close(file);
		for (size_t i = 0; i < n_parts; i++)
			free(parts[i].bytes);
		assert_int_equal(unlink("file"), 0);
	}
	bs_container_close(NULL);
}

static void test_written_integers(void **state)
{
	struct bs_file_writer *writer = new_file("file");
	bs_file_writer_section(writer, 1, 0);
	bs_file_writer_u32(writer, UINT32_C(0x01020304));
	bs_file_writer_u64(writer, UINT64_C(0x05060708090a0b0c));
	bs_file_writer_varint(writer, 300);
	bs_file_writer_varint(writer, UINT64_MAX);
	assert_int_equal(bs_file_writer_section_bytes(writer), 4 + 8 + 2 + 10);
	finish_file(writer);
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	struct bs_section section = bs_container_section(file, 1, 0);
	ok(bs_section_touch(&section, 0, section.n_bytes, ERR));
	assert_memory_equal(
		section.data,
		"\4\3\2\1\xc\xb\xa\x9\x8\x7\x6\x5\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		24);
}

/* Writes a file with the part, damages the third page of its section, and opens the file. */
static struct bs_container *open_damaged(struct part *part, struct bs_section *section)
{
	uint64_t random = 4;
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	part_fill(part, &random);
	write_parts("file", part, 1, &random);
	read_bytes("file", &bytes);
	bytes.data[64 + 2 * BS_PAGE_BYTES + 100] ^= 1;
	write_bytes("file", bytes.data, bytes.used_bytes);
	struct bs_container *file = open_file("file");
	*section = bs_container_section(file, part->id, 0);
	return file;
}

static void test_touch_ranges(void **state)
{
	struct part part = {.id = 1, .n_bytes = 3 * BS_PAGE_BYTES + 10};
	struct bs_section section;
	/* The damage is detected each time the page is touched, and not before. */
	AUTO(bs_container_close_at) struct bs_container *file = open_damaged(&part, &section);
	for (int again = 0; again < 2; again++) {
		ok(bs_section_touch(&section, 0, 2 * BS_PAGE_BYTES, ERR));
		ok(bs_section_touch(&section, 3 * BS_PAGE_BYTES, 10, ERR));
		ok(bs_section_touch(&section, section.n_bytes, 0, ERR));
		expect_error(bs_section_touch(&section, 2 * BS_PAGE_BYTES, 1, ERR), BS_CORRUPT,
		             "file: corrupt: ");
		expect_status(bs_section_touch(&section, 2 * BS_PAGE_BYTES - 1, 2, ERR),
		              BS_CORRUPT);
		expect_status(bs_section_touch(&section, 0, section.n_bytes, ERR), BS_CORRUPT);
	}
	expect_status(bs_section_touch(&section, 0, section.n_bytes + 1, ERR), BS_CORRUPT);
	expect_status(bs_section_touch(&section, section.n_bytes + 1, 0, ERR), BS_CORRUPT);
	expect_status(bs_section_touch(&section, section.n_bytes, 1, ERR), BS_CORRUPT);
	expect_status(bs_section_touch(&section, 10, UINT64_MAX - 5, ERR), BS_CORRUPT);
	expect_status(bs_section_touch(&section, UINT64_MAX, 2, ERR), BS_CORRUPT);
	free(part.bytes);
}

static void test_read_ranges(void **state)
{
	struct part part = {.id = 1, .n_bytes = 4 * BS_PAGE_BYTES + 10};
	uint8_t room[BS_SECTION_ROOM(512)];
	const uint8_t *read;
	struct bs_section section;
	AUTO(bs_container_close_at) struct bs_container *file = open_damaged(&part, &section);
	/* The first read copies the bytes, also if they are in two pages or at the end of the
	 * section; later reads return the mapped bytes. */
	const uint64_t offs[] = {BS_PAGE_BYTES - 500, 4 * BS_PAGE_BYTES - 501};
	for (int i = 0; i < 2; i++) {
		ok(bs_section_read(&section, offs[i], 511, room, &read, ERR));
		assert_true(read >= room && read + 511 <= room + sizeof(room));
		assert_memory_equal(read, part.bytes + offs[i], 511);
		ok(bs_section_read(&section, offs[i], 511, room, &read, ERR));
		assert_ptr_equal(read, section.data + offs[i]);
	}
	for (int again = 0; again < 2; again++) {
		expect_status(
			bs_section_read(&section, 2 * BS_PAGE_BYTES + 512, 512, room, &read, ERR),
			BS_CORRUPT);
		expect_status(bs_section_read(&section, 2 * BS_PAGE_BYTES - 1, 2, room, &read, ERR),
		              BS_CORRUPT);
	}
	ok(bs_section_read(&section, section.n_bytes, 0, room, &read, ERR));
	expect_status(bs_section_read(&section, section.n_bytes, 1, room, &read, ERR), BS_CORRUPT);
	expect_status(bs_section_read(&section, UINT64_MAX, 2, room, &read, ERR), BS_CORRUPT);
	free(part.bytes);
}

static const struct part small_parts[] = {
	{.id = 1, .n_bytes = 100},
	{.id = 2, .n_bytes = 0},
	{.id = 3, .n_bytes = 1},
	{.id = 3, .instance = 1, .n_bytes = 4100},
};

struct small {
	struct part parts[COUNT(small_parts)];
	struct bs_buffer bytes;
};

static struct small make_small(void)
{
	uint64_t random = 6;
	struct small small = {.bytes = {0}};
	for (size_t i = 0; i < COUNT(small_parts); i++) {
		small.parts[i] = small_parts[i];
		part_fill(&small.parts[i], &random);
	}
	write_parts("small", small.parts, COUNT(small_parts), &random);
	read_bytes("small", &small.bytes);
	return small;
}

static void small_deinit(struct small *small)
{
	for (size_t i = 0; i < COUNT(small_parts); i++)
		free(small->parts[i].bytes);
	bs_buffer_deinit(&small->bytes);
}

static enum bs_status open_as(const char *path, enum bs_container_kind kind,
                              struct bs_container **file)
{
	return bs_container_open(dir_at("."), path, kind, file, ERR);
}

/* True if opening the file or touching a section failed or, with `thoroughly`, if checking the
 * bytes between the sections failed. */
static bool is_damage_seen(const struct small *small, bool thoroughly)
{
	AUTO(bs_container_close_at) struct bs_container *file = NULL;
	enum bs_status status = open_as("small", BS_FILE_SEGMENT, &file);
	if (status) {
		expect_status(status, BS_CORRUPT);
		assert_null(file);
		return true;
	}
	bool is_seen = false;
	for (size_t i = 0; i < COUNT(small->parts); i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(file, i, &instance);
		status = bs_section_touch(&section, 0, section.n_bytes, ERR);
		if (status)
			expect_status(status, BS_CORRUPT);
		is_seen |= status != BS_OK;
	}
	if (!is_seen)
		check_parts(file, small->parts, COUNT(small->parts));
	if (!is_seen && thoroughly) {
		status = bs_container_check_layout(file, ERR);
		if (status)
			expect_status(status, BS_CORRUPT);
		is_seen = status != BS_OK;
	}
	return is_seen;
}

/* Flips a bit of each byte. Touching all sections detects all changes except those of padding,
 * which leave the contents unchanged; the thorough check detects all. */
static void test_flipped_bytes(void **state)
{
	AUTO(small_deinit) struct small small = make_small();
	struct bs_buffer bytes = small.bytes;
	size_t n_unseen = 0;
	int fd = open("small", O_RDWR);
	assert_true(fd >= 0);
	for (size_t i = 0; i < bytes.used_bytes; i++) {
		uint8_t flipped = bytes.data[i] ^ (uint8_t)(1 << (i % 8));
		assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
		n_unseen += !is_damage_seen(&small, false);
		assert_true(is_damage_seen(&small, true));
		assert_int_equal(pwrite(fd, &bytes.data[i], 1, (off_t)i), 1);
	}
	close(fd);
	assert_false(is_damage_seen(&small, true));
	/* padding after sections of 100, 1 and 4100 bytes */
	assert_int_equal(n_unseen, 28 + 63 + 60);
}

static void test_wrong_lengths(void **state)
{
	AUTO(small_deinit) struct small small = make_small();
	struct bs_buffer bytes = small.bytes;
	for (size_t n = bytes.used_bytes; n-- > 0;) {
		struct bs_container *file;
		assert_int_equal(truncate("small", (off_t)n), 0);
		expect_status(open_as("small", BS_FILE_SEGMENT, &file), BS_CORRUPT);
		assert_null(file);
	}
	write_bytes("small", bytes.data, bytes.used_bytes);
	assert_false(is_damage_seen(&small, false));
	for (size_t more = 1; more < 5000; more = more * 5) {
		assert_int_equal(truncate("small", (off_t)(bytes.used_bytes + more)), 0);
		assert_true(is_damage_seen(&small, false));
	}
}

static void test_wrong_files(void **state)
{
	struct bs_container *file;
	expect_error(open_as("nothing", BS_FILE_SEGMENT, &file), BS_NOT_FOUND, "nothing");
	assert_null(file);
	assert_int_equal(mkdir("folder", 0700), 0);
	expect_status(open_as("folder", BS_FILE_SEGMENT, &file), BS_CORRUPT);
	AUTO(small_deinit) struct small small = make_small();
	struct bs_buffer bytes = small.bytes;
	expect_status(open_as("small/below", BS_FILE_SEGMENT, &file), BS_IO);
	expect_status(open_as("small", BS_FILE_MANIFEST, &file), BS_CORRUPT);
	expect_status(open_as("small", BS_FILE_TOMBSTONES, &file), BS_CORRUPT);
	for (uint32_t version = 0; version <= 5; version++) {
		bs_store_u32(bytes.data + 8, version);
		write_resealed("small", &bytes);
		enum bs_status status = open_as("small", BS_FILE_SEGMENT, &file);
		if (version == BS_FORMAT_VERSION)
			ok(status);
		else
			expect_status(status, BS_UNSUPPORTED);
		bs_container_close(file);
	}
	bs_store_u32(bytes.data + 8, BS_FORMAT_VERSION);
	/* Unsupported features are reported by name, or by number if they have no name. */
	static const char *const features[11] = {
		[0] = "it has numeric columns,", [2] = "it has summaries,"};
	for (uint32_t bit = 0; bit < 32; bit++) {
		char number[32];
		if (bit < COUNT(features) && !features[bit])
			continue;
		snprintf(number, sizeof(number), "it has feature %u,", bit);
		bs_store_u32(bytes.data + 36, UINT32_C(1) << bit | UINT32_C(1) << 31);
		write_resealed("small", &bytes);
		expect_error(open_as("small", BS_FILE_SEGMENT, &file), BS_UNSUPPORTED,
		             bit < COUNT(features) ? features[bit] : number);
	}
	uint64_t random = 9;
	for (int i = 0; i < 500; i++) {
		fill_random(bytes.data, bytes.used_bytes, &random);
		if (i % 2)
			memcpy(bytes.data, "BITSIFT\n", 8);
		write_bytes("small", bytes.data, random_below(&random, bytes.used_bytes));
		assert_true(is_damage_seen(&small, false));
	}
}

/* Invalid section tables with valid checksums are refused, or reading the sections is harmless. */
static void test_lying_tables(void **state)
{
	AUTO(small_deinit) struct small small = make_small();
	AUTO(bs_buffer_deinit) struct bs_buffer changed = {0};
	struct bs_buffer bytes = small.bytes;
	size_t table_off = (size_t)bs_load_u64(bytes.data + 24);
	static const struct {
		size_t entry, off;
		uint64_t value;
	} lies[] = {
		{0, 8, 0},
		{0, 8, 63},
		{0, 8, 65},
		{0, 8, UINT64_MAX & ~UINT64_C(63)},
		{0, 16, 4097},
		{0, 16, UINT64_MAX},
		{0, 16, UINT64_MAX - 64},
		{0, 16, 1 << 20},
		{0, 24, 1},
		{1, 24, 0},
		{1, 24, UINT64_MAX},
		{3, 8, 64},
		{3, 16, 4096},
		{3, 16, 8193},
		{2, 16, 0},
		{2, 16, 65},
		{0, 16, 129},
	};
	for (size_t i = 0; i < COUNT(lies); i++) {
		copy_bytes(&changed, &bytes);
		bs_store_u64(changed.data + table_off + lies[i].entry * 32 + lies[i].off,
		             lies[i].value);
		write_resealed("small", &changed);
		assert_true(is_damage_seen(&small, false));
	}
	static const struct {
		size_t off;
		uint64_t value;
	} heads[] = {{16, 0},  {16, UINT64_MAX}, {24, 0},
	             {24, 63}, {24, UINT64_MAX}, {24, UINT64_MAX - 31},
	             {32, 3},  {32, 5},          {32, UINT32_MAX},
	             {40, 0}};
	for (size_t i = 0; i < COUNT(heads); i++) {
		copy_bytes(&changed, &bytes);
		if (heads[i].off == 32)
			bs_store_u32(changed.data + 32, (uint32_t)heads[i].value);
		else
			bs_store_u64(changed.data + heads[i].off, heads[i].value);
		bs_store_u64(changed.data + 56, bs_checksum(changed.data, 56));
		write_bytes("small", changed.data, changed.used_bytes);
		assert_true(is_damage_seen(&small, false));
	}
}

/* ---- writers that fail ---- */

static void test_cannot_create(void **state)
{
	struct bs_file_writer *writer;
	struct bs_buffer bytes = {0};
	write_text("here", "somebody's");
	expect_error(bs_file_writer_open(dir_at("."), "here", BS_FILE_SEGMENT, &writer, ERR), BS_IO,
	             "here");
	assert_null(writer);
	expect_status(bs_file_writer_open(dir_at("."), "no/folder", BS_FILE_SEGMENT, &writer, ERR),
	              BS_IO);
	read_bytes("here", &bytes);
	assert_int_equal(bytes.used_bytes, 10);
	bs_buffer_deinit(&bytes);
	writer = new_file("given up");
	bs_file_writer_section(writer, 1, 0);
	bs_file_writer_u32(writer, 1);
	assert_true(file_exists("given up"));
	bs_file_writer_abort(writer);
	assert_false(file_exists("given up"));
	bs_file_writer_abort(NULL);
}

/* The disk becomes full after `room` bytes: 0, 1, 2 ... 400, then larger numbers. */
static void test_full_disk(void **state)
{
	static uint8_t bytes[600000];
	memset(bytes, 0x5a, sizeof(bytes));
	for (uint64_t room = 0;; room = room < 400 ? room + 1 : room * 3 / 2) {
		struct bs_file_writer *writer = new_file("file");
		limit_file_bytes(room);
		for (uint32_t i = 0; i < 4; i++) {
			/* Calls after the failure do nothing. */
			bs_file_writer_section(writer, i, 0);
			bs_file_writer_bytes(writer, bytes, room < 400 ? 60 : sizeof(bytes) / 4);
			bs_file_writer_u64(writer, i);
		}
		uint64_t file_bytes = 42;
		enum bs_status status = bs_file_writer_finish(writer, &file_bytes, ERR);
		limit_file_bytes(UINT64_MAX);
		if (status == BS_OK) {
			assert_true(file_bytes <= room);
			bs_container_close(open_file("file"));
			assert_int_equal(unlink("file"), 0);
			if (room > 400)
				break;
			continue;
		}
		expect_error(status, BS_IO, "file");
		assert_int_equal(file_bytes, 42);
		assert_non_null(strstr(said.text, strerror(EFBIG)));
		assert_false(file_exists("file"));
	}
	/* Aborting after a failure removes the file. */
	struct bs_file_writer *writer = new_file("file");
	limit_file_bytes(1000);
	bs_file_writer_section(writer, 0, 0);
	bs_file_writer_bytes(writer, bytes, sizeof(bytes));
	limit_file_bytes(UINT64_MAX);
	bs_file_writer_abort(writer);
	assert_false(file_exists("file"));
}

RUN_FOLDER_TESTS(test_varints, test_round_trips, test_written_integers, test_touch_ranges,
                 test_flipped_bytes, test_wrong_lengths, test_wrong_files, test_lying_tables,
                 test_cannot_create, test_full_disk, test_read_ranges)
