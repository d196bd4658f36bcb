/**
 * `TextEncoder` also where the global is missing: Jest hides it with jsdom, and ky makes one when it is loaded. The
 * build puts this into the CommonJS files, which Jest requires (https://esbuild.github.io/api/#inject).
 */
export const TextEncoder: typeof globalThis.TextEncoder =
  globalThis.TextEncoder ?? globalThis.process?.getBuiltinModule?.("node:util")?.TextEncoder;
