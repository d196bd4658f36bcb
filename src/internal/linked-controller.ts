/**
 * A controller that aborts with a signal too. Unlike `AbortSignal.any`, it takes a signal of another
 * realm or of a polyfill. After `unlink`, a signal that lives as long as the process does not keep it.
 */
export function linkedController(signal: AbortSignal | undefined): {
  readonly controller: AbortController;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  return { controller, unlink: () => signal?.removeEventListener("abort", onAbort) };
}
