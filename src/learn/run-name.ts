/** A name for a run: eight random hexadecimal digits. */
export const newRun = (): string => crypto.randomUUID().slice(0, 8);
