/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resources that are released at the end of their scope, macros that hand them over, and arrays
 * that grow. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* LEA_AUTO(lea_freep) char *s = ...: calls @func with a pointer to the variable at the end of the
 * scope. */
#define LEA_AUTO(func) __attribute__((cleanup(func)))

/* Defines @name for LEA_AUTO: it calls @release, which accepts NULL, with the @type pointer. */
#define LEA_DEFINE_FREEP(type, name, release)                                                      \
	static inline void name(type **pointer)                                                    \
	{                                                                                          \
		release(*pointer);                                                                 \
	}                                                                                          \
	struct lea_needs_semicolon

/* LEA_TAKE(p): returns the value of p and sets p to NULL; the receiver becomes the owner. */
#define LEA_TAKE(p)                                                                                \
	__extension__({                                                                            \
		__typeof__(p) lea_taken_ = (p);                                                    \
		(p) = NULL;                                                                        \
		lea_taken_;                                                                        \
	})

/* LEA_TAKE_FD(fd): the same for a descriptor, which becomes -1. */
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

/* Makes room for @count elements of @size bytes in the array that @pointer_to_pointer points to.
 * *room: elements that fit. Returns 0 or -ENOMEM: the array stays as it was. */
static inline int lea_make_room(void *pointer_to_pointer, size_t *room, size_t count, size_t size)
{
	const size_t more = count > 2 * *room ? count : 2 * *room;
	void *array;

	if (count <= *room)
		return 0;
	memcpy(&array, pointer_to_pointer, sizeof(array));
	array = reallocarray(array, more, size);
	if (!array)
		return -ENOMEM;
	memcpy(pointer_to_pointer, &array, sizeof(array));
	*room = more;
	return 0;
}
