import type { AttemptLog } from "./types.ts";

/** No log: a browser and Cloudflare Workers have no stderr. */
export const attemptLog = (): AttemptLog | undefined => undefined;
