/* index_options.c: the options that are recorded with an index, in memory. See manifest.h. */
#include <stdlib.h>
#include <string.h>

#include "core/store/manifest.h"

size_t bs_strings_length(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

void bs_list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

enum bs_status bs_strings_copy(char *const *list, char ***copy_out, struct bs_error *err)
{
	*copy_out = NULL;
	if (!list)
		return BS_OK;
	size_t n = bs_strings_length(list);
	char **copy = calloc(n + 1, sizeof(*copy));
	if (!copy)
		return bs_fail_memory(err, "a list", (n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++) {
		copy[i] = strdup(list[i]);
		if (!copy[i]) {
			bs_list_free(copy);
			return bs_fail_memory(err, "a list", strlen(list[i]));
		}
	}
	*copy_out = copy;
	return BS_OK;
}

void bs_index_options_deinit(struct bs_index_options *options)
{
	free(options->stem_language);
	free(options->id_field);
	bs_list_free(options->text_fields);
	bs_list_free(options->globs);
	*options = (struct bs_index_options){0};
}

enum bs_status bs_index_options_copy(const struct bs_index_options *options, struct bs_index_options *copy_out,
                                     struct bs_error *err)
{
	*copy_out = *options;
	copy_out->stem_language = options->stem_language ? strdup(options->stem_language) : NULL;
	copy_out->id_field = options->id_field ? strdup(options->id_field) : NULL;
	copy_out->text_fields = NULL;
	copy_out->globs = NULL;
	if ((options->stem_language && !copy_out->stem_language) || (options->id_field && !copy_out->id_field))
		return bs_fail_memory(err, "options", sizeof(*options));
	enum bs_status status = bs_strings_copy(options->text_fields, &copy_out->text_fields, err);
	return status ? status : bs_strings_copy(options->globs, &copy_out->globs, err);
}

static bool strings_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool lists_equal(char *const *a, char *const *b)
{
	size_t n = bs_strings_length(a);
	if (n != bs_strings_length(b))
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

uint64_t bs_density_ppm(double density)
{
	return (uint64_t)(density * 1e6 + 0.5);
}

uint64_t bs_max_document(const struct bs_index_options *options)
{
	return options->max_document ? options->max_document : BS_DEFAULT_MAX_DOCUMENT;
}

bool bs_index_options_equal(const struct bs_index_options *a, const struct bs_index_options *b)
{
	return a->words == b->words && a->grams == b->grams && a->store == b->store && a->fold_accents == b->fold_accents &&
	       a->hidden == b->hidden && a->no_ignore == b->no_ignore && a->binary_as_text == b->binary_as_text &&
	       bs_density_ppm(a->density) == bs_density_ppm(b->density) && bs_max_document(a) == bs_max_document(b) &&
	       strings_equal(a->stem_language, b->stem_language) && strings_equal(a->id_field, b->id_field) &&
	       lists_equal(a->text_fields, b->text_fields) && lists_equal(a->globs, b->globs);
}
