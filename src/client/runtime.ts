// What tells the runtimes apart. Read through `globalThis`, since each runtime lacks most of it.
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
 * Whether this code runs where a customer can read it. A window, a web worker and React Native are
 * browsers. Node (also under jsdom), Bun, Deno and Cloudflare Workers are not.
 */
export function isBrowser(runtime: Runtime = globalThis as Runtime): boolean {
  const { process, Deno, navigator, document, WorkerGlobalScope } = runtime;
  // Bundlers put an empty `process` into browsers. Only Node's own has a version.
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

/** An environment variable; `undefined` where it is not set, is empty, or cannot be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as Runtime).process?.env?.[name] || undefined;
  } catch {
    // Deno throws where the program has no permission to read the environment.
    return undefined;
  }
}
