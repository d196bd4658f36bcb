// What the settings of a server mean for what is stored on it.

/** The variables of the server for this connection, by their names, and the name of its `database`. */
type Settings = ReadonlyMap<string, string>;

const OLDEST = { MariaDB: [10, 6, 0], MySQL: [8, 0, 17] } as const;

/** What this server is, if it is too old. */
function tooOld(version: string): string | undefined {
  const name = /mariadb/i.test(version) ? "MariaDB" : "MySQL";
  // A proxy may write 5.5.5- before the version of a MariaDB.
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})/.exec(version.replace(/^5\.5\.5-/, ""));
  const [, ...parts] = found ?? [];
  const oldest = OLDEST[name];
  const at = oldest.findIndex((part, n) => Number(parts[n]) !== part);
  if (at === -1 || Number(parts[at]) > (oldest[at] ?? 0)) return undefined;
  return `This is ${name} ${version}. Use MariaDB ${OLDEST.MariaDB.join(".")}, MySQL ${OLDEST.MySQL.join(".")}, or a later version.`;
}

const isOn = (value = ""): boolean => /^(?:1|ON)$/i.test(value);
const list = (value = ""): string[] => value.toUpperCase().split(",");

/** Settings with which statements would do something else than they say. */
const PROBLEMS: readonly ((settings: Settings) => string | undefined | false)[] = [
  (all) =>
    all.get("database") === "" &&
    "The address names no database. Add its name at the end: mysql://localhost/shop.",
  (all) => tooOld(all.get("version") ?? ""),
  (all) =>
    !list(all.get("sql_mode")).some((mode) => mode.startsWith("STRICT_")) &&
    "The `sql_mode` of this connection is not strict, so the server would cut off what is too long. Add STRICT_TRANS_TABLES to it.",
  (all) =>
    list(all.get("sql_mode")).includes("NO_BACKSLASH_ESCAPES") &&
    "The `sql_mode` of this connection has NO_BACKSLASH_ESCAPES, for which mysql2 does not quote texts. Take it out.",
  (all) =>
    !isOn(all.get("autocommit")) &&
    "This connection has `autocommit = 0`, so what is written would not be committed. Set autocommit = 1.",
  (all) =>
    ["character_set_client", "character_set_connection", "character_set_results"].some(
      (name) => all.get(name) !== "utf8mb4",
    ) &&
    'The character set of this connection is not utf8mb4, so names would be changed. Make the pool with charset: "utf8mb4".',
  (all) =>
    isOn(all.get("log_bin")) &&
    all.get("binlog_format")?.toUpperCase() === "STATEMENT" &&
    "This server has `binlog_format = STATEMENT`, with which it rejects transactions that read what others have committed. Set binlog_format = ROW or MIXED.",
];

/** Settings with which this server can lose what it has acknowledged, or refuse it. */
const RISKS: readonly ((settings: Settings) => string | undefined | false)[] = [
  (all) =>
    all.get("innodb_flush_log_at_trx_commit") !== "1" &&
    "This server loses what it acknowledged when it crashes: `innodb_flush_log_at_trx_commit` is not 1. Set `innodb_flush_log_at_trx_commit = 1`.",
  // Which transactions were committed is read from the binary log then.
  (all) =>
    isOn(all.get("log_bin")) &&
    all.get("sync_binlog") !== "1" &&
    "This server loses what it acknowledged when its machine crashes: it has a binary log, and `sync_binlog` is not 1. Set `sync_binlog = 1`.",
  (all) =>
    /^(?:0|OFF)$/i.test(all.get("innodb_doublewrite") ?? "") &&
    "This server can lose its tables when its machine crashes: `innodb_doublewrite` is off. Set `innodb_doublewrite = ON`.",
  (all) =>
    Number(all.get("max_allowed_packet")) < 4 * 1_024 * 1_024 &&
    "This server takes no statement above `max_allowed_packet`, which is less than 4 MB: an event may be larger. Set `max_allowed_packet = 16M`.",
  // Locks of rows, those of GET_LOCK, and what was read are of one node: https://mariadb.com/kb/en/mariadb-galera-cluster-known-limitations/
  (all) =>
    isOn(all.get("wsrep_on")) &&
    !/^(?:none)?$/i.test(all.get("wsrep_provider") ?? "") &&
    "This server is a node of a Galera cluster, whose nodes do not share locks: with processes on two nodes, a phone may get two prompts. Connect all processes to the same node.",
];

const found = (rows: typeof RISKS, settings: Settings): string[] =>
  rows.flatMap((row) => row(settings) || []);

/** What must be changed before anything can be stored. `undefined` if nothing must. */
export const settingsProblem = (settings: Settings): string | undefined =>
  found(PROBLEMS, settings)[0];

/** One sentence for each setting that should be changed. */
export const settingsRisks = (settings: Settings): string[] => found(RISKS, settings);
