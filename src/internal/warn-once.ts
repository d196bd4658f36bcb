/**
 * Tells each warning once.
 *
 * @param onWarning - A function of the user: if it throws, nothing fails.
 */
export function warnOnce(onWarning: (warning: string) => void): (warning: string) => void {
  const told = new Set<string>();
  return (warning) => {
    if (told.has(warning)) return;
    told.add(warning);
    try {
      onWarning(warning);
    } catch {
      // A log that fails is no reason to reject a payment.
    }
  };
}
