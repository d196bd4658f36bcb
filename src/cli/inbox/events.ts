import { ConfigurationError } from "../../errors/configuration.ts";
import type { EventFilter, EventPage, EventQuery } from "../../webhooks/inbox/event-list.ts";
import { listPage } from "../../webhooks/inbox/event-pages.ts";
import { type CliError, usageError } from "../cli-error.ts";
import type { FlagValues, Input } from "../command.ts";
import { readMoment } from "../input/moment.ts";
import { isBeginningOf, shortIds } from "./ids.ts";
import { type ListedInbox, reached } from "./open.ts";

/** An event that waits, or a double payment: what all lists have in common. */
export interface StoredEvent {
  readonly id: string;
  readonly receivedAt: number;
  /** Not of a double payment. */
  readonly event?: string;
  readonly signature?: string | undefined;
  /** Not of a conflict. */
  readonly attempts?: number;
  /** Why the last attempt failed. */
  readonly error?: string;
  /** Of a double payment: what both payments have in common, and their references. */
  readonly by?: string;
  readonly value?: string;
  readonly references?: readonly string[];
  /** Of a double payment, with a receiver for many merchants. */
  readonly merchant?: string | undefined;
}

export type EventWithBody = StoredEvent & { readonly body: string };

/** What a command works on. A list of double payments has no bodies; what is not dead is not changed. */
export interface Selected {
  /** What one of them is called in messages. */
  readonly what: "dead letter" | "conflict" | "double payment" | "waiting event" | "retrying event";
  readonly list: {
    list(filter: EventFilter): Promise<StoredEvent[]>;
    read?(id: string): Promise<EventWithBody>;
    requeue?(ids: readonly string[]): Promise<void>;
    drop?(ids: readonly string[]): Promise<void>;
  };
}

/** The list that each flag chooses, in the place of the dead letters. */
const LISTS: Readonly<Record<string, (inbox: ListedInbox) => Selected>> = {
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

export function selected(inbox: ListedInbox, { switches }: Input): Selected {
  const given = Object.keys(LISTS).filter((name) => switches.has(name));
  if (given.length > 1) {
    throw usageError(`Give only one of ${given.map((name) => `--${name}`).join(" and ")}.`);
  }
  const choose = LISTS[given[0] ?? ""];
  return choose?.(inbox) ?? { what: "dead letter", list: inbox.deadLetters };
}

/** The filter of `--kind`, `--since` and `--until`. */
export const readFilter = (values: FlagValues): EventQuery => ({
  kind: values.kind,
  since: readMoment(values, "since"),
  until: readMoment(values, "until"),
});

const MAX_PAGE = 1_000;

/** All that match the filter, without their bodies. */
export async function allEvents({ list }: Selected, filter: EventQuery): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let after: string | undefined;
  do {
    const query = { ...filter, limit: MAX_PAGE, after };
    const page: EventPage<StoredEvent> = await reached(() => listPage(list, query));
    events.push(...page);
    after = page.next;
  } while (after !== undefined);
  return events;
}

/** The full ids of what was given, each once: ids, or beginnings that only one id has. */
export async function findIds(selection: Selected, given: readonly string[]): Promise<string[]> {
  const ids = (await allEvents(selection, {})).map(({ id }) => id);
  const found = given.map((text) => {
    const matching = ids.includes(text) ? [text] : ids.filter((id) => isBeginningOf(id, text));
    if (matching.length === 1) return matching[0] as string;
    if (matching.length === 0) throw unknownId(selection.what, text);
    const short = matching.map(shortIds(ids)).join(", ");
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
): Promise<EventWithBody[]> {
  const ids = await findIds(selection, given);
  return Promise.all(
    ids.map((id) =>
      reached(
        async () => (await bodyOf(selection, id)) ?? Promise.reject(unknownId(selection.what, id)),
      ),
    ),
  );
}

/** One with its body; `undefined` if it was processed or dropped in the meantime. */
export async function bodyOf({ list }: Selected, id: string): Promise<EventWithBody | undefined> {
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
