/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What doctor keeps, as files that another program has filled: a byte that picks event/doctor, which
 * status prints, or the findings that an administrator has accepted; then the text.
 */
#include "enable/status_doctor.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "doctor/accepted.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const size_t fuzz_text_at = 1;

#define BOOT "11111111-2222-3333-4444-555555555555"

static bool is_known(unsigned int severity)
{
	return severity == 1 || severity == 2;
}

/* A text that was written by us is accepted, and written again as it is. */
static void check_again(const struct lea_latest *latest)
{
	char text[LEA_LATEST_MAX_BYTES], text_again[LEA_LATEST_MAX_BYTES];
	const size_t bytes = lea_latest_format(latest, text);
	struct lea_latest again;

	CLAIM(!lea_latest_parse(text, bytes, &again));
	CLAIM(lea_latest_format(&again, text_again) == bytes && !strcmp(text, text_again));
}

/* One line, with nothing in it that a terminal would obey. */
static void check_line(const struct lea_status_doctor *doctor)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	CLAIM(out);
	lea_status_doctor_print(doctor, out);
	CLAIM(!fclose(out));
	CLAIM(bytes && strlen(text) == bytes && text[bytes - 1] == '\n');
	for (size_t i = 0; i + 1 < bytes; i++)
		CLAIM((unsigned char)text[i] >= ' ' && text[i] != 0x7f);
}

static void check_json(const struct lea_status_doctor *doctor)
{
	struct lea_json json;
	struct json_object *again;
	const char *text;

	lea_json_begin(&json);
	lea_status_doctor_json(doctor, &json, json.top);
	CLAIM(!json.has_failed);
	text = lea_json_text_of(json.top);
	CLAIM(text && lea_utf8_is_ok(text));
	again = lea_json_read(text);
	CLAIM(again);
	lea_json_free(again);
	lea_json_done(&json);
}

static void check_latest(const uint8_t *bytes, size_t size)
{
	static int file = -1;
	struct lea_world *world = fuzz_world();
	struct lea_status_doctor doctor;

	if (file < 0) {
		LEA_AUTO(lea_closep) int boot = fuzz_file("/proc/sys/kernel/random/boot_id");

		fuzz_fill(boot, BOOT "\n", strlen(BOOT "\n"));
		file = fuzz_file("/run/lvm/event/doctor");
	}
	fuzz_fill(file, bytes, size);
	CLAIM(!lea_status_doctor_read(world, &doctor));
	CLAIM(doctor.outcome >= 0 && doctor.outcome <= LEA_LATEST_DAMAGED);
	if (!doctor.outcome) {
		CLAIM(!strcmp(doctor.latest.boot, BOOT));
		CLAIM(!doctor.latest.findings == !doctor.latest.severity);
		CLAIM(!doctor.latest.severity || is_known(doctor.latest.severity));
		CLAIM(doctor.age_s <= LEA_LATEST_MOST_DAYS * 24 * 3600);
		check_again(&doctor.latest);
	}
	check_line(&doctor);
	check_json(&doctor);
}

static void check_accepted(const char *bytes, size_t size)
{
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted = {0};
	LEA_AUTO(lea_accepted_done) struct lea_accepted again = {0};
	LEA_AUTO(lea_freep) char *text = NULL, *text_again = NULL;
	struct lea_why why = {0};
	size_t bytes_text, bytes_again;
	const int r = lea_accepted_parse(bytes, size, &why, &accepted);

	CLAIM(r == 0 || (r == LEA_ACCEPTED_REFUSED && why.what && why.at <= size + 1));
	if (r)
		return;
	for (uint32_t i = 0; i < accepted.count; i++)
		CLAIM(is_known(accepted.item[i].severity) && *accepted.item[i].object);
	CLAIM(!lea_accepted_format(&accepted, &text, &bytes_text));
	CLAIM(!lea_accepted_parse(text, bytes_text, &why, &again));
	CLAIM(again.count == accepted.count);
	CLAIM(!lea_accepted_format(&again, &text_again, &bytes_again));
	CLAIM(bytes_text == bytes_again && !strcmp(text, text_again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};

	if (fuzz_u8(&in) % 2)
		check_accepted((const char *)in.at, in.left);
	else
		check_latest(in.at, in.left);
	return 0;
}
