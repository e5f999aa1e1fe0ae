/* pg_document.c: see pg_document.h. */
#include "bindings/postgresql/base/pg_document.h"

ItemPointerData bsp_tid_of_id(const char *id)
{
	const uint8 *at = (const uint8 *)id;
	ItemPointerData tid;
	ItemPointerSet(&tid,
	               (BlockNumber)at[0] << 24 | (BlockNumber)at[1] << 16 |
	                       (BlockNumber)at[2] << 8 | at[3],
	               (OffsetNumber)(at[4] << 8 | at[5]));
	return tid;
}

size_t bsp_id_of_tid(const ItemPointerData *tid, bool has_null, char id_out[BSP_ID_BYTES + 1])
{
	BlockNumber block = ItemPointerGetBlockNumberNoCheck(tid);
	OffsetNumber offset = ItemPointerGetOffsetNumberNoCheck(tid);
	for (int i = 0; i < 4; i++)
		id_out[i] = (char)(block >> (24 - 8 * i));
	id_out[4] = (char)(offset >> 8);
	id_out[5] = (char)offset;
	id_out[6] = '\1';
	return has_null ? BSP_ID_BYTES + 1 : BSP_ID_BYTES;
}

int bsp_compare_tids(const void *a, const void *b)
{
	return ItemPointerCompare((ItemPointer)a, (ItemPointer)b);
}

void bsp_field_name(Relation index, int column, char name_out[BSP_FIELD_BYTES])
{
	name_out[0] = '\0';
	if (IndexRelationGetNumberOfKeyAttributes(index) > 1)
		snprintf(name_out, BSP_FIELD_BYTES, "c%d", column);
}
