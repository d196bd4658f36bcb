// Taken when the module loads: a test that replaces the global timers and the global date later must
// not stop the sandbox's own.
export const { setTimeout, clearTimeout } = globalThis;
/** No timer takes longer. */
export const LONGEST_TIMEOUT_MS: number = 2 ** 31 - 1;
export const machineTime: () => number = Date.now;
