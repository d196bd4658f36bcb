import { ConfigurationError } from "../../errors/configuration.ts";
import { STANDARD_RETENTION_MS } from "./types.ts";

/** How long to remember, where the options of an inbox are in order. */
export function retentionOf(
  inbox: string,
  options: { readonly retentionMs?: number | undefined },
  known: readonly string[],
): number {
  for (const name in options) {
    if (known.includes(name)) continue;
    throw new ConfigurationError(`${inbox} has no option "${name}". It has ${known.join(", ")}.`);
  }
  const { retentionMs = STANDARD_RETENTION_MS } = options;
  if (Number.isFinite(retentionMs) && retentionMs > 0) return retentionMs;
  throw new ConfigurationError(
    `${inbox}: \`retentionMs\` is ${String(retentionMs)}. It takes a number of milliseconds above 0.`,
  );
}
