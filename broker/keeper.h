/*
 * The channel to the keeper, its loss and its return.
 */
#ifndef KEEPER_H
#define KEEPER_H

struct broker;

/* The keeper is there: speak with it on fd (taken). */
void	 keeper_connect(struct broker *, int fd);

#endif
