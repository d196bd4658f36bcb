/**
 * How events are processed: by the process that receives them; by processes that drain the inbox and
 * end, while those that receive only store; or as at first, and payments without a webhook are swept.
 */
export const MODES = ["start", "drain", "sweep"] as const;
export type Mode = (typeof MODES)[number];
