import type { SandboxSnapshot } from "../types.ts";

/** The states of a served sandbox that were saved under a name, until it stops. */
export type Scenes = Map<string, { readonly savedAt: string; readonly snapshot: SandboxSnapshot }>;
