/* pg_validate.c: see pg_validate.h. */
#include "bindings/postgresql/access/pg_validate.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "bindings/postgresql/search/pg_strategy.h"

static bool operator_is_good(const char *family, Form_pg_amop operator)
{
	bool is_order = operator->amoppurpose == AMOP_ORDER;
	if (operator->amopstrategy<1 || operator->amopstrategy> BSP_STRATEGIES) {
		ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
		               errmsg("operator family \"%s\" of access method bitsift has "
		                      "operator %s with invalid "
		                      "strategy number %d",
		                      family,
		                      format_operator(operator->amopopr), operator->amopstrategy)));
		return false;
	}
	if (is_order != (operator->amopstrategy == BSP_DISTANCE)) {
		ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
		               errmsg("operator family \"%s\" of access method bitsift has "
		                      "operator %s for a wrong purpose",
		                      family, format_operator(operator->amopopr))));
		return false;
	}
	if (!check_amop_signature(operator->amopopr,
	                          is_order ? FLOAT8OID : BOOLOID, operator->amoplefttype,
	                                                          operator->amoprighttype)) {
		ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
		               errmsg("operator family \"%s\" of access method bitsift has "
		                      "operator %s of wrong types",
		                      family, format_operator(operator->amopopr))));
		return false;
	}
	return true;
}

bool bsp_validate(Oid opclass)
{
	HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	Form_pg_opclass form = (Form_pg_opclass)GETSTRUCT(tuple);
	char *family = psprintf("%u", form->opcfamily);
	bool is_good = form->opcintype == TEXTOID;
	if (!is_good)
		ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
		               errmsg("operator class \"%s\" of access method bitsift is for a "
		                      "type other than text",
		                      NameStr(form->opcname))));
	CatCList *operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(form->opcfamily));
	for (int i = 0; i < operators->n_members; i++)
		is_good &= operator_is_good(family,
		                            (Form_pg_amop)GETSTRUCT(&operators->members[i]->tuple));
	ReleaseCatCacheList(operators);
	ReleaseSysCache(tuple);
	return is_good;
}
