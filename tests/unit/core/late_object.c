/* late_object.c: a shared object with interface version 3, for test_late_library.c. */
#include <stdint.h>

uint32_t object_version(void);
int object_answer(void);

uint32_t object_version(void)
{
	return 3;
}

int object_answer(void)
{
	return 42;
}
