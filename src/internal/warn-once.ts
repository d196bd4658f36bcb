/**
 * Calls `onWarning` once for each warning.
 *
 * @param onWarning - A function of the user: if it throws, nothing fails.
 */
export function warnOnce(onWarning: (warning: string) => void): (warning: string) => void {
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
