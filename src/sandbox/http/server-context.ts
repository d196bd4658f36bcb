import type { ExchangeLog } from "../observe/exchange-log.ts";
import type { SandboxSettings } from "../options.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { Sandbox, SandboxSnapshot } from "../types.ts";

/** The states of a served sandbox that were saved under a name, until it stops. */
export type Scenes = Map<string, { readonly savedAt: string; readonly snapshot: SandboxSnapshot }>;

/** What is served: a sandbox, and the sandbox behind it that its page shows. */
export interface ServerContext extends Pick<SandboxSettings, "clock" | "profile"> {
  readonly sandboxState: SandboxState;
  readonly sandbox: Sandbox;
  readonly log: ExchangeLog;
  readonly scenes: Scenes;
  /** The command that started it, for its page. */
  readonly command: string | undefined;
}
