import { ConfigurationError } from "../../errors/configuration.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import type {
  DeadLetter,
  EventList,
  EventPosition,
  EventQuery,
  WithBody,
} from "../../webhooks/inbox/event-list.ts";
import { listPage } from "../../webhooks/inbox/event-pages.ts";
import type { StoredDoublePayment } from "../../webhooks/inbox/inbox-types.ts";
import { type CliError, usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { FILTER, LIST_CHOICES } from "../flags/stores.ts";
import { readMoment } from "../input/flag-values.ts";
import { type ListedInbox, type StoreFlags, withInbox } from "./open-inbox.ts";

/** An event that waits, or a double payment. */
export type StoredEvent = EventPosition & Partial<DeadLetter & StoredDoublePayment>;

/** What a command works on. A list of double payments has no bodies; what is not dead is not changed. */
export interface Selected {
  /** What one of them is called in messages. */
  readonly what: "dead letter" | "conflict" | "double payment" | "waiting event" | "retrying event";
  readonly list: Pick<EventList<StoredEvent>, "list"> & Partial<EventList<StoredEvent>>;
}

/** The switches that choose a list. A command has some of them. */
type ListFlags = FlagsOf<typeof LIST_CHOICES>;

/** The list that each flag chooses, in the place of the dead letters. */
const LISTS: Readonly<Record<keyof ListFlags, (inbox: ListedInbox) => Selected>> = {
  conflicts: ({ conflicts }) => ({ what: "conflict", list: conflicts }),
  "double-payments": ({ doublePayments }) => ({ what: "double payment", list: doublePayments }),
  waiting: ({ waiting }) => ({ what: "waiting event", list: waiting }),
  retrying: ({ waiting }) => ({
    what: "retrying event",
    list: {
      list: (filter) => waiting.list({ ...filter, isRetrying: true }),
      read: (id) => waiting.read(id),
    },
  }),
};

const LIST_NAMES = Object.keys(LISTS) as (keyof ListFlags)[];

function selected(inbox: ListedInbox, { flags }: Input<Partial<ListFlags>>): Selected {
  const given = LIST_NAMES.filter((name) => flags[name]);
  if (given.length > 1) {
    throw usageError(`Give only one of ${given.map((name) => `--${name}`).join(" and ")}.`);
  }
  const [name] = given;
  return name === undefined ? { what: "dead letter", list: inbox.deadLetters } : LISTS[name](inbox);
}

/** A command about the list that the flags choose. */
export const onList = <Flags extends StoreFlags & Partial<ListFlags>>(
  work: (selection: Selected, input: Input<Flags>) => Promise<Output>,
) => withInbox((inbox, input: Input<Flags>) => work(selected(inbox, input), input));

/** The filter of `--kind`, `--since` and `--until`. */
export const readFilter = (flags: FlagsOf<typeof FILTER>): EventQuery => ({
  kind: flags.kind,
  since: readMoment(flags, "since"),
  until: readMoment(flags, "until"),
});

const MAX_PAGE = 1_000;

/** All that match the filter, without their bodies. */
export async function allEvents({ list }: Selected, filter: EventQuery): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let after: string | undefined;
  do {
    const page = await listPage(list, { ...filter, limit: MAX_PAGE, after });
    events.push(...page);
    after = page.next;
  } while (after !== undefined);
  return events;
}

// Ids are long: SHA-256 in hexadecimal, and two of them for a conflict. A unique beginning is enough, as
// in git.

const SHORTEST = 7;

const shortened = (id: string, length: number) =>
  id
    .split("-")
    .map((part) => part.slice(0, length))
    .join("-");

/** The shortest beginnings, of one length, by which the ids differ. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const longest = Math.max(0, ...ids.map((id) => id.length));
  let length = SHORTEST;
  while (length < longest && new Set(ids.map((id) => shortened(id, length))).size < ids.length) {
    length++;
  }
  return (id) => shortened(id, length);
}

/** Whether a text is the beginning of an id: of both parts, for a conflict. */
function isBeginningOf(id: string, text: string): boolean {
  const parts = id.split("-");
  return text !== "" && text.split("-").every((part, index) => parts[index]?.startsWith(part));
}

/** What the ids name, or beginnings that only one id has, each once. */
export async function findEvents(
  selection: Selected,
  given: readonly string[],
): Promise<StoredEvent[]> {
  const events = await allEvents(selection, {});
  const found = given.map((text) => {
    const exact = events.filter(({ id }) => id === text);
    const matching = exact.length > 0 ? exact : events.filter(({ id }) => isBeginningOf(id, text));
    const [first] = matching;
    if (first === undefined) throw unknownId(selection.what, text);
    if (matching.length === 1) return first;
    const shortId = shortIds(events.map(({ id }) => id));
    const short = matching.map(({ id }) => shortId(id)).join(", ");
    throw usageError(
      `${matching.length} ${selection.what}s have ids that begin with ${JSON.stringify(text)}: ${short}. Give more of the id.`,
    );
  });
  return [...new Set(found)];
}

/** Those with the ids or beginnings, in that order. @throws {CliError} if one is missing. */
export async function readEvents(
  selection: Selected,
  given: readonly string[],
): Promise<WithBody<StoredEvent>[]> {
  const events = await findEvents(selection, given);
  return Promise.all(
    events.map(async ({ id }) => {
      const event = await withBody(selection, id);
      if (event === undefined) throw unknownId(selection.what, id);
      return event;
    }),
  );
}

/** One with its body; `undefined` if it was processed or dropped in the meantime. */
export async function withBody(
  { list }: Selected,
  id: string,
): Promise<WithBody<StoredEvent> | undefined> {
  return list.read?.(id).catch((error: unknown) => {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  });
}

function unknownId(what: Selected["what"], id: string): CliError {
  return usageError(
    `There is no ${what} ${JSON.stringify(id)}. "malipo inbox list" shows the dead letters, and with --conflicts the conflicts. Did you mean this command ${what === "conflict" ? "without" : "with"} --conflicts?`,
  );
}
