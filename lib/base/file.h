/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files under a directory descriptor. Reads return the whole file; writes publish it so that
 * no reader ever sees half of it. Names of new files contain no slash. Symbolic links are not
 * followed, except by lea_file_read_config. Uses libc only, because the static enqueuer links it.
 * Does not log.
 */
#pragma once

#include "base/err.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/types.h>

enum lea_file_outcome {
	LEA_FILE_ABSENT = 1, /* no such file, or a folder of the path does not exist */
	LEA_FILE_EXISTS,     /* create: the name exists; the file was left alone */
	LEA_FILE_NO_LINK,    /* read_link: it is something else */
};

/*
 * lea_file_read - a whole regular file into memory
 * @dir_fd: folder, or AT_FDCWD
 * @name: path below it; the last part must not be a symbolic link (-ELOOP)
 * @max_bytes: larger files fail with -EFBIG
 * @ret_text: owned by the caller (free); a NUL follows the bytes
 * @ret_bytes: number of bytes without that NUL; may be NULL
 * Returns 0, LEA_FILE_ABSENT, or -errno (-EISDIR, -EINVAL: not a regular file). Files of /proc and
 * /sys are read to their end, whatever size fstat reports.
 */
LEA_MUST_CHECK int lea_file_read(int dir_fd, const char *name, size_t max_bytes, char **ret_text,
				 size_t *ret_bytes);

/* The same for a configuration file, which may be a symbolic link. */
LEA_MUST_CHECK int lea_file_read_config(const char *path, size_t max_bytes, char **ret_text,
					size_t *ret_bytes);

/*
 * lea_file_read_into - the same without allocation, for short values
 * Reads at most @size_bytes - 1 bytes into @buffer and adds a NUL; ignores the rest of the file.
 * Returns 0, LEA_FILE_ABSENT, or -errno. Three system calls.
 */
LEA_MUST_CHECK int lea_file_read_into(int dir_fd, const char *name, char *buffer,
				      size_t size_bytes);

/* Creates an empty file, mode 0600 minus umask. 0, LEA_FILE_EXISTS or -errno. One system call. */
LEA_MUST_CHECK int lea_file_create_empty(int dir_fd, const char *name);
LEA_MUST_CHECK int lea_file_create_empty_as(int dir_fd, const char *name, mode_t mode);

/*
 * lea_file_create_in - lea_file_create in @folder below @dir_fd; creates the folder if necessary
 * Takes four system calls if the file system supports O_TMPFILE. The path is limited to 511 bytes.
 */
LEA_MUST_CHECK int lea_file_create_in(int dir_fd, const char *folder, const char *name,
				      const void *bytes, size_t len_bytes);

/*
 * lea_file_create - publish a complete file if the name is free
 * Writes a hidden file (".new-...") in the same folder, mode 0600, and links it to @name. A crash
 * leaves readers with the whole file or none. No fsync: these folders are on tmpfs. Returns 0,
 * LEA_FILE_EXISTS, or -errno.
 */
LEA_MUST_CHECK int lea_file_create(int dir_fd, const char *name, const void *bytes,
				   size_t len_bytes);

/* The same by rename: atomically replaces an existing file. 0 or -errno. */
LEA_MUST_CHECK int lea_file_replace(int dir_fd, const char *name, const void *bytes,
				    size_t len_bytes);

/*
 * The same in steps, for who has to know what is replaced.
 * lea_file_stage: writes a complete file in the folder, under a hidden name, which the caller removes,
 * renames or exchanges. 0 or -errno, with nothing left.
 * lea_file_name_staged: gives it its name, if that is free. 0, LEA_FILE_EXISTS or -errno.
 * lea_file_exchange: gives it the name of a file, and that file the hidden name, at once. 0,
 * LEA_FILE_ABSENT: there is none, or -errno.
 */
#define LEA_FILE_HIDDEN_BYTES 80U
LEA_MUST_CHECK int lea_file_stage(int dir_fd, const void *bytes, size_t len_bytes,
				  char ret_hidden[static LEA_FILE_HIDDEN_BYTES]);
LEA_MUST_CHECK int lea_file_name_staged(int dir_fd, const char *hidden, const char *name);
LEA_MUST_CHECK int lea_file_exchange(int dir_fd, const char *hidden, const char *name);

/* The same for a folder on a disk: file and name are on the disk before it returns. Blocks. */
LEA_MUST_CHECK int lea_file_replace_durably(int dir_fd, const char *name, const void *bytes,
					    size_t len_bytes);

/*
 * Short texts as targets of symbolic links that lead nowhere: one call writes such a text whole,
 * and one reads it, where a file takes four and three. For what is written and read for each VG.
 * @path: below @dir_fd. Texts have fewer than LEA_FILE_LINK_BYTES characters, and at least one.
 */
#define LEA_FILE_LINK_BYTES 4096U

/* 0, LEA_FILE_EXISTS (whatever has the name), LEA_FILE_ABSENT: its folder, or -errno. */
LEA_MUST_CHECK int lea_file_create_link(int dir_fd, const char *path, const char *text);
/* Atomically replaces what has the name, which is none with a slash. 0 or -errno. */
LEA_MUST_CHECK int lea_file_replace_link(int dir_fd, const char *name, const char *text);
/* Reads at most @size_bytes - 1 bytes and adds a NUL; ignores the rest of the text. Returns 0,
 * LEA_FILE_ABSENT, LEA_FILE_NO_LINK or -errno. */
LEA_MUST_CHECK int lea_file_read_link(int dir_fd, const char *path, char *buffer,
				      size_t size_bytes);

/*
 * lea_file_lock - take the exclusive lock (flock) of an open file or folder, within about @most_ms
 * Closing @fd releases it. 0, -EAGAIN: another process has it all the time, or another -errno.
 */
LEA_MUST_CHECK int lea_file_lock(int fd, uint32_t most_ms);

/* Does the file, folder or link exist? 1: yes, 0: no, or a shortage (base/err.h): not known. Where it
 * cannot be passed on, a caller compares with 0 and says what "not known" means there. One system
 * call. */
LEA_MUST_CHECK int lea_file_ask(int dir_fd, const char *path);

/* Removes a file. 0, LEA_FILE_ABSENT, or -errno. */
LEA_MUST_CHECK int lea_file_remove(int dir_fd, const char *name);

/* The same in @folder below @dir_fd. A symbolic link as @folder fails with -ELOOP or -ENOTDIR. */
LEA_MUST_CHECK int lea_file_remove_in(int dir_fd, const char *folder, const char *name);

/*
 * lea_file_check_private - may only root and our user write into this open folder?
 * Other writers could plant links under the names that we use. 0, -EPERM, or another -errno.
 */
LEA_MUST_CHECK int lea_file_check_private(int folder_fd);

/*
 * lea_file_list - open a folder for lea_file_next; refuses a symbolic link
 * The caller closes *ret_dir. Returns 0 or -errno (-ENOENT: no such folder).
 */
LEA_MUST_CHECK int lea_file_list(int dir_fd, const char *path, DIR **ret_dir);
/*
 * lea_file_next - the next name in the folder, but "." and ".."
 * @r: the outcome of the walk so far. Anything but 0 ends it, and a listing that breaks off sets it
 * to -errno: then the names that were not listed may be there.
 * NULL: the walk is over. The entry is @dir's, until the next call.
 */
const struct dirent *lea_file_next(DIR *dir, int *r);

/*
 * lea_file_tidy - remove hidden files whose process died before it published them
 * Files of living processes stay. Reads the folder once and ignores faults.
 */
void lea_file_tidy(int dir_fd, const char *folder);

/* Opens a folder and creates it (0700) if necessary. Returns the descriptor (owned by the caller)
 * or -errno; -ENOTDIR if the name is not a folder, -ELOOP or -ENOTDIR if it is a symbolic link. */
LEA_MUST_CHECK int lea_file_open_folder(int dir_fd, const char *name);

/* Creates the folder without opening it. 0 (also if it exists) or -errno. */
LEA_MUST_CHECK int lea_file_make_folder(int dir_fd, const char *name);
