// What PostgreSQL says about the rights of the role of a connection. It makes nothing.

type Query = (
  text: string,
  values?: unknown[],
) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

// What the role may do with a schema that is missing is NULL.
const RIGHTS = `WITH made AS (
    SELECT oid FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relname = ANY ($2::text[]))
  SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
    has_database_privilege(current_database(), 'CREATE') AS may_make_schema,
    has_schema_privilege(to_regnamespace($1)::oid, 'CREATE') AS may_make_tables,
    has_schema_privilege(to_regnamespace($1)::oid, 'USAGE') AS may_use_schema,
    (SELECT count(*)::int FROM made) AS made,
    (SELECT string_agg(DISTINCT name, ', ') FROM made,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS name
      WHERE NOT has_table_privilege(made.oid, name)) AS missing`;

interface Rights {
  readonly role: string;
  readonly database: string;
  readonly may_make_schema: boolean;
  readonly may_make_tables: boolean | null;
  readonly may_use_schema: boolean | null;
  /** How many of the tables are there. */
  readonly made: number;
  /** What the role may not do with each of them. */
  readonly missing: string | null;
}

/**
 * The right that a role lacks to make or use tables, in a sentence with the SQL that grants it; `undefined` if it lacks none.
 *
 * @param tables - Their names without the schema.
 */
export async function missingRight(
  query: Query,
  schema: string,
  tables: readonly string[],
): Promise<string | undefined> {
  const rights = (await query(RIGHTS, [schema, tables])).rows[0] as unknown as Rights;
  const { role, database, made } = rights;
  const use = `GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}.`;
  const toMake = (right: string) =>
    `The role ${role} lacks the right to make tables. Run as the owner: GRANT ${right} TO ${role}. Or have another role run the SQL that db.sql() prints, and then: ${use}`;
  if (made < tables.length) {
    const hasSchema = rights.may_make_tables !== null;
    if (hasSchema ? rights.may_make_tables : rights.may_make_schema) return undefined;
    return toMake(
      hasSchema ? `USAGE, CREATE ON SCHEMA ${schema}` : `CREATE ON DATABASE ${database}`,
    );
  }
  const missing = rights.may_use_schema === false ? "USAGE" : rights.missing;
  if (missing === null) return undefined;
  return `The role ${role} lacks rights in the schema ${schema}: ${missing}. Run as the owner: ${use}`;
}
