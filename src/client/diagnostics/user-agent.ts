import { isBrowser } from "../runtime.ts";

/** The build puts the version of the package here. The sources, run as they are, have none. */
declare const PACKAGE_VERSION: string | undefined;

const VERSION = typeof PACKAGE_VERSION === "string" ? PACKAGE_VERSION : "0.0.0";

/**
 * What a gateway sends as its `User-Agent`: this package and the runtime, such as
 * `malipo/1.2.0 Node.js/24`, and nothing else. `undefined` in a browser: it sends its own, and a header
 * that is set would make every request of another origin a preflight.
 */
export function userAgent(navigator: { userAgent?: string } = globalThis.navigator ?? {}) {
  if (isBrowser()) return undefined;
  const runtime = /^[ -~]+$/.test(navigator.userAgent ?? "") ? ` ${navigator.userAgent}` : "";
  return `malipo/${VERSION}${runtime}`;
}
