/*
 * test_format.c: core/FORMAT-example.md is byte by byte what the indexer writes, and the sections
 * in core/FORMAT.md are those of core/file/segment_sections.h.
 *
 * In the example, lines with bytes begin with an offset of four hexadecimal digits; then come bytes
 * and an optional comment after a semicolon. "*" represents zeros up to the next offset.
 */
#include <ctype.h>

#include "core/bitsift/index.h"
#include "core/check/check.h"
#include "tests/rigs/index_rig.h"

static const char collection[] = "{\"id\":\"a\",\"text\":\"Bits sift\"}\n"
				 "{\"id\":\"b\",\"text\":\"bits and bits\"}\n"
				 "{\"id\":\"c\",\"text\":\"\xe6\x9d\xb1\xe4\xba\xac\"}\n";

/* Treatments and density are fixed, so that the example does not change with the indexer's
 * policy. */
static void make_example(void)
{
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	policy.is_forced = true;
	policy.force[0] = 1;
	policy.force[1] = 1;
	policy.force[2] = 0;
	policy.use_false_positives = false;
	policy.exact_share = 1.5 / 512;
	policy.density = 0.6;
	struct bs_build_tuning tuning = {.policy = &policy, .forward_mode = BS_FORWARD_NEVER};
	struct bs_build_request request = {
		.dir = "index", .index.words = true, .write.n_threads = 1, .tuning = &tuning};
	write_text("example.jsonl", collection);
	index_sources(&request, (const char *const[]){"example.jsonl", NULL}, NULL);
}

/* ---- reading the example ---- */

static bool is_example_line(const char *line)
{
	for (int i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)line[i]))
			return false;
	return line[4] == ' ' && line[5] == ' ';
}

static void fill_to(struct bs_buffer *bytes, size_t n_bytes)
{
	static const uint8_t zero[1];
	while (bytes->used_bytes < n_bytes)
		append_bytes(bytes, zero, 1);
}

static void take_line(const char *line, unsigned number, bool after_star, struct bs_buffer *bytes)
{
	char *at;
	size_t offset = strtoul(line, &at, 16);
	if (after_star)
		fill_to(bytes, offset);
	if (offset != bytes->used_bytes)
		fail_msg("FORMAT-example.md:%u: offset %04zx where %04zx is next", number, offset,
		         bytes->used_bytes);
	for (;;) {
		at += strspn(at, " ");
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
			return;
		char pair[3] = {at[0], at[1], '\0'};
		uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
		append_bytes(bytes, &byte, 1);
		at += 2;
	}
}

static void read_example(struct bs_buffer *bytes)
{
	char line[512];
	bool after_star = false;
	unsigned number = 0;
	FILE *file = must_fopen(FORMAT_EXAMPLE_MD, "r");
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (is_example_line(line)) {
			take_line(line, number, after_star, bytes);
			after_star = false;
		} else if (strcmp(line, "*\n") == 0) {
			after_star = true;
		}
	}
	fclose(file);
}

static void test_example(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer written = {0}, told = {0};
	struct bs_check_sums sum;
	make_example();
	ok(bs_check_dir(dir_at("index"), NULL, &sum, ERR));
	FREED char *path = index_file("seg", 0);
	read_bytes(path, &written);
	read_example(&told);
	for (size_t at = 0; at < written.used_bytes || at < told.used_bytes; at++) {
		if (at < written.used_bytes && at < told.used_bytes &&
		    written.data[at] == told.data[at])
			continue;
		for (size_t i = at / 16 * 16; i < written.used_bytes; i++) {
			if (i % 16)
				printf(" %02x", written.data[i]);
			else
				printf("\n%04zx  %02x", i, written.data[i]);
		}
		printf("\n");
		fail_msg("FORMAT-example.md differs from byte %04zx on; above is what it must be",
		         at);
	}
}

/* ---- the sections ---- */

#define MAX_SECTIONS 80u

/* sections.names[n]: the name of section n, or "" */
struct sections {
	char names[MAX_SECTIONS][64];
};

static void note_section(struct sections *sections, unsigned long id, const char *name)
{
	if (id >= MAX_SECTIONS || sections->names[id][0])
		fail_msg("section %lu, %s, is impossible or has two names", id, name);
	snprintf(sections->names[id], sizeof(sections->names[id]), "%s", name);
}

/* Reads the lines "BS_SECTION_NAME = NUMBER," of the enum. */
static void read_header(struct sections *sections)
{
	char line[512], name[64];
	unsigned long id;
	bool is_enum = false;
	FILE *file = must_fopen(SEGMENT_SECTIONS_H, "r");
	while (fgets(line, sizeof(line), file)) {
		is_enum |= strncmp(line, "enum", 4) == 0;
		if (is_enum && sscanf(line, " BS_SECTION_%63[A-Z_] = %lu", name, &id) == 2)
			note_section(sections, id, name);
	}
	fclose(file);
}

/* Reads "6 (why), 12, 13 and 52 (why), 43 to 49 (why)": numbers outside parentheses; "to" is a
 * range. */
static void read_reserved(const char *text, struct sections *reserved)
{
	unsigned long last = 0;
	bool is_range = false;
	for (unsigned depth = 0; *text && *text != '.'; text++) {
		depth += *text == '(';
		depth -= *text == ')';
		is_range |= depth == 0 && strncmp(text, " to ", 4) == 0;
		if (depth || !isdigit((unsigned char)*text) || isdigit((unsigned char)text[-1]))
			continue;
		unsigned long id = strtoul(text, NULL, 10);
		for (unsigned long i = is_range ? last + 1 : id; i <= id; i++)
			note_section(reserved, i, "reserved");
		last = id;
		is_range = false;
	}
}

/* Reads the rows "| NUMBER | NAME | INSTANCE |" under the heading "A segment", and the paragraph
 * that begins with "Reserved for later". */
static void read_page(struct sections *sections, struct sections *reserved)
{
	char line[1024], name[64], paragraph[2048] = "";
	unsigned long id;
	bool is_segment = false, is_reserved = false;
	FILE *file = must_fopen(FORMAT_MD, "r");
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			is_segment = strcmp(line, "## A segment\n") == 0;
		is_reserved = line[0] != '\n' &&
		              (is_reserved || strncmp(line, "Reserved for later:", 19) == 0);
		if (is_segment && sscanf(line, "| %lu | %63[A-Z_] |", &id, name) == 2)
			note_section(sections, id, name);
		if (is_reserved) {
			line[strcspn(line, "\n")] = ' ';
			strncat(paragraph, line, sizeof(paragraph) - strlen(paragraph) - 1);
		}
	}
	fclose(file);
	assert_true(paragraph[0]);
	read_reserved(paragraph, reserved);
}

static void test_sections(void **state)
{
	struct sections code = {0}, page = {0}, reserved = {0};
	unsigned n = 0;
	read_header(&code);
	read_page(&page, &reserved);
	for (unsigned id = 0; id < MAX_SECTIONS; id++) {
		if (strcmp(code.names[id], page.names[id]) != 0)
			fail_msg("section %u is \"%s\" in segment_sections.h and \"%s\" in "
			         "FORMAT.md",
			         id, code.names[id], page.names[id]);
		if (code.names[id][0] && reserved.names[id][0])
			fail_msg("FORMAT.md has section %u, %s, among the reserved ones", id,
			         code.names[id]);
		n += code.names[id][0] != '\0';
	}
	assert_true(n > 30);
}

RUN_FOLDER_TESTS(test_example, test_sections)
