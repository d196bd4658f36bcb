// What an engine asks a database about itself. It makes nothing.
import type { PostgresClient } from "./pool-types.ts";

const RIGHTS = `SELECT current_user::text AS role, string_agg(name, ', ') AS missing
  FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS name
  WHERE NOT has_table_privilege($1, name)`;

/** What the role of the connection may not do with a table, as a sentence. */
export async function missingRights(pool: PostgresClient, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ role: string; missing: string | null }>(RIGHTS, [table]);
  return rows.flatMap(({ role, missing }) =>
    missing === null
      ? []
      : `The role ${role} lacks rights on the table ${table}. Run as its owner: GRANT ${missing} ON ${table} TO ${role}.`,
  );
}

const SCHEMA_RIGHT = `SELECT current_user::text AS role,
  CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
    ELSE has_schema_privilege(to_regnamespace($1)::oid, 'CREATE') END AS may_make`;

/** Whether the role may make tables in a schema that may be missing, as a sentence if it may not. */
export async function missingSchemaRight(pool: PostgresClient, schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ role: string; may_make: boolean }>(SCHEMA_RIGHT, [schema]);
  return rows.flatMap(({ role, may_make: mayMake }) =>
    mayMake
      ? []
      : `The role ${role} may not make the tables that are missing in the schema ${schema}. Run the SQL of db.sql() as a role that may.`,
  );
}
