/* kernels.c: lists the kernels that this machine can run, and chooses one. See kernels.h. */
#include "core/simd/kernels.h"

#include <stdio.h>
#include <string.h>

#include "core/bitsift/kernel_names.h"

extern const struct bs_kernel bs_kernel_plain;
#if defined(__x86_64__)
extern const struct bs_kernel bs_kernel_sse42;
extern const struct bs_kernel bs_kernel_avx2;
extern const struct bs_kernel bs_kernel_avx512;
#elif defined(__aarch64__)
extern const struct bs_kernel bs_kernel_neon;
#endif

#define MAX_KERNELS 8

#if defined(__x86_64__)
/* Uses the features that the C library detected at program start, if it publishes them: each CPUID
 * instruction takes microseconds in a virtual machine. */
#if defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS(theirs, name) is_active(x86_cpu_##theirs)

/* CPU_FEATURE_ACTIVE without its undefined shift 1 << 31. */
static bool is_active(unsigned feature)
{
	unsigned bit = feature % 128;
	return __x86_get_cpuid_feature_leaf(feature / 128)->active_array[bit / 32] >> bit % 32 & 1;
}
#endif
#endif
#ifndef HAS
#define HAS(theirs, name) __builtin_cpu_supports(name)
#endif
#endif

size_t bs_kernel_list(const struct bs_kernel **kernels, size_t capacity)
{
	const struct bs_kernel *found[MAX_KERNELS];
	size_t n = 0;
#if defined(__x86_64__)
	if (HAS(AVX512F, "avx512f") && HAS(AVX512BW, "avx512bw") && HAS(AVX512DQ, "avx512dq") &&
	    HAS(AVX512VL, "avx512vl") && HAS(AVX512CD, "avx512cd") &&
	    HAS(AVX512_VPOPCNTDQ, "avx512vpopcntdq"))
		found[n++] = &bs_kernel_avx512;
	if (HAS(AVX2, "avx2") && HAS(BMI1, "bmi") && HAS(BMI2, "bmi2") && HAS(POPCNT, "popcnt"))
		found[n++] = &bs_kernel_avx2;
	if (HAS(SSE4_2, "sse4.2") && HAS(POPCNT, "popcnt"))
		found[n++] = &bs_kernel_sse42;
#elif defined(__aarch64__)
	found[n++] = &bs_kernel_neon;
#endif
	found[n++] = &bs_kernel_plain;
	for (size_t i = 0; i < n && i < capacity; i++)
		kernels[i] = found[i];
	return n;
}

size_t bs_kernel_names(const char **names, size_t capacity)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n = bs_kernel_list(kernels, MAX_KERNELS);
	for (size_t i = 0; i < n && i < capacity; i++)
		names[i] = kernels[i]->name;
	return n;
}

enum bs_status bs_kernel_choose(const char *name, const struct bs_kernel **kernel_out,
                                struct bs_error *err)
{
	const struct bs_kernel *found[MAX_KERNELS];
	size_t n = bs_kernel_list(found, MAX_KERNELS);
	*kernel_out = found[0];
	if (!name)
		return BS_OK;
	char names[128] = "";
	for (size_t i = 0; i < n; i++) {
		*kernel_out = found[i];
		if (strcmp(name, found[i]->name) == 0)
			return BS_OK;
		size_t used = strlen(names);
		snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", found[i]->name);
	}
	return bs_fail(err, BS_UNSUPPORTED, "no SIMD kernel \"%s\" on this machine; available: %s",
	               name, names);
}

void bs_byte_classes_finish(struct bs_byte_classes *classes)
{
	memset(classes->rows, 0, sizeof(classes->rows));
	for (unsigned c = 0; c < 0x80; c++)
		for (unsigned s = 0; s < 8; s++)
			if (classes->of[c] >> s & 1)
				classes->rows[s][c & 15] |= (uint8_t)(1u << (c >> 4));
}
