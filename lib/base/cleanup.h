/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resources that close themselves at the end of their scope, and the explicit hand-over.
 */
#ifndef LEA_BASE_CLEANUP_H
#define LEA_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* LEA_AUTO(lea_freep) char *s = ...: @func gets a pointer to the variable when the scope ends. */
#define LEA_AUTO(func) __attribute__((cleanup(func)))

/* LEA_TAKE(p): the value of p, which is NULL from now on: ownership moves to whoever reads it. */
#define LEA_TAKE(p)                                                                                \
	__extension__({                                                                            \
		__typeof__(p) lea_taken_ = (p);                                                    \
		(p) = NULL;                                                                        \
		lea_taken_;                                                                        \
	})

/* LEA_TAKE_FD(fd): the same for a descriptor, which is -1 from now on. */
#define LEA_TAKE_FD(fd)                                                                            \
	__extension__({                                                                            \
		int lea_taken_ = (fd);                                                             \
		(fd) = -1;                                                                         \
		lea_taken_;                                                                        \
	})

static inline void lea_freep(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}

static inline void lea_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void lea_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static inline void lea_fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

#endif
