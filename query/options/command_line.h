/* command_line.h: the table of a command's options, which its parser, --help, man page and shell
 * completions share; and functions that parse and format values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/bitsift/status.h"

struct bs_consent;

/* What an option does to a field of the command's struct of arguments; `offset` is the place of the
 * field. */
enum bs_option_kind {
	BS_OPTION_NOTHING, /* Accepted for scripts, without effect. */
	BS_OPTION_FLAG,    /* bool = true. */
	BS_OPTION_UNFLAG,  /* bool = false. */
	/* int, or enum, = value. Of several options for the same field, the last one counts. */
	BS_OPTION_CHOICE,
	BS_OPTION_ADD, /* int += 1. */
	/* const char * = the argument, borrowed from argv; "" if the argument is optional and not
	 * given. */
	BS_OPTION_STRING,
	/* const char * = the argument, borrowed from argv; an error if the option is given
	 * twice. */
	BS_OPTION_ONCE,
	/* struct bs_word_list: appends the argument, borrowed from argv. bs_command_release frees
	 * the list. */
	BS_OPTION_LIST,
	BS_OPTION_NUMBER,     /* uint64_t = a whole number in least..most. */
	BS_OPTION_SIZE,       /* uint64_t = bytes in least..most, parsed by bs_parse_size. */
	BS_OPTION_SIZE_AS_RG, /* uint64_t = bytes, parsed by bs_parse_size_as_rg. */
	BS_OPTION_DURATION,   /* uint64_t = nanoseconds, parsed by bs_parse_duration. */
	BS_OPTION_NAME,       /* int = the index of the argument in names. */
	BS_OPTION_CALL,       /* Calls take(arguments, option, argument). */
};

struct bs_option {
	char short_name; /* The option's letter, such as 'j'; 0: none. */
	/* The long name without dashes, such as "memory"; NULL ends the list. */
	const char *name;
	/* The argument's placeholder, such as "SIZE"; NULL: the option takes no argument. */
	const char *argument;
	const char *help; /* The help text: one line, in lower case, without a full stop. */
	enum bs_option_kind kind;
	size_t offset;
	/* The argument is optional and must follow an =. Without it, a NUMBER becomes value. */
	bool is_optional;
	int value; /* The value that a CHOICE sets; a CALL may use it. */
	/* Limits of a NUMBER or SIZE. most 0: a SIZE has no limits, a NUMBER no upper limit. */
	uint64_t least, most;
	const char *const *names; /* The valid arguments of a NAME; NULL-terminated. */
	/* The function of a CALL; argument is NULL if the option takes none. The message of
	 * BS_INVALID should name the option. */
	enum bs_status (*take)(void *arguments, const struct bs_option *option,
	                       const char *argument, struct bs_error *err);
};

/* Words in the order of their arrival, NULL-terminated; list is NULL before the first word.
 * Zero-initialise. */
struct bs_word_list {
	const char **list;
	size_t n;
};

/* Appends a word, which is borrowed. BS_NO_MEMORY. */
enum bs_status bs_word_list_add(struct bs_word_list *words, const char *word,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_word_list_deinit(struct bs_word_list *words);

/* In a row of the table: the kind and the field, as in BS_OPTION_SETS(FLAG, struct my_arguments,
 * wait). */
#define BS_OPTION_SETS(of_kind, type, field) \
	.kind = BS_OPTION_##of_kind, .offset = offsetof(type, field)

/* The operands: the arguments that are not options. */
struct bs_operands {
	char **list; /* Points into argv, whose order may have changed. */
	size_t n;
	bool help; /* --help was given; the arguments after it were not read. */
};

struct bs_command {
	const char *name;    /* The name of the command, such as "index". */
	const char *summary; /* One line that tells what the command does. */
	const char *usage;   /* The rest of the usage line, after "bitsift index ". */
	const struct bs_option *options;
	/* The number of options that --help shows, which must fit a screen; 0: all. */
	size_t n_in_help;
	/* Command, explanation, command, explanation, ..., NULL. */
	const char *const *examples;
	/* Printed after the error about an unknown option of one letter; NULL: nothing. */
	const char *letter_hint;
	/* Environment variables with the path of a file of arguments, which come before those of
	 * argv. The first variable that is set is used, even if it is empty, which means no file.
	 * NULL-terminated; NULL: none. */
	const char *const *config_variables;
	bool no_operands; /* bs_command_parse rejects operands. */
	/* The size in bytes of the command's struct of arguments. */
	size_t arguments_bytes;
	const void *defaults; /* The initial content of the struct; NULL: zeros. */
	/* Returns the exit status; negative: the exit status is 2, and err is printed. */
	int (*run)(void *arguments, const struct bs_operands *operands,
	           const struct bs_consent *consent, struct bs_error *err);
	/* Frees the content of the struct, except the fields of BS_OPTION_LIST; called after a
	 * failure too. NULL: nothing to free. */
	void (*release)(void *arguments);
};

/* The i-th option of a command. The last one is --help, which every command has. NULL if i is out
 * of range. */
const struct bs_option *bs_command_option(const struct bs_command *command, size_t i);

/*
 * Applies the options in argv[1..argc), from left to right, to arguments, which is the command's
 * own struct. argv[0] is the command's name. Options and operands may be mixed; "--" ends the
 * options. Arguments of options: --name=X, --name X, -nX, -n=X, -n X. Names cannot be abbreviated.
 * The message of BS_INVALID names an unknown option, and a similar one if there is one.
 */
enum bs_status bs_command_parse(const struct bs_command *command, int argc, char **argv,
                                void *arguments, struct bs_operands *operands_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Frees the fields of BS_OPTION_LIST in arguments, and calls command->release. */
void bs_command_release(const struct bs_command *command, void *arguments);

/* Whether an option of that name is among the arguments; false if they are invalid. value_out
 * (nullable): the value of the last such option; NULL if it has none. */
bool bs_command_has(const struct bs_command *command, int argc, char **argv, const char *option,
                    const char **value_out);

/* Whether the message is that of bs_command_parse about an unknown option of one letter. */
bool bs_command_is_letter(const char *message);

/* The name most similar to word, if it is similar enough: it begins with word or is at most two
 * edits away, and at most one for each three letters of word. names is NULL-terminated. NULL: none
 * is, or word has fewer than two letters. */
const char *bs_command_guess(const char *word, const char *const *names);

/* Prints the words of a text up to its end or an empty line, in lines of at most 80 columns. The
 * first line continues at `column`; the others are indented by `indent`. */
void bs_command_wrap(FILE *out, const char *words, size_t column, size_t indent);
/* Prints the --help text: usage, options, examples; at most 80 columns. */
void bs_command_help(const struct bs_command *command, FILE *out);

/* Parsers of values. option: its name without dashes, for the message of BS_INVALID. */
/* Parses a size in bytes such as "64M", "1.5GiB" or "4096"; k, m, g, t are powers of 1024. */
enum bs_status bs_parse_size(const char *option, const char *value, uint64_t *bytes_out,
                             struct bs_error *err) BS_WARN_UNUSED;
/* Parses a size in bytes as rg does, such as "64M" or "4096": digits and perhaps K, M or G, powers
 * of 1024. */
enum bs_status bs_parse_size_as_rg(const char *option, const char *value, uint64_t *bytes_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Parses a duration into nanoseconds, such as "250ms", "1.5s", "2m" or "10" (seconds). At least 1
 * ns. */
enum bs_status bs_parse_duration(const char *option, const char *value, uint64_t *ns_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* The index of the value in the NULL-terminated names. */
enum bs_status bs_parse_name(const char *option, const char *value, const char *const *names,
                             int *index_out, struct bs_error *err) BS_WARN_UNUSED;
/* Parses a whole number in least..most. */
enum bs_status bs_parse_number(const char *option, const char *value, uint64_t least, uint64_t most,
                               uint64_t *number_out, struct bs_error *err) BS_WARN_UNUSED;

/* Formats bytes for people: "812 B", "64.2 KiB", "1.31 GiB". Returns out. */
const char *bs_format_bytes(uint64_t n_bytes, char out[24]);
/* Formats a whole number with separators: "1,048,576". Returns out. */
const char *bs_format_count(uint64_t n, char out[32]);
/* Formats a count of things: "1 document", "2,000 documents". thing: at most 29 bytes. Returns
 * out. */
const char *bs_format_things(uint64_t n, const char *thing, char out[64]);
/* Call the functions above with memory that lives as long as the enclosing block. */
#define BS_BYTES(n_bytes)   bs_format_bytes(n_bytes, (char[24]){0})
#define BS_COUNT(n)         bs_format_count(n, (char[32]){0})
#define BS_THINGS(n, thing) bs_format_things(n, thing, (char[64]){0})

/* If the indexed text has fewer bytes, rates and ratios to the size of the text are not shown: they
 * would mislead, because each file of an index has a minimum size. */
#define BS_LEAST_BYTES_FOR_RATIO 10000000u
