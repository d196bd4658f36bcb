import { EVENT_KINDS } from "../../contract/events.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";

/** Registers a receiver for all events. A restored state may have it already: it is not doubled. */
export async function registerReceiver(sandbox: Sandbox, url: string): Promise<void> {
  const { data } = await call(sandbox, "GET", "/webhooks?per_page=100");
  const present = data.find((webhook: { url: string }) => webhook.url === url);
  const { success, error } = present
    ? await call(sandbox, "PUT", `/webhooks/${present.id}`, { events: EVENT_KINDS })
    : await call(sandbox, "POST", "/webhooks/register", {
        name: "malipo sandbox",
        url,
        events: EVENT_KINDS,
      });
  if (!success) throw usageError(`--webhook: the sandbox rejected ${url}: ${error}`);
}

async function call(
  { fetch, baseUrl, keys }: Sandbox,
  method: string,
  path: string,
  body?: object,
) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { "x-api-key": keys.secret },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}
