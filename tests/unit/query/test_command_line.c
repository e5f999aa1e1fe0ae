/* test_command_line.c: options in the style of GNU programs, sizes and numbers, and the width of
 * --help. */
#include "query/options/command_line.h"
#include "tests/rigs/core_rig.h"

/* Records each option: "memory=64M " and so on. */
struct noted {
	char text[1024];
};

static enum bs_status note(void *to, const struct bs_option *option, const char *argument,
                           struct bs_error *err)
{
	struct noted *noted = to;
	size_t used = strlen(noted->text);
	snprintf(noted->text + used, sizeof(noted->text) - used, "%s%s%s ", option->name,
	         argument ? "=" : "", argument ? argument : "");
	return BS_OK;
}

#define NOTED .kind = BS_OPTION_CALL, .take = note

static const struct bs_option options[] = {
	{0, "memory", "SIZE", "memory to work with [1G]", NOTED},
	{'j', "jobs", "N",
         "threads, as many as there are processors unless told otherwise, which is rarely wise",
         NOTED},
	{'m', "merge", NULL, "merge", NOTED},
	{'q', "quiet", NULL, "say nothing", NOTED},
	{0, "a-very-long-name-of-an-option", "ARGUMENT",
         "an option whose name does not fit its column", NOTED},
	{0},
};

static const char *const examples[] = {
	"bitsift try",
	"the short one",
	"bitsift try --memory 64M one two three four five six",
	"a command longer than its column",
	"bitsift try -q",
	"an explanation that goes on and on and would not end within eighty columns by any means",
	NULL};

static const struct bs_command command = {
	.name = "try",
	.summary = "Try things, many of them, in a sentence that is longer than a line of eighty "
		   "columns can be.",
	.usage = "[--memory SIZE] [-j N] [-m] [-q] [--a-very-long-name-of-an-option ARGUMENT] [--] "
		 "[SOURCE]...",
	.options = options,
	.examples = examples};

/* Parses arguments separated by blanks. Returns the recorded options and the operands, separated by
 * blanks, or the error message. */
static const char *parse(const char *line)
{
	static char words[512];
	static struct noted noted;
	char *argv[64] = {(char *)(uintptr_t) "try"};
	int argc = 1;
	struct bs_operands operands;
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	noted.text[0] = '\0';
	enum bs_status status = bs_command_parse(&command, argc, argv, &noted, &operands, ERR);
	if (status) {
		assert_int_equal(status, BS_INVALID);
		snprintf(noted.text, sizeof(noted.text), "%s", said.text);
		return noted.text;
	}
	for (size_t i = 0; i < operands.n; i++) {
		size_t used = strlen(noted.text);
		snprintf(noted.text + used, sizeof(noted.text) - used, "%s ", operands.list[i]);
	}
	return operands.help ? strcat(noted.text, "help") : noted.text;
}

static void test_options(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"a b", "a b "},
		{"--memory 64M a", "memory=64M a "},
		{"--memory=64M", "memory=64M "},
		{"--memory=", "memory= "},
		{"--memory==", "memory== "},
		{"a -j 4 b -j5 c", "jobs=4 jobs=5 a b c "},
		{"-j=4 -mj==", "jobs=4 merge jobs== "},
		{"-mqj7", "merge quiet jobs=7 "},
		{"-qm --jobs=-1", "quiet merge jobs=-1 "},
		{"-- -q --memory", "-q --memory "},
		{"a -- -q -- b", "a -q -- b "},
		{"-q - -m", "quiet merge - "},
		{"--memory --quiet", "memory=--quiet "},
		{"--memory -- -q", "memory=-- quiet "},
		{"-j -1 -q", "jobs=-1 quiet "},
		{"-h --what", "help"},
		{"-q --help -m", "quiet help"},
		{"-qhx", "quiet help"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(parse(cases[i][0]), cases[i][1]);
}

static void test_wrong_options(void **state)
{
	static const char *const cases[][2] = {
		{"--nothing", "unknown option --nothing; see"},
		{"a --nothing=1 b", "unknown option --nothing; see"},
		{"-x", "unknown option -x"},
		{"-qx", "unknown option -x"},
		{"-1", "unknown option -1"},
		{"--me", "unknown option --me; did you mean --memory?"},
		{"--quite", "unknown option --quite; did you mean --quiet?"},
		{"--quit=5", "unknown option --quit; did you mean --quiet?"},
		{"--no", "unknown option --no; see"},
		{"--memory", "option --memory needs an argument"},
		{"-j", "option -j needs an argument"},
		{"-qj", "option -j needs an argument"},
		{"--quiet=yes", "option --quiet takes no argument"},
		{"--help=me", "option --help takes no argument"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *message = parse(cases[i][0]);
		if (strncmp(message, cases[i][1], strlen(cases[i][1])) != 0)
			fail_msg("%s: %s", cases[i][0], message);
		assert_non_null(strstr(message, "`bitsift try --help`"));
	}
	assert_string_equal(parse("-q a"), "quiet a "); /* earlier results have no effect */
}

/* The effect of each kind of option. */
static void test_kinds(void **state)
{
	static const char *const names[] = {"red", "green", "blue", NULL};
	struct all {
		bool yes, no;
		int choice, count, color;
		const char *string;
		struct bs_word_list list;
		uint64_t number, bytes;
	} all = {.no = true};
	static const struct bs_option kinds[] = {
		{'y', "yes", NULL, "", BS_OPTION_SETS(FLAG, struct all, yes)},
		{'n', "no", NULL, "", BS_OPTION_SETS(UNFLAG, struct all, no)},
		{'1', "one", NULL, "", BS_OPTION_SETS(CHOICE, struct all, choice), .value = 1},
		{'2', "two", NULL, "", BS_OPTION_SETS(CHOICE, struct all, choice), .value = 2},
		{'u', "up", NULL, "", BS_OPTION_SETS(ADD, struct all, count)},
		{'s', "string", "S", "", BS_OPTION_SETS(STRING, struct all, string)},
		{'l', "list", "S", "", BS_OPTION_SETS(LIST, struct all, list)},
		{'N', "number", "N", "", BS_OPTION_SETS(NUMBER, struct all, number), .least = 2,
	         .most = 9},
		{'b', "bytes", "N", "", BS_OPTION_SETS(SIZE, struct all, bytes)},
		{'c', "color", "C", "", BS_OPTION_SETS(NAME, struct all, color), .names = names},
		{'x', "nothing", NULL, "", .kind = BS_OPTION_NOTHING},
		{0},
	};
	static const struct bs_command of_all = {
		.name = "all", .options = kinds, .no_operands = true};
	static const char *const words[] = {"all", "-yn", "-21",  "-uu",  "-sword", "-la",
	                                    "-l",  "b",   "-N=7", "-b2k", "-cblue", "-x"};
	char *argv[COUNT(words)];
	struct bs_operands operands;
	for (size_t i = 0; i < COUNT(words); i++)
		argv[i] = (char *)(uintptr_t)words[i];
	ok(bs_command_parse(&of_all, COUNT(words), argv, &all, &operands, ERR));
	assert_true(all.yes && !all.no && all.choice == 1 && all.count == 2 && all.number == 7 &&
	            all.bytes == 2048 && all.color == 2);
	assert_string_equal(all.string, "word");
	assert_int_equal(all.list.n, 2);
	assert_string_equal(all.list.list[1], "b");
	bs_word_list_deinit(&all.list);
	argv[1] = (char *)(uintptr_t) "-cpink";
	assert_int_equal(bs_command_parse(&of_all, 2, argv, &all, &operands, ERR), BS_INVALID);
	assert_string_equal(said.text, "--color pink: it can be red, green or blue");
	argv[1] = (char *)(uintptr_t) "-N1";
	assert_int_equal(bs_command_parse(&of_all, 2, argv, &all, &operands, ERR), BS_INVALID);
	argv[1] = (char *)(uintptr_t) "word";
	assert_int_equal(bs_command_parse(&of_all, 2, argv, &all, &operands, ERR), BS_INVALID);
}

struct right_size {
	const char *text;
	uint64_t n_bytes;
};

typedef enum bs_status size_parser(const char *option, const char *text, uint64_t *n_bytes_out,
                                   struct bs_error *err);

static void check_sizes(size_parser *parse_size, const struct right_size *right, size_t n_right,
                        const char *const *wrong, size_t n_wrong)
{
	uint64_t n_bytes;
	for (size_t i = 0; i < n_right; i++) {
		ok(parse_size("memory", right[i].text, &n_bytes, ERR));
		assert_int_equal(n_bytes, right[i].n_bytes);
	}
	for (size_t i = 0; i < n_wrong; i++) {
		n_bytes = 7;
		if (parse_size("memory", wrong[i], &n_bytes, ERR) != BS_INVALID)
			fail_msg("\"%s\" is taken for a size", wrong[i]);
		assert_non_null(strstr(said.text, "--memory"));
		assert_int_equal(n_bytes, 7);
	}
}

static void test_sizes(void **state)
{
	static const struct right_size right[] = {
		{"0", 0},
		{"1", 1},
		{"4096", 4096},
		{"64M", 64 << 20},
		{"64m", 64 << 20},
		{"64MB", 64 << 20},
		{"64MiB", 64 << 20},
		{"1.5GiB", UINT64_C(3) << 29},
		{"1.5g", UINT64_C(3) << 29},
		{"2k", 2048},
		{"0.5K", 512},
		{".5k", 512},
		{"1T", UINT64_C(1) << 40},
		{"8000000T", UINT64_C(8000000) << 40},
	};
	static const char *const wrong[] = {"",         "abc",
	                                    "-1",       "-64M",
	                                    "--",       "M",
	                                    "64X",      "64MM",
	                                    "64Mi",     "64MBB",
	                                    "64 M",     " 64M",
	                                    "64M ",     "+64M",
	                                    "1e400",    "inf",
	                                    "nan",      "infinity",
	                                    "0x10",     "0x1p4",
	                                    "9000000T", "99999999999999999999",
	                                    "9e18",     ".",
	                                    "64M\n",    "1,5G",
	                                    "-0",       " -0"};
	check_sizes(bs_parse_size, right, COUNT(right), wrong, COUNT(wrong));
}

static void test_sizes_as_rg(void **state)
{
	static const struct right_size right[] = {{"0", 0},
	                                          {"10", 10},
	                                          {"10K", 10240},
	                                          {"3M", 3u << 20},
	                                          {"1G", 1u << 30},
	                                          {"18446744073709551615", UINT64_MAX},
	                                          {"17179869183G", UINT64_MAX >> 30 << 30}};
	static const char *const wrong[] = {
		"", "K", "1k", "1.5", "1KB", " 1", "-1", "18446744073709551616", "17179869184G"};
	check_sizes(bs_parse_size_as_rg, right, COUNT(right), wrong, COUNT(wrong));
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t least, most;
		bool is_right;
		uint64_t number;
	} cases[] = {
		{"5", 1, 10, true, 5},
		{"1", 1, 10, true, 1},
		{"10", 1, 10, true, 10},
		{"007", 0, 10, true, 7},
		{"0", 0, 0, true, 0},
		{"18446744073709551615", 0, UINT64_MAX, true, UINT64_MAX},
		{"0", 1, 10, false, 0},
		{"11", 1, 10, false, 0},
		{"18446744073709551616", 0, UINT64_MAX, false, 0},
		{"", 0, 10, false, 0},
		{"abc", 0, 10, false, 0},
		{"-1", 0, UINT64_MAX, false, 0},
		{" -1", 0, UINT64_MAX, false, 0},
		{" 5", 0, 10, false, 0},
		{"+5", 0, 10, true, 5},
		{"+-5", 0, 10, false, 0},
		{"5 ", 0, 10, false, 0},
		{"5x", 0, 10, false, 0},
		{"0x5", 0, 10, false, 0},
		{"5.0", 0, 10, false, 0},
		{" -18446744073709551611", 0, 10, false, 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t number = 77;
		enum bs_status status = bs_parse_number("n", cases[i].text, cases[i].least,
		                                        cases[i].most, &number, ERR);
		if (status != (cases[i].is_right ? BS_OK : BS_INVALID))
			fail_msg("\"%s\": %s", cases[i].text, bs_status_name(status));
		assert_true(number == (cases[i].is_right ? cases[i].number : 77));
		assert_true(cases[i].is_right || strstr(said.text, "-n"));
	}
}

static void test_formats(void **state)
{
	static const struct {
		uint64_t n;
		const char *bytes, *count;
	} cases[] = {
		{0, "0 B", "0"},
		{812, "812 B", "812"},
		{999, "999 B", "999"},
		{1000, "1000 B", "1,000"},
		{1023, "1023 B", "1,023"},
		{1024, "1.00 KiB", "1,024"},
		{10234, "9.99 KiB", "10,234"},
		{10239, "10.0 KiB", "10,239"},
		{65741, "64.2 KiB", "65,741"},
		{1048575, "1.00 MiB", "1,048,575"},
		{1406601052, "1.31 GiB", "1,406,601,052"},
		{UINT64_MAX, "16777216.0 TiB", "18,446,744,073,709,551,615"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char bytes[24], count[32];
		bs_format_bytes(cases[i].n, bytes);
		bs_format_count(cases[i].n, count);
		assert_string_equal(bytes, cases[i].bytes);
		assert_string_equal(count, cases[i].count);
	}
}

static void test_help(void **state)
{
	char *help = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&help, &n_bytes);
	bs_command_help(&command, out);
	fclose(out);
	assert_int_equal(strncmp(help, "Usage: bitsift try [--memory SIZE]", 34), 0);
	for (size_t i = 0; options[i].name; i++)
		assert_non_null(strstr(help, options[i].name));
	for (size_t i = 0; examples[i]; i += 2)
		assert_non_null(strstr(help, examples[i]));
	assert_non_null(strstr(help, "-h, --help"));
	assert_non_null(strstr(help, "by any means"));
	assert_int_equal(help[strlen(help) - 1], '\n');
	for (char *line = help; *line; line += strcspn(line, "\n") + 1) {
		size_t n = strcspn(line, "\n");
		if (n > 80)
			fail_msg("%zu columns: %.*s", n, (int)n, line);
	}
	free(help);
	/* A command without examples and without options of its own. */
	static const struct bs_option none[] = {{0}};
	struct bs_command bare = {
		.name = "bare", .summary = "Nothing.", .usage = "", .options = none};
	out = open_memstream(&help, &n_bytes);
	bs_command_help(&bare, out);
	fclose(out);
	free(help);
}

RUN_TESTS(test_options, test_wrong_options, test_kinds, test_sizes, test_sizes_as_rg, test_numbers,
          test_formats, test_help)
