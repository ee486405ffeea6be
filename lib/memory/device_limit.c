/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/device_limit.h"

#include "memory/need_memory.h"
#include "memory/time_span.h"

#include <string.h>

/* The value goes on to one of @ends, and may be in quotation marks. */
static uint32_t longer(uint32_t most_ms, const char *value, const char *ends)
{
	const char *from = value + strspn(value, " \t\"'");
	size_t chars = strcspn(from, ends);
	uint32_t ms;

	while (chars && strchr(" \t\r\"'", from[chars - 1]))
		chars--;
	ms = lea_time_span_ms(from, chars);
	/* What is no span is ignored, by systemd as well. */
	return ms > most_ms ? ms : most_ms;
}

/* @gap: what may stand before @key and before the "=" behind it. */
static uint32_t largest(uint32_t most_ms, const char *text, const char *key, const char *ends,
			const char *gap)
{
	const char *word;

	for (; *text; text += strcspn(text, ends), text += *text != '\0') {
		word = text + strspn(text, gap);
		if (strncmp(word, key, strlen(key)))
			continue;
		word += strlen(key);
		word += strspn(word, gap);
		if (*word == '=')
			most_ms = longer(most_ms, word + 1, ends);
	}
	return most_ms;
}

uint32_t lea_device_limit_of_conf(uint32_t most_ms, const char *text)
{
	return largest(most_ms, text, "DefaultDeviceTimeoutSec", "\n", " \t");
}

uint32_t lea_device_limit_of_cmdline(uint32_t most_ms, const char *text)
{
	/* systemd takes either. */
	most_ms = largest(most_ms, text, "systemd.default-device-timeout-sec", " \t\n", "");
	return largest(most_ms, text, "systemd.default_device_timeout_sec", " \t\n", "");
}

bool lea_device_limit_is_taken(const struct lea_need *need)
{
	return need->limit_ms >= LEA_DEVICE_LIMIT_LEAST_MS && need->limit_ms <= LEA_DEVICE_LIMIT_MS;
}

bool lea_device_limit_applies(const struct lea_need *need, const struct lea_boot_memory *memory)
{
	if (need->kind == LEA_NEED_WORD || need->kind == LEA_NEED_IDS)
		return true;
	if (need->kind != LEA_NEED_UUID && need->kind != LEA_NEED_LABEL)
		return false;
	return !memory || lea_need_is_remembered(need, memory);
}
