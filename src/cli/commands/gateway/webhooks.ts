import { EVENT_KINDS } from "../../../contract/events.ts";
import type { Webhook } from "../../../contract/webhook.ts";
import type { Input } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { createGateway } from "../../gateway-from-flags.ts";
import { bodyFields, requireFields } from "../../input/body-fields.ts";
import { parseQuery, parseUrl } from "../../input/flag-values.ts";
import {
  cellText,
  formatFields,
  formatTable,
  printPage,
  printResult,
} from "../../terminal/output.ts";

export async function run(input: Input): Promise<number> {
  if (input.subcommand === "list") return list(input);
  const result = await callWebhooks(input);
  printResult(input.json, result, () => formatFields(Object.entries(result)));
  return EXIT.ok;
}

async function callWebhooks(input: Input): Promise<object> {
  const [target = ""] = input.args;
  if (input.subcommand === "register") return register(input, target);
  if (input.subcommand === "delete") return (await createGateway(input)).webhooks.delete(target);
  const changes = requireFields(await bodyFields(input));
  return (await createGateway(input)).webhooks.update(target, changes);
}

async function register(input: Input, receiver: string): Promise<object> {
  const { host, href: url } = parseUrl(receiver, "<receiver>");
  const { name = host } = input.values;
  const events = [...(input.repeated.event ?? EVENT_KINDS)];
  return (await createGateway(input)).webhooks.register({ name, url, events });
}

async function list(input: Input): Promise<number> {
  const query = parseQuery(input.repeated.query);
  const page = await (await createGateway(input)).webhooks.list(query);
  printPage(input.json, page, "No webhooks.", formatWebhooks);
  return EXIT.ok;
}

function formatWebhooks(webhooks: readonly Webhook[]): string {
  const rows = webhooks.map(({ id, name, url, events }) => [
    cellText(id),
    cellText(name),
    cellText(url),
    Array.isArray(events) ? events.map(cellText).join(", ") : cellText(events),
  ]);
  return formatTable([["id", "name", "receiver", "events"], ...rows]);
}
