/* SQLite, with its variadic calls made callable, and what a store asks of the system beside it. */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Refuses statements that could damage the file (writable_schema, shadow tables): nothing of ours needs them. */
static inline int af_sqlite_defend(sqlite3 *_Nonnull database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/* The magic number of the file system that an open file is on (statfs(2)), or 0 where that is not known. */
static inline unsigned long af_file_system_magic(int file) {
  struct statfs status;
  return fstatfs(file, &status) == 0 ? (unsigned long)(unsigned int)status.f_type : 0;
}

/* Copies from where one file stands to where the other does, in the kernel, sharing blocks where it can: copy_file_range(2). */
static inline long af_copy_file_range(int from, int to, unsigned long count) {
  return syscall(SYS_copy_file_range, from, (void *)0, to, (void *)0, count, 0U);
}

#endif
