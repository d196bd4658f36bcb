import type { WithBody } from "../../webhooks/inbox/event-list.ts";
import { listPage } from "../../webhooks/inbox/event-pages.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readWholeNumber } from "../input/flag-values.ts";
import { formatFields, formatTable, paint, printResult } from "../terminal/output.ts";
import { readEvents, readFilter, type Selected, type StoredEvent } from "./events.ts";
import { reached } from "./open.ts";

const MAX_LIMIT = 1_000;
const MAX_ERROR_LENGTH = 80;

/** Stored text in one line: a line of its own could look like another row. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const timeOf = ({ receivedAt }: Pick<StoredEvent, "receivedAt">): string =>
  new Date(receivedAt).toISOString();

/** An event as `--json` prints it. */
const asJson = <Event extends StoredEvent>(event: Event) => ({
  ...event,
  receivedAt: timeOf(event),
});

/** `malipo inbox list` */
export async function listEvents({ what, list }: Selected, input: Input): Promise<number> {
  const { values, json } = input;
  const limit = readWholeNumber(values, "limit", 1, MAX_LIMIT);
  const query = { ...readFilter(values), limit, after: values.after };
  const page = await reached(() => listPage(list, query));
  const items = page.map(asJson);
  printResult(json, { items, next: page.next }, () => {
    if (page.length === 0) return `No ${what}s.`;
    const more = page.next === undefined ? [] : [`More ${what}s: --after ${page.next}`];
    return [formatEvents(page, what), ...more.map((text) => paint("dim", text))].join("\n");
  });
  return EXIT.ok;
}

function formatEvents(events: readonly StoredEvent[], what: Selected["what"]): string {
  if (what === "conflict") {
    const rows = events.map((event) => [timeOf(event), event.event, event.id].map(oneLine));
    return formatTable([["received", "event", "id"], ...rows]);
  }
  const rows = events.map((event) => {
    const { id, attempts = 0, error = "" } = event;
    const reason = oneLine(error).slice(0, MAX_ERROR_LENGTH);
    return [timeOf(event), oneLine(event.event), String(attempts), oneLine(id), reason];
  });
  return formatTable([["received", "event", "attempts", "id", "error"], ...rows]);
}

/** `malipo inbox show` */
export async function showEvent(selection: Selected, { args, json }: Input): Promise<number> {
  const [event] = (await readEvents(selection, args)) as [WithBody<StoredEvent>];
  printResult(json, asJson(event), () => {
    const { id, attempts, error, signature, body } = event;
    const fields = formatFields([
      ["id", id],
      ["event", oneLine(event.event)],
      ["received", timeOf(event)],
      ["attempts", attempts],
      ["error", error && oneLine(error)],
      ["signature", signature],
    ]);
    return `${fields}\n\n${body}`;
  });
  return EXIT.ok;
}
