/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts that settings come from, in order of precedence. Internal to conf. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "conf/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_CONF_SOURCES  64U /* lvm.conf, lvmlocal.conf, lvmevent.conf, --config and tag files */

struct lea_conf_source {
	struct lea_text_tree *tree; /* owned */
	const char *name;	    /* of the file, below the folder of lvm.conf; NULL: none */
	bool is_file;		    /* files add to prepending lists; --config replaces */
};

/* State while reading; sources from weakest to strongest. */
struct lea_conf_reader {
	struct lea_world *world;
	struct lea_arena *arena; /* borrowed: owned by the configuration */
	struct lea_conf *conf;	 /* being filled */
	struct lea_conf_source source[LEA_CONF_SOURCES];
	uint32_t source_count;
	const char *tag[LEA_CONF_SOURCES]; /* host tags, in the order in which they were found */
	uint32_t tag_count;
	bool forgives;	 /* for services: a broken file may be ignored, if that is safe */
	bool may_ignore; /* the last file with LEA_CONF_BAD_FILE is safe to ignore */
};

/* Adds a file below conf->system_dir; a missing one is fine. 0, LEA_CONF_BAD_FILE (logged at @level
 * with file and line), or -errno. */
LEA_MUST_CHECK int lea_conf_add_file(struct lea_conf_reader *reader, const char *name,
				     enum lea_log_level level);
/* Defaults of the installed lvm2 that differ from the compiled-in ones (lvm_defaults.h). 0 or
 * -errno. */
LEA_MUST_CHECK int lea_conf_add_defaults(struct lea_conf_reader *reader);
/* lvm.conf, lvmlocal.conf, then lvm_TAG.conf of each host tag, which may define more tags. */
LEA_MUST_CHECK int lea_conf_add_files(struct lea_conf_reader *reader);
/* --config. 0, LEA_CONF_BAD_OPTION (logged), or -errno. */
LEA_MUST_CHECK int lea_conf_add_text(struct lea_conf_reader *reader, const char *text);
/* A profile must exist and be readable. 0, LEA_CONF_BAD_PROFILE (logged), or -errno. */
LEA_MUST_CHECK int lea_conf_check_profile(struct lea_conf_reader *reader, const char *name);
/* lvmevent.conf. @forgive: log a broken one as a warning, and go on without it. */
LEA_MUST_CHECK int lea_conf_add_own_file(struct lea_conf_reader *reader, bool forgive);
void lea_conf_sources_free(struct lea_conf_reader *reader);

/* Warns about a setting of a source, with its file and line. @what: "is not a boolean" */
void lea_conf_complain(const struct lea_conf_reader *reader, uint32_t source, const char *path,
		       const char *what);

/* A reader without sources, with conf->system_dir. 0, then to be ended by lea_conf_end; or -errno,
 * and there is nothing to end. */
LEA_MUST_CHECK int lea_conf_begin(struct lea_world *world, struct lea_conf_reader *ret_reader);
/* Fills the configuration: for each key its default, then the values of the sources. */
LEA_MUST_CHECK int lea_conf_read_keys(struct lea_conf_reader *reader);
/* Frees the sources. @outcome 0: *ret_conf is the configuration, owned by the caller; else it is
 * freed. Returns @outcome. */
LEA_MUST_CHECK int lea_conf_end(struct lea_conf_reader *reader, int outcome,
				const struct lea_conf **ret_conf);

/* The entry "section/key" of one source; NULL: absent, or the section is for other hosts. */
const struct lea_text *lea_conf_entry(const struct lea_conf_reader *reader, uint32_t source,
				      const char *path);
/* The string of "section/key" in the strongest source that has it; NULL: none. Borrowed. */
const char *lea_conf_string(const struct lea_conf_reader *reader, const char *path);

/*
 * lea_systemid_read - this host's system ID, by global/system_id_source
 * Sets conf->system_id (NULL: none) and logs lvm2's warnings. 0 or -errno.
 */
LEA_MUST_CHECK int lea_systemid_read(struct lea_conf_reader *reader);
