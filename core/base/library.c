/* library.c: see library.h. */
#include "core/base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The largest path that a library is looked for under. */
#define PATH_BYTES 1024u

enum bs_status bs_library_load(const char *what, const char *soname, const char *folder,
                               const struct bs_library_symbol *symbols, size_t n_symbols, struct bs_error *err)
{
	char path[PATH_BYTES];
	void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
	if (!library && snprintf(path, sizeof(path), "%s/%s", folder, soname) < (int)sizeof(path))
		library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();
		return bs_fail(err, BS_UNSUPPORTED, "%s cannot be loaded: %s", what, why ? why : soname);
	}
	for (size_t i = 0; i < n_symbols; i++) {
		void *address = dlsym(library, symbols[i].name);
		if (!address)
			return bs_fail(err, BS_UNSUPPORTED, "%s cannot be used: %s has no %s", what, soname, symbols[i].name);
		/* POSIX lets a pointer of either kind be had so; ISO C knows no cast. */
		memcpy(symbols[i].into, &address, sizeof(address));
	}
	return BS_OK;
}

static void try_to_load(struct bs_library *library)
{
	struct bs_library_symbol symbols[BS_LIBRARY_MOST];
	for (size_t i = 0; i < library->n_names; i++)
		symbols[i] = (struct bs_library_symbol){library->names[i], (char *)library->table + i * sizeof(void *)};
	library->outcome = bs_library_load(library->what, library->soname, library->folder, symbols, library->n_names,
	                                   &library->why);
}

enum bs_status bs_library_load_once(struct bs_library *library, struct bs_error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	if (!__atomic_load_n(&library->is_tried, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		if (!library->is_tried)
			try_to_load(library);
		__atomic_store_n(&library->is_tried, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	return library->outcome ? bs_fail(err, library->outcome, "%s", library->why.text) : BS_OK;
}
