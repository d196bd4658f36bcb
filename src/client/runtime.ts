// What tells the runtimes apart. Read through `globalThis`, since each runtime lacks most of it.
interface Runtime {
  readonly process?: {
    readonly env?: Record<string, string | undefined>;
    readonly versions?: { readonly node?: string; readonly nw?: string };
    readonly type?: string;
  };
  readonly Deno?: unknown;
  readonly navigator?: { readonly userAgent?: string; readonly product?: string };
  readonly document?: unknown;
  readonly WorkerGlobalScope?: unknown;
  readonly NativeScriptGlobals?: unknown;
  readonly __runtimeVersion?: unknown;
}

// Electron's own processes of a page, in which an app may give the page all of Node. Its main process
// and its utility processes are of the types "browser" and "utility".
const ELECTRON_PAGE_TYPES: readonly (string | undefined)[] = [
  "renderer",
  "worker",
  "service-worker",
];

const NATIVE_PRODUCTS: readonly (string | undefined)[] = ["ReactNative", "NativeScript", "NS"];

/**
 * Whether this code runs in a place in which a customer can read it. A window, a web worker, React Native,
 * NativeScript, a page of Electron and an NW.js app are browsers. Node (also under jsdom), Bun, Deno,
 * Cloudflare Workers and Electron's main process are not.
 */
export function isBrowser(runtime: Runtime = globalThis as Runtime): boolean {
  const { process, Deno, navigator, document, WorkerGlobalScope } = runtime;
  // In NW.js, code that a page requires runs in a context without the page's globals.
  const isPageWithNode =
    ELECTRON_PAGE_TYPES.includes(process?.type) || typeof process?.versions?.nw === "string";
  if (isPageWithNode) return true;
  // Bundlers put an empty `process` into browsers. Only Node's own has a version.
  const isServer =
    typeof process?.versions?.node === "string" ||
    Deno !== undefined ||
    navigator?.userAgent === "Cloudflare-Workers";
  if (isServer) return false;
  return (
    document !== undefined ||
    WorkerGlobalScope !== undefined ||
    NATIVE_PRODUCTS.includes(navigator?.product) ||
    // NativeScript has a navigator only if the app brings one.
    runtime.NativeScriptGlobals !== undefined ||
    runtime.__runtimeVersion !== undefined
  );
}

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
