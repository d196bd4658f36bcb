import { ConfigurationError } from "../../errors/configuration.ts";
import { encodeText } from "../../internal/utf8.ts";

/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS */
const MAX_BYTES = 63;

/**
 * PostgreSQL cuts longer names off, so two of them could be one.
 *
 * @param added - The longest text that follows it in the name of an index.
 * @throws {ConfigurationError} for a name that PostgreSQL would cut off.
 */
export function checkNameLength(option: string, name: string, added = ""): void {
  const most = MAX_BYTES - added.length;
  const bytes = encodeText(name).length;
  if (bytes <= most) return;
  throw new ConfigurationError(
    `\`${option}\` must be a name of at most ${most} bytes; got ${bytes} bytes: ${JSON.stringify(name)}. PostgreSQL would cut it off, and two names could become one. Use a shorter name.`,
  );
}
