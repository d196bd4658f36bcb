// What a runtime shows of itself. Read through `globalThis`, since most of it is missing somewhere.
interface Runtime {
  readonly process?: {
    readonly env?: Record<string, string | undefined>;
    readonly versions?: { readonly node?: string };
  };
  readonly Deno?: unknown;
  readonly navigator?: { readonly userAgent?: string; readonly product?: string };
  readonly document?: unknown;
  readonly WorkerGlobalScope?: unknown;
}

/**
 * Does this code run where a customer can read it? A window, a web worker and React Native are
 * browsers. Node (under jsdom too), Bun, Deno and Cloudflare Workers are not.
 */
export function isBrowser(runtime: Runtime = globalThis as Runtime): boolean {
  const { process, Deno, navigator, document, WorkerGlobalScope } = runtime;
  // Bundlers put an empty `process` into browsers: only a version tells a real one.
  const isServer =
    typeof process?.versions?.node === "string" ||
    Deno !== undefined ||
    navigator?.userAgent === "Cloudflare-Workers";
  if (isServer) return false;
  return (
    document !== undefined ||
    WorkerGlobalScope !== undefined ||
    navigator?.product === "ReactNative"
  );
}

/** An environment variable; `undefined` where it is unset, empty, or there is no environment. */
export function environment(name: string): string | undefined {
  try {
    return (globalThis as Runtime).process?.env?.[name] || undefined;
  } catch {
    // Deno refuses to show the environment without permission.
    return undefined;
  }
}
