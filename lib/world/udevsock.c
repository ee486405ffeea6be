/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/udevsock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#define UDEV_GROUP 2U /* multicast; 1 is the kernel's */

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(struct ucred))];
};

static bool is_of_root(struct msghdr *msg)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(msg);
	struct ucred sender;

	if (!control || control->cmsg_level != SOL_SOCKET ||
	    control->cmsg_type != SCM_CREDENTIALS || control->cmsg_len < CMSG_LEN(sizeof(sender)))
		return false;
	memcpy(&sender, CMSG_DATA(control), sizeof(sender));
	return sender.uid == 0;
}

static bool is_broadcast(const struct msghdr *msg, const struct sockaddr_nl *from)
{
	return msg->msg_namelen >= sizeof(*from) && from->nl_family == AF_NETLINK &&
	       from->nl_groups == UDEV_GROUP;
}

int lea_udevsock_read(int fd, char *bytes, size_t size_bytes, size_t *ret_len_bytes)
{
	union control control;
	struct sockaddr_nl from;
	struct iovec part = {.iov_base = bytes, .iov_len = size_bytes};
	struct msghdr msg;
	ssize_t n;

	for (;;) {
		msg = (struct msghdr){.msg_name = &from,
				      .msg_namelen = sizeof(from),
				      .msg_iov = &part,
				      .msg_iovlen = 1,
				      .msg_control = &control,
				      .msg_controllen = sizeof(control)};
		n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ENOBUFS)
			return LEA_UDEVSOCK_LOST;
		if (n < 0)
			return errno == EAGAIN ? LEA_UDEVSOCK_NONE : -errno;
		if (!is_broadcast(&msg, &from) || !is_of_root(&msg))
			continue;
		if (msg.msg_flags & MSG_TRUNC)
			return LEA_UDEVSOCK_LOST;
		*ret_len_bytes = (size_t)n;
		return 0;
	}
}
