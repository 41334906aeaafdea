/*
 * One cgroup below which those of jails go, as a directory.
 */
#ifndef TREES_DIR_H
#define TREES_DIR_H

/* As mkdir(2), also where the parent has no write bit. */
int	 trees_mkdir(const char *path);
/* Remove it with the cgroups in it, within some seconds, or a warning. */
void	 trees_rmdir(const char *path);
/* Remove those below parent that a daemon left which could not clean up. */
void	 trees_sweep(const char *parent);

#endif
