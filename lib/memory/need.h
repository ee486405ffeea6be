/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What the boot needs: the LVs, and the file systems that may lie on LVs, that /etc/fstab,
 * /etc/crypttab, the kernel's command line and lvmevent.conf name. It decides only which VGs are
 * activated first, never whether a VG is activated. An encrypted device is no LV, whatever its name
 * reads like. Pure. Source: fstab(5), crypttab(5), kernel-command-line(7),
 * systemd-fstab-generator(8), systemd-cryptsetup-generator(8), dracut.cmdline(7).
 */
#pragma once

#include "base/err.h"
#include "memory/device_spec.h"
#include "plan/select.h"

#include <stdint.h>

#define LEA_NEED_MAX_TEXT_BYTES (1024U * 1024U) /* of one text; a longer one is refused */
#define LEA_NEED_MAX_LINE_BYTES 4096U
#define LEA_NEED_MOST		1024U /* needs, and words of each list; more are refused */

enum lea_need_kind {
	LEA_NEED_WORD = LEA_SPEC_LV, /* "vg", "vg/lv" or "@tag", all with valid names */
	LEA_NEED_IDS = LEA_SPEC_IDS, /* an LV by the uuid of its node: "LVM-" and two ids */
	LEA_NEED_UUID =
		LEA_SPEC_UUID, /* of what is on the device, as are the following; as written */
	LEA_NEED_LABEL = LEA_SPEC_LABEL,
	LEA_NEED_PARTUUID = LEA_SPEC_PARTUUID,
	LEA_NEED_PARTLABEL = LEA_SPEC_PARTLABEL,
};

struct lea_need {
	enum lea_need_kind kind;
	const char *value; /* at most 255 bytes, without control characters */
	/* Who needs it, for messages: a mount point, "swap", the name of an encrypted device, a key
	 * of the kernel's command line, or "event/needed". */
	const char *user;
	/* How long systemd waits for the device, by x-systemd.device-timeout= of fstab or crypttab.
	 * UINT32_MAX: forever; 0: not given. Of several lines for one device the least counts. */
	uint32_t limit_ms;
};

/* Where needs come from. Texts are NUL-terminated and borrowed; NULL: there is none. */
struct lea_need_sources {
	const char *fstab, *crypttab, *cmdline;
	const char *device; /* one more, as mount(8) takes it: "UUID=1-2"; its user is "target" */
	struct lea_volume_list needed, last; /* event/needed and event/last; borrowed */
	/* Called for each line or word that is refused; the rest counts. @source: "/etc/fstab" and
	 * the like. @line: from 1; the number of the word in a list or the command line. @what:
	 * static text. May be NULL. */
	void (*refused)(void *arg, const char *source, uint32_t line, const char *what);
	void *arg;
};

struct lea_needs {
	const struct lea_need *need; /* each once, in the order of the sources */
	uint32_t count;
	/* The needs of kind WORD, for lea_select_rules.only; defined, perhaps empty. */
	struct lea_volume_list words;
	struct lea_volume_list last;
};

/*
 * lea_needs_parse - all sources into one list of needs
 * Returns 0 with needs (the caller frees them with lea_needs_free), or -ENOMEM.
 */
LEA_MUST_CHECK int lea_needs_parse(const struct lea_need_sources *sources,
				   struct lea_needs **ret_needs);
void lea_needs_free(struct lea_needs *needs); /* NULL is fine */
void lea_needs_freep(struct lea_needs **needs);

/*
 * lea_needs_add - one more need of kind WORD, once it is known which LV has a needed file system,
 *	or the needed ids
 * @word, @user: copied; @limit_ms: as in struct lea_need. Returns 0 (also for a word that is there
 * already), -EINVAL for a word that is not valid, -E2BIG beyond LEA_NEED_MOST, or -ENOMEM. Pointers
 * from needs->words and needs->need are stale afterwards.
 */
LEA_MUST_CHECK int lea_needs_add(struct lea_needs *needs, const char *word, const char *user,
				 uint32_t limit_ms);

/* The order in which VGs are activated. */
enum lea_need_class {
	LEA_CLASS_NEEDED,
	LEA_CLASS_NORMAL,
	LEA_CLASS_LAST,
	LEA_CLASSES, /* how many there are */
};

/*
 * lea_need_of_vg - the class of a VG
 * NEEDED: a need names the VG, one of its LVs, or a tag of either, or has its id. LAST: the list
 * "last" has the VG or each of its visible LVs, by name or tag. NORMAL otherwise; @needs NULL: all
 * are NORMAL. Takes one comparison for each word, and for words that match, one for each LV.
 */
enum lea_need_class lea_need_of_vg(const struct lea_needs *needs, const struct lea_vg *vg);

/* Is it of kind IDS, with this id of a VG? */
bool lea_need_has_vg_id(const struct lea_need *need, const char *vg_id);
/* Does the word name this VG, or an LV in it? */
bool lea_need_word_names_vg(const char *word, const char *vg_name);
/* Does an "@tag" of this list name the VG or one of its LVs? */
bool lea_need_is_tagged(const struct lea_volume_list *list, const struct lea_vg *vg);
