/*
 * The mounter's one skill.
 */
#ifndef MOUNT_H
#define MOUNT_H

#include "peer.h"

struct mounter;

struct mounter	*mounter_new(void);

/* What the warden says, with a struct mounter as the peer's context. */
extern const struct handler	mounter_handlers[];

#endif
