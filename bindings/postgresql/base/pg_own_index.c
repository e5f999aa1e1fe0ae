/* pg_own_index.c: see pg_own_index.h. */
#include "bindings/postgresql/base/pg_own_index.h"

#include "access/htup_details.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"

Oid bsp_access_method(void)
{
	return get_index_am_oid("bitsift", true);
}

bool bsp_is_index(Oid index)
{
	char kind = get_rel_relkind(index);
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index));
	Oid method =
		HeapTupleIsValid(tuple) ? ((Form_pg_class)GETSTRUCT(tuple))->relam : InvalidOid;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return (kind == RELKIND_INDEX || kind == RELKIND_PARTITIONED_INDEX) && OidIsValid(method) &&
	       method == bsp_access_method();
}

void bsp_require_index(Oid index)
{
	if (!bsp_is_index(index)) {
		const char *name = get_rel_name(index);
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		                errmsg("\"%s\" is not a bitsift index", name ? name : "?")));
	}
}

List *bsp_leaves(Oid index)
{
	List *all, *leaves = NIL;
	ListCell *cell;
	if (get_rel_relkind(index) != RELKIND_PARTITIONED_INDEX)
		return list_make1_oid(index);
	all = find_all_inheritors(index, AccessShareLock, NULL);
	foreach (cell, all)
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_INDEX)
			leaves = lappend_oid(leaves, lfirst_oid(cell));
	list_free(all);
	return leaves;
}

/* True if the current user may read all columns of the index. An index on an expression requires
 * the right to read the whole table. */
static bool may_read_columns(Oid index, Oid table)
{
	bool may = true;
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	if (!HeapTupleIsValid(tuple))
		return false;
	Form_pg_index form = (Form_pg_index)GETSTRUCT(tuple);
	for (int i = 0; i < form->indnatts; i++)
		may &= form->indkey.values[i] != 0 &&
		       pg_attribute_aclcheck(table, form->indkey.values[i], GetUserId(),
		                             ACL_SELECT) == ACLCHECK_OK;
	ReleaseSysCache(tuple);
	return may;
}

bool bsp_may_query(Oid index)
{
	Oid table = bsp_is_index(index) ? IndexGetRelation(index, true) : InvalidOid;
	if (!OidIsValid(table) || check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
		return false;
	return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
	       may_read_columns(index, table);
}
