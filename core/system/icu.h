/* icu.h: ICU, loaded when first needed (library.h). Its macros (U8_NEXT and the like) do not need
 * the library. Its functions are called through the table `bs_icu` and only after bs_icu_load has
 * succeeded; calling them earlier is a programming error. Making a tokenizer loads ICU. */
#pragma once

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uset.h>
#include <unicode/utext.h>

#include "core/system/library.h"

/* clang-format off */
#define BS_ICU_FUNCTIONS(each) \
	each(u_charAge) each(u_charType) each(u_errorName) each(u_foldCase) \
	each(u_getIntPropertyValue) \
	each(u_getPropertyEnum) each(u_getPropertyValueEnum) \
	each(u_getUnicodeVersion) each(u_getVersion) each(u_hasBinaryProperty) \
	each(u_isUWhiteSpace) each(u_isalnum) each(u_isalpha) each(u_versionToString) \
	each(ucnv_cbToUWriteUChars) each(ucnv_close) each(ucnv_open) each(ucnv_reset) \
	each(ucnv_setFallback) each(ucnv_setToUCallBack) each(ucnv_toUnicode) each(ubrk_close) \
	each(ubrk_first) each(ubrk_getRuleStatus) each(ubrk_next) each(ubrk_open) \
	each(ubrk_setText) each(ubrk_setUText) each(unorm2_getNFCInstance) \
	each(unorm2_getNFDInstance) each(unorm2_getNFKCCasefoldInstance) \
	each(unorm2_hasBoundaryBefore) each(unorm2_getCombiningClass) \
	each(unorm2_getDecomposition) each(unorm2_normalize) each(uscript_getScript) \
	each(uscript_hasScript) each(utext_close) each(utext_openUTF8) \
	each(uset_applyIntPropertyValue) each(uset_close) each(uset_getItem) \
	each(uset_getItemCount) each(uset_openEmpty)
/* clang-format on */

BS_LIBRARY_TABLE(bs_icu, BS_ICU_FUNCTIONS);
