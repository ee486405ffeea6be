/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scan/survey.h"

#include <errno.h>

int lea_survey_prepare(struct lea_world *world, const struct lea_conf *conf,
		       struct lea_reader **reader, struct lea_scan_options *options)
{
	int r;

	if (!*reader) {
		r = lea_reader_new(world, conf, reader);
		if (r)
			return r;
		lea_reader_for_command(*reader);
		lea_reader_remember(*reader);
	}
	options->out_of_process = true;
	options->reader = *reader;
	return 0;
}

size_t lea_survey_tell_unanswered(struct lea_world *world, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count, unanswered = 0;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++) {
		const int fault = found[i]->kind == LEA_FOUND_UNREADABLE ? found[i]->fault : 0;

		if (!lea_silence_is_open(fault))
			continue;
		unanswered++;
		if (fault == -ETIMEDOUT)
			lea_log(world->log, LEA_LOG_ERROR,
				"%s is left out: it did not answer in time. See journalctl -k; "
				"try again when it answers, or remove the disk.",
				found[i]->device.name);
		else
			lea_log(world->log, LEA_LOG_ERROR,
				"%s is left out: it could not be read yet: %s. See journalctl -k, "
				"and try again.",
				found[i]->device.name, lea_found_fault_text(found[i]));
	}
	return unanswered;
}
