import { checkFunction } from "./check-options.ts";

/**
 * Calls `onWarning` once for each warning.
 *
 * @param onWarning - An option of the user: if it throws, nothing fails.
 * @throws {ConfigurationError} for anything but a function.
 */
export function warnOnce(
  // biome-ignore lint/suspicious/noConsole: a merchant who set nothing up must see it too.
  onWarning: ((warning: string) => void) | undefined = console.warn,
): (warning: string) => void {
  checkFunction("onWarning", onWarning);
  const given = new Set<string>();
  return (warning) => {
    if (given.has(warning)) return;
    given.add(warning);
    try {
      onWarning(warning);
    } catch {
      // A log that fails must not make a payment fail.
    }
  };
}
