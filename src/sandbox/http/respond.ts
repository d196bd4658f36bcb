import type { ServerResponse } from "node:http";
import { pageHeaders } from "../../html/serving.ts";
import type { ExchangeLog } from "../observe/exchange-log.ts";
import type { SandboxSettings } from "../sandbox-options.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { Sandbox, SandboxSnapshot } from "../sandbox-types.ts";

/** The states of a served sandbox that were saved under a name, until it stops. */
export type Scenes = Map<string, { readonly savedAt: string; readonly snapshot: SandboxSnapshot }>;

/** What is served: a sandbox, and the sandbox behind it that its page shows. */
export interface ServerContext extends Pick<SandboxSettings, "clock" | "country" | "profile"> {
  readonly sandboxState: SandboxState;
  readonly sandbox: Sandbox;
  readonly log: ExchangeLog;
  readonly scenes: Scenes;
  /** The command that started it, for its page. */
  readonly command: string | undefined;
}

/** A response of the sandbox's pages or its control API. */
export interface OwnResponse {
  /** Default: 200. */
  readonly status?: number;
  /** Default: JSON. */
  readonly type?: "text/html" | "text/css" | "text/javascript";
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const json = (value: unknown): OwnResponse => ({ body: JSON.stringify(value) });

export const errorResponse = (
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): OwnResponse => ({ ...json({ success: false, error }), status, headers });

/** Sets {@link pageHeaders} for everything but the service. */
export function protect(response: ServerResponse, policy = "form-action 'none'"): void {
  for (const [name, value] of Object.entries(pageHeaders(policy))) response.setHeader(name, value);
}

export function respond(response: ServerResponse, own: OwnResponse): void {
  const { status = 200, type, body, headers } = own;
  const contentType = type === undefined ? "application/json" : `${type}; charset=utf-8`;
  response.writeHead(status, { "content-type": contentType, ...headers });
  response.end(body);
}
