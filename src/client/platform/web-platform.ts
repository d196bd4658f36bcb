import type { AttemptLog, ConnectionDetails } from "./platform-types.ts";

/** No log: a browser and Cloudflare Workers have no stderr. */
export const attemptLog = (): (() => AttemptLog) | undefined => undefined;

/** The error of a browser's `fetch` says only that it failed. */
export const connectionDetails = (): ConnectionDetails => ({ wasNotSent: false });
