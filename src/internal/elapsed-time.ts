/** How much time has passed since a moment, in milliseconds, by each clock of the machine. */
export interface ElapsedTime {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/**
 * Notes both clocks. While a machine is suspended, the monotonic clock may stand still; the wall clock may
 * be set. What must not happen late is decided by the clock that says more.
 */
export function startClocks(): () => ElapsedTime {
  const wallStart = Date.now();
  const monotonicStart = performance.now();
  return () => ({
    wallMs: Date.now() - wallStart,
    monotonicMs: performance.now() - monotonicStart,
  });
}
