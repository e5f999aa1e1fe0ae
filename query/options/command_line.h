/*
 * command_line.h: one definition of a command's options, from which its parser, its --help, its man
 * page and the shell completions are made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/bitsift/status.h"

struct bs_consent;

/* What an option does with its command's struct of arguments, at `offset`. */
enum bs_option_kind {
	BS_OPTION_NOTHING, /* taken, for scripts, and without effect */
	BS_OPTION_FLAG,    /* bool = true */
	BS_OPTION_UNFLAG,  /* bool = false */
	BS_OPTION_CHOICE,  /* int, or enum, = value: of several such options the last one counts */
	BS_OPTION_ADD,     /* int += 1 */
	/* const char * = the argument, borrowed from argv; "" if it is optional and not given */
	BS_OPTION_STRING,
	BS_OPTION_ONCE, /* the same, of an option that may not be given twice */
	/* struct bs_word_list: the argument is added, borrowed from argv. bs_command_release frees
	 * it */
	BS_OPTION_LIST,
	BS_OPTION_NUMBER,     /* uint64_t = a whole number in least..most */
	BS_OPTION_SIZE,       /* uint64_t = bytes in least..most, as bs_parse_size has it */
	BS_OPTION_SIZE_AS_RG, /* uint64_t = bytes, as bs_parse_size_as_rg has it */
	BS_OPTION_DURATION,   /* uint64_t = nanoseconds, as bs_parse_duration has it */
	BS_OPTION_NAME,       /* int = index of the argument in names */
	BS_OPTION_CALL,       /* take(arguments, option, argument) sees to it */
};

struct bs_option {
	char short_name;      /* 'j', or 0 */
	const char *name;     /* "memory", without dashes; NULL ends the list */
	const char *argument; /* "SIZE", or NULL if it takes none */
	const char *help;     /* one line, lower case, no full stop */
	enum bs_option_kind kind;
	size_t offset;
	/* the argument is: it is behind a =, or there is none, and a NUMBER becomes value */
	bool is_optional;
	/* where is_as_rg: a value of its own word may begin with a dash; not so for some options of
	 * rg */
	bool takes_dash;
	int value;                /* CHOICE; CALL may use it */
	uint64_t least, most;     /* NUMBER, SIZE; most 0: any number */
	const char *const *names; /* NAME: NULL-ended */
	/* CALL; argument is NULL if the option takes none. BS_INVALID names the option. */
	enum bs_status (*take)(void *arguments, const struct bs_option *option,
	                       const char *argument, struct bs_error *err);
};

/* Words in the order in which they came, NULL-ended; list is NULL before the first.
 * Zero-initialise. */
struct bs_word_list {
	const char **list;
	size_t n;
};

/* The word is borrowed. BS_NO_MEMORY. */
enum bs_status bs_word_list_add(struct bs_word_list *words, const char *word,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_word_list_deinit(struct bs_word_list *words);

/* In a row of the table: what it sets, BS_OPTION_SETS(FLAG, struct my_arguments, wait). */
#define BS_OPTION_SETS(of_kind, type, field) \
	.kind = BS_OPTION_##of_kind, .offset = offsetof(type, field)

/* What is left of a command line when its options are taken. */
struct bs_operands {
	char **list; /* in argv, whose order may have changed */
	size_t n;
	bool help; /* --help: nothing after it was looked at */
};

struct bs_command {
	const char *name;    /* "index" */
	const char *summary; /* one line */
	const char *usage;   /* what follows "bitsift index " */
	const struct bs_option *options;
	/* of the options, the first that --help shows: it has to fit a screen. 0: all */
	size_t n_in_help;
	/* command, explanation, command, explanation, ..., NULL */
	const char *const *examples;
	/* what else is said where an unknown option of one letter is met; NULL: nothing */
	const char *letter_hint;
	/* --flag=x is --flag, and a value of its own word begins with no dash */
	bool is_as_rg;
	/* of the environment: names a file of arguments that come first; NULL: none */
	const char *config_variable;
	bool no_operands; /* it takes none: bs_command_parse refuses them */
	/* of its own struct of arguments, which the options set */
	size_t arguments_bytes;
	const void *defaults; /* such a struct; NULL: zeros */
	/* Returns the exit status; negative: 2, and err says why. */
	int (*run)(void *arguments, const struct bs_operands *operands,
	           const struct bs_consent *consent, struct bs_error *err);
	/* frees what is in there, except lists of options; also after a failure. NULL: nothing */
	void (*release)(void *arguments);
};

/* The i-th option of a command, --help last, which all have; NULL past the end. */
const struct bs_option *bs_command_option(const struct bs_command *command, size_t i);

/*
 * Does in arguments, the command's own struct, what the options in argv[1..argc) say, from left to
 * right; argv[0] is the command's name. Options and operands stand in any order; "--" ends the
 * options. Arguments: --name=X, --name X, -nX, -n=X, -n X. Names are not shortened. BS_INVALID
 * names the wrong option and, where one looks like it, the right one.
 */
enum bs_status bs_command_parse(const struct bs_command *command, int argc, char **argv,
                                void *arguments, struct bs_operands *operands_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Frees the lists of options in arguments, and calls release. */
void bs_command_release(const struct bs_command *command, void *arguments);

/* Whether an option of that name is among those arguments; value_out (nullable): the value of the
 * last one, if it has any. */
bool bs_command_has(const struct bs_command *command, int argc, char **argv, const char *option,
                    const char **value_out);

/* Whether that is the message of bs_command_parse about an unknown option of one letter. */
bool bs_command_is_letter(const char *message);

/* Of the NULL-ended names the one that is most like word, and like enough to be meant: one that
 * begins so, or is at most two letters away. NULL: none is. */
const char *bs_command_guess(const char *word, const char *const *names);

/* Words of a text, up to its end or an empty line, in lines of at most 80 columns, from column
 * `column` on, indented by `indent`. */
void bs_command_wrap(FILE *out, const char *words, size_t column, size_t indent);
/* The --help text: usage, options, examples; at most 80 columns. */
void bs_command_help(const struct bs_command *command, FILE *out);

/* Parsers of values. option: its name without dashes, for the message of BS_INVALID. */
/* "64M", "1.5GiB", "4096": bytes; k, m, g, t are powers of 1024. */
enum bs_status bs_parse_size(const char *option, const char *value, uint64_t *bytes_out,
                             struct bs_error *err) BS_WARN_UNUSED;
/* "64M", "4096": bytes as rg's options have them, digits and then perhaps K, M or G, powers of
 * 1024. */
enum bs_status bs_parse_size_as_rg(const char *option, const char *value, uint64_t *bytes_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* "250ms", "1.5s", "2m", "10": nanoseconds, more than none; without a unit, seconds. */
enum bs_status bs_parse_duration(const char *option, const char *value, uint64_t *ns_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* One of the NULL-ended names: which. */
enum bs_status bs_parse_name(const char *option, const char *value, const char *const *names,
                             int *index_out, struct bs_error *err) BS_WARN_UNUSED;
/* A whole number in least..most. */
enum bs_status bs_parse_number(const char *option, const char *value, uint64_t least, uint64_t most,
                               uint64_t *number_out, struct bs_error *err) BS_WARN_UNUSED;

/* Bytes for a person: "812 B", "64.2 KiB", "1.31 GiB". Returns out, as those below. */
const char *bs_format_bytes(uint64_t n_bytes, char out[24]);
/* A whole number with thousands apart: "1,048,576". */
const char *bs_format_count(uint64_t n, char out[32]);
/* "1 document", "2,000 documents". thing: at most 29 bytes. */
const char *bs_format_things(uint64_t n, const char *thing, char out[64]);
/* The same; the text lives as long as the enclosing block. */
#define BS_BYTES(n_bytes)   bs_format_bytes(n_bytes, (char[24]){0})
#define BS_COUNT(n)         bs_format_count(n, (char[32]){0})
#define BS_THINGS(n, thing) bs_format_things(n, thing, (char[64]){0})

/* Of less text, shares of it and rates say nothing: each file of an index has some bytes at
 * least. */
#define BS_LEAST_BYTES_FOR_RATIO 10000000u
