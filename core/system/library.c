/* library.c: see library.h. */
#include "core/system/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The maximum length of a library's path, including the final NUL. */
#define PATH_BYTES 4096u
/* Where the shared objects of this project are installed: relative to the folder of programs, and
 * absolute. The build defines them only with BITSIFT_LOAD_LATE. */
#ifndef BS_OWN_FROM_PROGRAMS
#define BS_OWN_FROM_PROGRAMS "."
#define BS_OWN_INSTALLED     "/nowhere"
#endif

static enum bs_status find_symbols(void *library, const char *what, const char *name,
                                   const struct bs_library_symbol *symbols, size_t n_symbols,
                                   struct bs_error *err)
{
	for (size_t i = 0; i < n_symbols; i++) {
		void *address = dlsym(library, symbols[i].name);
		if (!address)
			return bs_fail(err, BS_UNSUPPORTED, "%s cannot be used: %s has no %s", what,
			               name, symbols[i].name);
		/* memcpy: ISO C has no cast from object pointers to function pointers, but POSIX
		 * guarantees that they have the same representation. */
		memcpy(symbols[i].into, &address, sizeof(address));
	}
	return BS_OK;
}

static enum bs_status cannot_load(const char *what, const char *name, struct bs_error *err)
{
	const char *why = dlerror();
	return bs_fail(err, BS_UNSUPPORTED, "%s cannot be loaded: %s", what, why ? why : name);
}

enum bs_status bs_library_load(const char *what, const char *soname, const char *folder,
                               const struct bs_library_symbol *symbols, size_t n_symbols,
                               struct bs_error *err)
{
	char path[PATH_BYTES];
	void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
	if (!library && snprintf(path, sizeof(path), "%s/%s", folder, soname) < (int)sizeof(path))
		library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	return library ? find_symbols(library, what, soname, symbols, n_symbols, err)
	               : cannot_load(what, soname, err);
}

/* Finds the path and the owner of the file (program or shared object) that contains this code. Uses
 * the kernel's path of the file, because the loader's path may be relative to an earlier current
 * directory, and is argv[0] for a program. */
static bool find_own_file(char *path, uid_t *owner_out)
{
	uintptr_t here = (uintptr_t)&find_own_file, from = 0, to = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room_bytes = 0;
	bool is_found = false;
	while (maps && !is_found && getline(&line, &room_bytes, maps) > 0)
		is_found = sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2 &&
		           here >= from && here < to;
	const char *name = is_found ? strchr(line, '/') : NULL;
	is_found = name && strlen(name) < PATH_BYTES;
	if (is_found) {
		/* the suffix that the kernel adds if the file has been replaced */
		static const char deleted[] = " (deleted)\n";
		size_t n_bytes = strlen(name), deleted_bytes = sizeof(deleted) - 1;
		bool is_deleted = n_bytes > deleted_bytes &&
		                  strcmp(name + n_bytes - deleted_bytes, deleted) == 0;
		n_bytes -= is_deleted ? deleted_bytes : 1;
		memcpy(path, name, n_bytes);
		path[n_bytes] = '\0';
		struct stat is;
		*owner_out = stat(path, &is) == 0 ? is.st_uid : geteuid();
	}
	free(line);
	if (maps)
		fclose(maps);
	return is_found;
}

static bool is_trusted(uid_t owner, uid_t own)
{
	return owner == 0 || owner == geteuid() || owner == own;
}

/* Checks a symlink as well as its target, because the symlink's owner can change the target at any
 * time. */
static enum bs_status check_owner(const char *what, const char *path, uid_t own,
                                  struct bs_error *err)
{
	struct stat link, file;
	if (lstat(path, &link) || stat(path, &file))
		return bs_fail(err, BS_UNSUPPORTED, "%s cannot be loaded: %s: %s", what, path,
		               strerror(errno));
	if (is_trusted(link.st_uid, own) && is_trusted(file.st_uid, own))
		return BS_OK;
	return bs_fail(err, BS_UNSUPPORTED, "%s cannot be loaded: %s belongs to another user", what,
	               path);
}

static enum bs_status load_own_file(const char *what, const char *path, const char *version_name,
                                    uint32_t version, const struct bs_library_symbol *symbols,
                                    size_t n_symbols, struct bs_error *err)
{
	uint32_t (*version_of)(void) = NULL;
	const struct bs_library_symbol version_symbol = {version_name, &version_of};
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return cannot_load(what, path, err);
	enum bs_status status = find_symbols(library, what, path, &version_symbol, 1, err);
	if (!status && version_of() != version)
		status = bs_fail(err, BS_UNSUPPORTED,
		                 "%s cannot be used: %s is of another bitsift (interface %" PRIu32
		                 ", not %" PRIu32 ")",
		                 what, path, version_of(), version);
	return status ? status : find_symbols(library, what, path, symbols, n_symbols, err);
}

enum bs_status bs_library_load_own(const char *what, const char *file, const char *version_name,
                                   uint32_t version, const struct bs_library_symbol *symbols,
                                   size_t n_symbols, struct bs_error *err)
{
	static const char *const subfolders[] = {"", "/bitsift", ("/" BS_OWN_FROM_PROGRAMS)};
	char folder[PATH_BYTES], path[2 * PATH_BYTES];
	uid_t own = geteuid();
	bool knows_folder = find_own_file(folder, &own), is_found = false;
	if (knows_folder) {
		char *slash = strrchr(folder, '/');
		slash[slash == folder] = '\0';
		for (size_t i = 0; i < sizeof(subfolders) / sizeof(*subfolders) && !is_found; i++)
			is_found = snprintf(path, sizeof(path), "%s%s/%s", folder, subfolders[i],
			                    file) < (int)sizeof(path) &&
			           access(path, F_OK) == 0;
	}
	if (!is_found)
		is_found = snprintf(path, sizeof(path), "%s/%s", BS_OWN_INSTALLED, file) <
		                   (int)sizeof(path) &&
		           access(path, F_OK) == 0;
	if (!is_found && knows_folder)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s cannot be loaded: %s is neither in %s, its subfolders %s and "
		               "%s, nor in %s",
		               what, file, folder, subfolders[1] + 1, subfolders[2] + 1,
		               BS_OWN_INSTALLED);
	if (!is_found)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s cannot be loaded: %s is not in %s, and /proc does not say where "
		               "bitsift is",
		               what, file, BS_OWN_INSTALLED);
	enum bs_status status = check_owner(what, path, own, err);
	return status ? status
	              : load_own_file(what, path, version_name, version, symbols, n_symbols, err);
}

static void try_to_load(struct bs_library *library)
{
	struct bs_library_symbol symbols[BS_LIBRARY_MOST];
	for (size_t i = 0; i < library->n_names; i++)
		symbols[i] = (struct bs_library_symbol){
			library->names[i], (char *)library->table + i * sizeof(void *)};
	library->outcome =
		library->folder ? bs_library_load(library->what, library->soname, library->folder,
	                                          symbols, library->n_names, &library->why)
				: bs_library_load_own(library->what, library->soname,
	                                              library->version_name, library->version,
	                                              symbols, library->n_names, &library->why);
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
