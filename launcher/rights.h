/*
 * What the launcher gives up.
 */
#ifndef RIGHTS_H
#define RIGHTS_H

/* All but SETUID and SETGID; with them the calls that nobody below needs. */
void	 rights_drop(void);

#endif
