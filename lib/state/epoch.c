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

/* Of "BOOTID COUNT\n"; 0: of another boot, or of no such text. */
static unsigned int parse_count(const char *text, const char *boot_id)
{
	unsigned long count;
	char *end;

	if (strncmp(text, boot_id, BOOT_ID_CHARS) != 0 || text[BOOT_ID_CHARS] != ' ')
		return 0;
	count = strtoul(text + BOOT_ID_CHARS + 1, &end, 10);
	return (*end != '\n' && *end) || count > 1000000UL ? 0 : (unsigned int)count;
}

/* *ret_count: 0 also where there is no such file. A shortage says nothing: with a wrong epoch no
 * claim would count. */
static int read_count(int run_fd, const char *boot_id, unsigned int *ret_count)
{
	char text[96];
	int r = lea_file_read_into(run_fd, EPOCH_FILE, text, sizeof(text));

	if (lea_is_shortage(r))
		return r;
	*ret_count = r ? 0 : parse_count(text, boot_id);
	return 0;
}

int lea_epoch_now(int run_fd, int proc_fd, char ret_epoch[static LEA_EPOCH_BYTES])
{
	char boot_id[BOOT_ID_CHARS + 1];
	unsigned int count;
	int r = read_boot_id(proc_fd, boot_id);

	r = r ? r : read_count(run_fd, boot_id, &count);
	if (r)
		return r;
	snprintf(ret_epoch, LEA_EPOCH_BYTES, "%s-%u", boot_id, count);
	return 0;
}

int lea_epoch_begin(int run_fd, int proc_fd, int event_fd)
{
	char boot_id[BOOT_ID_CHARS + 1], text[96];
	unsigned int count;
	int len, r = read_boot_id(proc_fd, boot_id);

	r = r ? r : read_count(run_fd, boot_id, &count);
	if (r)
		return r;
	len = snprintf(text, sizeof(text), "%s %u\n", boot_id, count + 1);
	return lea_file_replace(event_fd, "epoch", text, (size_t)len);
}
