/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files under a directory descriptor: read whole, and published so that no reader ever sees
 * half of one. Names have no slash in them where something is created; a planted symbolic link is
 * never followed. libc only, because the static enqueuer links it. Nothing here logs.
 */
#ifndef LEA_BASE_FILE_H
#define LEA_BASE_FILE_H

#include "base/err.h"

#include <dirent.h>
#include <stddef.h>

enum lea_file_outcome {
	LEA_FILE_ABSENT = 1, /* no such file, or a folder on the way is not there */
	LEA_FILE_EXISTS,     /* create: there already, left alone */
};

/*
 * lea_file_read - a whole regular file into memory
 * @dir_fd:    folder, or AT_FDCWD
 * @name:      relative path below it; its last part must not be a symbolic link (-ELOOP)
 * @max_bytes: -EFBIG when there is more
 * @ret_text:  owned by the caller (free); a NUL follows the bytes
 * @ret_bytes: number of bytes without that NUL; may be NULL
 * Returns 0, LEA_FILE_ABSENT, or -errno; -EISDIR and -EINVAL: not a regular file. Files of
 * /proc and /sys are read to their end whatever size they claim.
 */
LEA_MUST_CHECK int lea_file_read(int dir_fd, const char *name, size_t max_bytes, char **ret_text,
				 size_t *ret_bytes);

/* The same for an administrator's file below /etc, which may well be a symbolic link. */
LEA_MUST_CHECK int lea_file_read_config(const char *path, size_t max_bytes, char **ret_text,
					size_t *ret_bytes);

/*
 * lea_file_read_into - the same without allocation, for values of known small size
 * Fills at most @size_bytes - 1 bytes of @buffer and a NUL behind them; what is beyond is cut.
 * Returns 0, LEA_FILE_ABSENT, or -errno. Three system calls.
 */
LEA_MUST_CHECK int lea_file_read_into(int dir_fd, const char *name, char *buffer,
				      size_t size_bytes);

/* An empty file, only if the name is free, mode 0600 (before umask). 0, LEA_FILE_EXISTS, or -errno.
 * One system call. */
LEA_MUST_CHECK int lea_file_create_empty(int dir_fd, const char *name);

/*
 * lea_file_create_in - lea_file_create in @folder below @dir_fd, which is made if need be
 * Four system calls where the file system has files without a name; at most 511 bytes of path.
 */
LEA_MUST_CHECK int lea_file_create_in(int dir_fd, const char *folder, const char *name,
				      const void *bytes, size_t len_bytes);

/*
 * lea_file_create - publish whole, only if the name is free
 * Written under a hidden name (".new-...") in the same folder, mode 0600, then linked. Crash-safe
 * towards readers; not synced to disk (these folders are on tmpfs).
 * Returns 0, LEA_FILE_EXISTS, or -errno.
 */
LEA_MUST_CHECK int lea_file_create(int dir_fd, const char *name, const void *bytes,
				   size_t len_bytes);

/* The same by rename: what was there is replaced at once. 0 or -errno. */
LEA_MUST_CHECK int lea_file_replace(int dir_fd, const char *name, const void *bytes,
				    size_t len_bytes);

/* Removes a file. 0, LEA_FILE_ABSENT, or -errno. */
LEA_MUST_CHECK int lea_file_remove(int dir_fd, const char *name);

/* The same in @folder below @dir_fd; a folder that is a symbolic link is not followed (-ELOOP,
 * -ENOTDIR). */
LEA_MUST_CHECK int lea_file_remove_in(int dir_fd, const char *folder, const char *name);

/*
 * lea_file_check_private - may only we and root write into this open folder?
 * Whoever else may could put links into it under names that we are about to use. 0, -EPERM, or
 * another -errno.
 */
LEA_MUST_CHECK int lea_file_check_private(int folder_fd);

/*
 * lea_file_list - opens a folder for readdir(); a link in its place is refused
 * The caller closes *ret_dir. -errno: -ENOENT if it is not there.
 */
LEA_MUST_CHECK int lea_file_list(int dir_fd, const char *path, DIR **ret_dir);

/*
 * lea_file_tidy - removes hidden names whose maker died before it could publish them
 * Those of living processes stay. Reads the folder once; faults don't matter: it is tried again.
 */
void lea_file_tidy(int dir_fd, const char *folder);

/* A folder, 0700, made if it is not there; -ENOTDIR when the name is something else. Its
 * descriptor (owned) is returned, or -errno; a symbolic link is refused. */
LEA_MUST_CHECK int lea_file_open_folder(int dir_fd, const char *name);

/* The same without the descriptor. 0 or -errno. */
LEA_MUST_CHECK int lea_file_make_folder(int dir_fd, const char *name);

#endif
