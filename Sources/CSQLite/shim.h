#include <sqlite3.h>

// Whether a word in double quotes that names no column is a text. sqlite3_db_config is variadic, and Swift cannot call it.
static inline void csqlite_allow_double_quoted_texts(sqlite3 *database, int are_allowed) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, are_allowed, (void *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, are_allowed, (void *)0);
}
