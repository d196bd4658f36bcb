import { ConfigurationError } from "../../errors/configuration.ts";
import { handle } from "../api/handle.ts";
import { sendTestEvent } from "../deliveries/test-event.ts";
import type { ServerContext } from "../http/respond.ts";
import { ErrorResponse } from "../messages.ts";
import { viewOf } from "../serializer/assumed.ts";
import type { CommandContext } from "./define-command.ts";

/**
 * Calls the service as a merchant's server does: faults apply, and the request is logged. Returns what
 * it decided: a learned serializer may write it in any form.
 *
 * @throws {ConfigurationError} for an error response, and for a response that a fault takes away.
 */
function callService(
  { sandboxState, sandbox }: ServerContext,
  method: "POST" | "DELETE",
  path: string,
  content?: object,
): Record<string, unknown> {
  const headers = new Headers({
    "x-api-key": sandbox.keys.secret,
    "content-type": "application/json",
    "user-agent": "malipo sandbox page",
  });
  const { fault, respond } = handle(sandboxState, {
    method,
    path,
    query: new URLSearchParams(),
    header: (name) => headers.get(name),
    headers: () => headers,
    body: content === undefined ? "" : JSON.stringify(content),
  });
  if (fault === "reset" || fault === "hang") {
    throw new ConfigurationError(
      `No response: the fault "${fault}" stopped the request before the service processed it.`,
    );
  }
  const { status, decided } = respond();
  if (fault !== undefined) {
    throw new ConfigurationError(
      `The service processed the request, but the fault "${fault}" dropped the response.`,
    );
  }
  if (decided instanceof ErrorResponse) {
    throw new ConfigurationError(`${status}: ${decided.message}`);
  }
  if (decided !== undefined && "record" in decided) {
    return { ...viewOf(decided.resource)(decided.record) };
  }
  if (status < 300) return {};
  throw new ConfigurationError(`${status}: The service did nothing. A fault caused this response.`);
}

export const commandContext = (server: ServerContext): CommandContext => ({
  ...server,
  callService: (method, path, content) => callService(server, method, path, content),
  sendTestEvent: (webhook, kind) => sendTestEvent(server.sandboxState, webhook, kind),
});
