// Failures of looking up a name and of opening a connection, by the code that runtimes give them:
// nothing of the request can have left this machine.
const NOT_SENT_CODES = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused", // Bun
]);
// These happen on open connections too: only `connect` tells that there was none yet.
const NOT_SENT_ON_CONNECT = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);

const MAX_DEPTH = 8;

/**
 * Did this failure of `fetch` come before anything was sent? Looks through the causes; if a
 * host's several addresses were tried, all must have failed so.
 */
export function failedBeforeSending(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > MAX_DEPTH) return false;
  const { code, syscall, errors, cause } = error as {
    code?: unknown;
    syscall?: unknown;
    errors?: unknown;
    cause?: unknown;
  };
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((one) => failedBeforeSending(one, depth + 1));
  }
  if (typeof code === "string") {
    if (NOT_SENT_CODES.has(code)) return true;
    if (NOT_SENT_ON_CONNECT.has(code)) return syscall === "connect";
  }
  return failedBeforeSending(cause, depth + 1);
}

/** The code of a failure, such as `ECONNREFUSED`: the first of its causes that has one. */
export function failureCode(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > MAX_DEPTH) return undefined;
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown };
  if (typeof code === "string" && /^\w+$/.test(code)) return code;
  return failureCode(Array.isArray(errors) ? errors[0] : cause, depth + 1);
}
