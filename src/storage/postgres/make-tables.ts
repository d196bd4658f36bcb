/** Of a schema, a table or an object that exists: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const EXISTS = ["23505", "42P06", "42P07", "42710"];

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

/**
 * Makes tables in one transaction, and once more if another process has made them meanwhile. A lock alone
 * does not prevent that: a connection which has looked before it got the lock may not see what was committed
 * since, until its next transaction.
 *
 * @param make - One whole transaction. It looks whether the tables are there, and makes them if not.
 */
export async function makeTables<Made>(make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    // A library may wrap the error of its connection.
    const codes = [error, (error as { cause?: unknown } | undefined)?.cause].map(codeOf);
    if (!codes.some((code) => EXISTS.includes(String(code)))) throw error;
    return make();
  }
}
