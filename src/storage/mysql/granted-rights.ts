// What MariaDB and MySQL say about the rights of the user of a connection. Nothing is changed.
import { type Component, metaOf, tablesOf } from "../component.ts";
import type { Dialect } from "../dialect.ts";
import type { RunStatement } from "../server-tables.ts";
import { statement } from "../sql-steps.ts";
import { type PositionalStatement, positional } from "./mysql-dialect.ts";
import { grantTo } from "./mysql-errors.ts";
import { OWNER } from "./pool.ts";

type Run = RunStatement<PositionalStatement>;

const GRANTS: PositionalStatement = { text: "SHOW GRANTS", names: [], kind: "query" };
const WHO = positional(statement("SELECT DATABASE() AS name, CURRENT_USER() AS account"));

/** Who the user is, and the SQL that grants what he may lack. */
export async function userOf(run: Run) {
  const [row] = (await run(WHO, [])).rows;
  const [name, host] = String(row?.account).split(/@(?=[^@]*$)/);
  const account = `'${name}'@'${host}'`;
  const database = String(row?.name);
  const advice = `Run as an administrator: ${grantTo(account, `\`${database}\``)}`;
  return { account, database, advice };
}

/** Statements that change nothing, and fail without the right to change something. */
export async function tryRights(run: Run, dialect: Dialect, component: Component): Promise<void> {
  const statements = [
    `UPDATE ${metaOf(dialect, component)} SET value = value WHERE 1 = 0`,
    ...tablesOf(dialect, component).flatMap((table) => [
      `INSERT INTO ${table} SELECT * FROM ${table} WHERE 1 = 0`,
      `DELETE FROM ${table} WHERE 1 = 0`,
    ]),
  ];
  for (const text of statements) await run(positional(statement(text)), []);
}

/** Whether the pattern of a grant, such as `shop\_%`, is for this database. */
function isFor(pattern: string, database: string): boolean {
  const parts = pattern.match(/\\.|[^\\]/gs) ?? [];
  const text = parts.map((part) => {
    if (part === "%") return ".*";
    if (part === "_") return ".";
    return part.slice(-1).replace(/[^\p{L}\p{N}]/u, "\\$&");
  });
  // Whether names of one spelling are the same database depends on the server.
  return new RegExp(`^${text.join("")}$`, "is").test(database);
}

/**
 * Whether a user may make tables, by the lines of SHOW GRANTS; `true` if they do not say it, since a role may have the right.
 *
 * @see https://mariadb.com/kb/en/show-grants/
 */
export function mayMakeTables(grants: readonly string[], database: string): boolean {
  if (grants.some((line) => !/^GRANT .+ ON /.test(line))) return true;
  const rights = grants.flatMap((line) => {
    const [, names = "", pattern = ""] =
      /^GRANT (.+) ON (?:[`"](.+)[`"]|\*)\.\* TO /.exec(line) ?? [];
    return pattern === "" || isFor(pattern, database) ? names.split(", ") : [];
  });
  return (
    rights.includes("ALL PRIVILEGES") || ["CREATE", "INDEX"].every((one) => rights.includes(one))
  );
}

/** What the user is to be granted to make tables, in a sentence; `undefined` if nothing. */
export async function missingRightToMake(run: Run): Promise<string | undefined> {
  const { rows } = await run(GRANTS, []);
  const { account, database, advice } = await userOf(run);
  if (
    mayMakeTables(
      rows.map((row) => String(Object.values(row)[0])),
      database,
    )
  )
    return undefined;
  return `${OWNER}: The user ${account} lacks the right to make tables. ${advice}`;
}
