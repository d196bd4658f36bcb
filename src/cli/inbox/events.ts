import { ConfigurationError } from "../../errors/configuration.ts";
import type {
  Conflict,
  DeadLetter,
  EventList,
  EventPage,
  EventQuery,
  WithBody,
} from "../../webhooks/inbox/event-list.ts";
import { listPage } from "../../webhooks/inbox/event-pages.ts";
import { type CliError, usageError } from "../cli-error.ts";
import type { FlagValues, Input } from "../command.ts";
import { readMoment } from "../input/moment.ts";
import { type OpenInbox, reached } from "./open.ts";

/** A dead letter, or a conflict. */
export type StoredEvent = Conflict & Partial<Pick<DeadLetter, "attempts" | "error">>;

/** What a command works on: the dead letters of an inbox, or with `--conflicts` its conflicts. */
export interface Selected {
  /** What they are called in messages. */
  readonly what: "dead letter" | "conflict";
  readonly list: EventList<StoredEvent>;
}

export const selected = (inbox: OpenInbox, { switches }: Input): Selected =>
  switches.has("conflicts")
    ? { what: "conflict", list: inbox.conflicts }
    : { what: "dead letter", list: inbox.deadLetters };

/** The filter of `--kind`, `--since` and `--until`. */
export const readFilter = (values: FlagValues): EventQuery => ({
  kind: values.kind,
  since: readMoment(values, "since"),
  until: readMoment(values, "until"),
});

const MAX_PAGE = 1_000;

async function* pagesOf(
  list: EventList<StoredEvent>,
  filter: EventQuery,
): AsyncGenerator<EventPage<StoredEvent>> {
  let after: string | undefined;
  do {
    const query = { ...filter, limit: MAX_PAGE, after };
    const page = await reached(() => listPage(list, query));
    yield page;
    after = page.next;
  } while (after !== undefined);
}

/** All that match the filter. */
export async function idsOfAll(selection: Selected, filter: EventQuery): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of pagesOf(selection.list, filter)) ids.push(...page.map(({ id }) => id));
  return ids;
}

/** Those with the ids, each once, in the order of the ids. @throws {CliError} if one is missing. */
export async function readEvents(
  { what, list }: Selected,
  ids: readonly string[],
): Promise<WithBody<StoredEvent>[]> {
  const events: WithBody<StoredEvent>[] = [];
  for (const id of new Set(ids)) {
    events.push(
      await reached(() =>
        list.read(id).catch((error: unknown) => {
          throw error instanceof ConfigurationError ? unknownId(what, id) : error;
        }),
      ),
    );
  }
  return events;
}

function unknownId(what: Selected["what"], id: string): CliError {
  const others = what === "conflict" ? "without" : "with";
  return usageError(
    `There is no ${what} ${JSON.stringify(id)}. "malipo inbox list" shows the dead letters, and with --conflicts the conflicts. Did you mean this command ${others} --conflicts?`,
  );
}
