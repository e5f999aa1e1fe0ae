/* check_index.c: bs_index_check: runs core/check, and also checks the stored texts, because
 * core/check does not know their compression. */
#include "core/bitsift/index_check.h"
#include "core/check/check.h"
#include "core/file/dir.h"
#include "core/system/deadline.h"
#include "corpus/changes/stored_text.h"

enum bs_status bs_index_check(const struct bs_check_request *request,
                              struct bs_check_report *report_out, struct bs_error *err)
{
	struct bs_check_report own, *report = report_out ? report_out : &own;
	struct bs_dir dir = {.fd = -1};
	*report = (struct bs_check_report){0};
	enum bs_status status = BS_CHECK_RESERVED(err, BS_RESERVED(bs_check_request, *request),
	                                          BS_RESERVED(bs_host, request->host));
	if (!status)
		status = bs_dir_open(&dir, request->dir, request->memory, request->host.consent,
		                     err);
	struct bs_deadline deadline;
	if (!status)
		status = bs_deadline_begin(&deadline, request->limits, err);
	if (!status) {
		const struct bs_check_options options = {request->progress, request->context,
		                                         bs_stored_text_check};
		struct bs_check_sums sums;
		status = bs_check_dir(&dir, &options, &sums, err);
		report->n_docs = sums.n_docs;
		report->n_segments = sums.n_segments;
		report->n_bytes = sums.n_bytes;
		bs_deadline_end(&deadline);
	}
	bs_dir_close(&dir);
	return status;
}
