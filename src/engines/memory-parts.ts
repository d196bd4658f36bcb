/**
 * What `memory()` loads when it is used. In the package, it is one file that shares nothing with `malipo`: a bundler
 * that finds a shared file keeps all of it in the first load of a page.
 */
export { memoryIdempotency } from "../idempotency/memory/store.ts";
export { memoryInbox } from "../webhooks/inbox/memory/inbox.ts";

/** For orders, which are in a SQLite database in memory. In the package, it is the entry point of its own. */
export const loadSqlite = async () => (await import("./sqlite.ts")).sqlite;
