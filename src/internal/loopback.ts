/**
 * Is this the host of a URL on this machine? `localhost`, `*.localhost`, `127.0.0.0/8`, `[::1]`.
 * Takes the `hostname` of a parsed `URL`, in which every way of writing an address is the same.
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
