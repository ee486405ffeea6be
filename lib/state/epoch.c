/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/epoch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define EPOCH_FILE    "event/epoch"
#define BOOT_ID_FILE  "sys/kernel/random/boot_id"
#define BOOT_ID_CHARS 36U

static int read_boot_id(int proc_fd, char ret_id[static BOOT_ID_CHARS + 1])
{
	char text[64];
	int r = lea_file_read_into(proc_fd, BOOT_ID_FILE, text, sizeof(text));

	if (r)
		return r < 0 ? r : -ENOENT;
	text[strcspn(text, "\n")] = '\0';
	if (strlen(text) != BOOT_ID_CHARS || strspn(text, "0123456789abcdef-") != BOOT_ID_CHARS)
		return -EINVAL;
	memcpy(ret_id, text, BOOT_ID_CHARS + 1);
	return 0;
}

/* Reads "BOOTID COUNT\n"; the count of another boot is 0. */
static unsigned int read_count(int run_fd, const char *boot_id)
{
	char text[96], *end;
	unsigned long count;

	if (lea_file_read_into(run_fd, EPOCH_FILE, text, sizeof(text)))
		return 0;
	if (strncmp(text, boot_id, BOOT_ID_CHARS) != 0 || text[BOOT_ID_CHARS] != ' ')
		return 0;
	count = strtoul(text + BOOT_ID_CHARS + 1, &end, 10);
	if ((*end != '\n' && *end) || count > 1000000UL)
		return 0;
	return (unsigned int)count;
}

int lea_epoch_now(int run_fd, int proc_fd, char ret_epoch[static LEA_EPOCH_BYTES])
{
	char boot_id[BOOT_ID_CHARS + 1];
	int r = read_boot_id(proc_fd, boot_id);

	if (r)
		return r;
	snprintf(ret_epoch, LEA_EPOCH_BYTES, "%s-%u", boot_id, read_count(run_fd, boot_id));
	return 0;
}

int lea_epoch_begin(int run_fd, int proc_fd, int event_fd)
{
	char boot_id[BOOT_ID_CHARS + 1], text[96];
	int len, r = read_boot_id(proc_fd, boot_id);

	if (r)
		return r;
	len = snprintf(text, sizeof(text), "%s %u\n", boot_id, read_count(run_fd, boot_id) + 1);
	return lea_file_replace(event_fd, "epoch", text, (size_t)len);
}
