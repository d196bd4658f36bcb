import { EVENT_KINDS } from "../../contract/events.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";

/** Registers a receiver for all events. A restored state may have it already: it is not doubled. */
export async function registerReceiver(sandbox: Sandbox, url: string): Promise<void> {
  // Read from the state: with a profile, a response may have any form.
  const { webhooks } = sandbox.snapshot() as unknown as { webhooks: { id: string; url: string }[] };
  const present = webhooks.find((webhook) => webhook.url === url);
  const response = present
    ? await call(sandbox, "PUT", `/webhooks/${present.id}`, { events: EVENT_KINDS })
    : await call(sandbox, "POST", "/webhooks/register", {
        name: "malipo sandbox",
        url,
        events: EVENT_KINDS,
      });
  const text = await response.text();
  if (!response.ok || /"success":false/.test(text)) {
    throw usageError(`--webhook: the sandbox rejected ${url}: ${errorIn(text)}`);
  }
}

/** The error of a response; all of it, if a profile has another form of error. */
function errorIn(text: string): string {
  const [, error] = /"error":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return error ?? text;
}

function call(
  { fetch, baseUrl, keys }: Sandbox,
  method: string,
  path: string,
  body: object,
): Promise<Response> {
  return fetch(baseUrl + path, {
    method,
    headers: { "x-api-key": keys.secret },
    body: JSON.stringify(body),
  });
}
