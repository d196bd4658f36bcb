import { isGatewayError } from "../../errors/any.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import type { Inbox } from "../../webhooks/inbox/inbox-types.ts";
import { CliError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { INBOX_STORE } from "../flags/stores.ts";
import { openEngine } from "../input/open-engine.ts";

/** An inbox of which the command line reads and changes the lists. It processes nothing. */
export type ListedInbox = {
  readonly [Name in
    | "deadLetters"
    | "conflicts"
    | "doublePayments"
    | "waiting"
    | "stats"]: NonNullable<Inbox[Name]>;
};

export type StoreFlags = FlagsOf<typeof INBOX_STORE>;

/** Opens the inbox that `--store` names. */
async function openInbox(input: Input<StoreFlags>) {
  const { engine, settings, close } = await openEngine(input, "inbox");
  const inbox = engine.inbox(settings);
  return { inbox: inbox as ListedInbox, close };
}

/** A command about the inbox that `--store` names. */
export const withInbox =
  <Flags extends StoreFlags>(work: (inbox: ListedInbox, input: Input<Flags>) => Promise<Output>) =>
  async (input: Input<Flags>): Promise<Output> => {
    try {
      const { inbox, close } = await openInbox(input);
      try {
        return await work(inbox, input);
      } finally {
        await close();
      }
    } catch (error) {
      if (error instanceof CliError || isGatewayError(error)) throw error;
      // What an engine that cannot be reached rejects with.
      const message = `The inbox failed: ${describeError(error)}`;
      throw new CliError("unreachable", message, { cause: error });
    }
  };
