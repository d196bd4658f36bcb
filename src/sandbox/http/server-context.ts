import type { ServiceProfile } from "../../profile/types.ts";
import type { ExchangeLog } from "../observe/exchange-log.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { Sandbox, SandboxSnapshot } from "../types.ts";

/** The states of a served sandbox that were saved under a name, until it stops. */
export type Scenes = Map<string, { readonly savedAt: string; readonly snapshot: SandboxSnapshot }>;

/** What is served: a sandbox, and the sandbox behind it that its page shows. */
export interface ServerContext {
  readonly sandboxState: SandboxState;
  readonly sandbox: Sandbox;
  readonly clock: "virtual" | "real";
  readonly log: ExchangeLog;
  readonly scenes: Scenes;
  /** The service that the sandbox speaks like, if it has a profile. */
  readonly profile: ServiceProfile | undefined;
  /** The command that started it, for its page. */
  readonly command: string | undefined;
}
