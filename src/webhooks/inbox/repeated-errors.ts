import { isEngineAway } from "../../storage/engine-away.ts";
import type { DeletedError } from "./errors.ts";

/** How long the same error is not reported again. */
const QUIET_MS = 60_000;

/** How many kinds of errors are told apart. */
const MAX_KINDS = 100;

/** What two reports of one failure have in common: not the ports, ids and times in their messages. */
function kindOf(error: unknown): string {
  if (isEngineAway(error)) return "away";
  const { name, code, message } = (error ?? {}) as Record<string, unknown>;
  const text = String(message ?? error).replace(/[\da-f-]+/gi, (run) =>
    /\d/.test(run) ? "0" : run,
  );
  return `${String(name)} ${String(code)} ${text}`;
}

/**
 * A function that reports an error unless it reported one of the same kind in the last minute: an
 * engine that is away fails each try, hundreds of times a second. Each deletion of events is reported:
 * it is not the same as the one before.
 */
export function reportOncePerMinute(report: (error: unknown) => void): (error: unknown) => void {
  const reportedAt = new Map<string, number>();
  return (error) => {
    const { isDeletion } = Object(error) as Partial<DeletedError>;
    if (isDeletion === true) return report(error);
    const kind = kindOf(error);
    const now = performance.now();
    if (now - (reportedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    if (reportedAt.size >= MAX_KINDS) reportedAt.clear();
    reportedAt.set(kind, now);
    report(error);
  };
}
