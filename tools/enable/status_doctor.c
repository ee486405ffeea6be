/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enable/status_doctor.h"

#include <inttypes.h>

#include "explain/cause_text.h"

int lea_status_doctor_read(struct lea_world *world, struct lea_status_doctor *ret_doctor)
{
	const int r = lea_latest_read(world, &ret_doctor->latest, &ret_doctor->age_s);

	/* What cannot be read for another reason must not hide the rest of status. */
	ret_doctor->outcome = r < 0 ? LEA_LATEST_DAMAGED : r;
	return lea_shortage_of(r);
}

/* Nothing is known: that is not the same as nothing found. */
static const char *why_not(const struct lea_status_doctor *doctor)
{
	switch (doctor->outcome) {
	case LEA_LATEST_NONE:
		return "no full examination since the boot, or since findings were accepted or "
		       "withdrawn";
	case LEA_LATEST_OLD:
		return "the last full examination was too long ago";
	default:
		return "/run/lvm/event/doctor cannot be read, or is damaged";
	}
}

void lea_status_doctor_print(const struct lea_status_doctor *doctor, FILE *out)
{
	const struct lea_latest *latest = &doctor->latest;
	char age[LEA_CAUSE_EVIDENCE_BYTES] = "";

	if (doctor->outcome) {
		fprintf(out, "doctor: not known: %s\n", why_not(doctor));
		return;
	}
	lea_cause_say_age(age, (uint32_t)doctor->age_s);
	fprintf(out, "doctor: %s ago: %" PRIu32 " finding%s", age, latest->findings,
		latest->findings == 1 ? "" : "s");
	if (latest->unknown)
		fprintf(out, ", %" PRIu32 " not known", latest->unknown);
	if (latest->severity)
		fprintf(out, "; worst: %u  %s  %s: %s", latest->severity, latest->check,
			latest->object, latest->evidence);
	fputc('\n', out);
}

void lea_status_doctor_json(const struct lea_status_doctor *doctor, struct lea_json *json,
			    struct json_object *to)
{
	const struct lea_latest *latest = &doctor->latest;
	struct json_object *object = lea_json_object(json, to, "doctor");

	if (doctor->outcome) {
		lea_json_text(json, object, "reason", why_not(doctor));
		return;
	}
	lea_json_number(json, object, "age_s", doctor->age_s);
	lea_json_number(json, object, "findings", latest->findings);
	lea_json_number(json, object, "not_known", latest->unknown);
	if (!latest->severity)
		return;
	lea_json_number(json, object, "severity", latest->severity);
	lea_json_text(json, object, "check", latest->check);
	lea_json_text(json, object, "object", latest->object);
	lea_json_text(json, object, "evidence", latest->evidence);
}
