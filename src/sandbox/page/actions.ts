import type { EndpointName } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { handle } from "../api/handle.ts";
import type { Host } from "../http/host.ts";
import type { Phone } from "../payments/phone.ts";
import type { AutoAnswer, FaultEffect } from "../state/records.ts";
import { shortPhone, timeOf } from "./format.ts";
import { MISHAPS } from "./panes/chaos-form.ts";
import type { View } from "./view.ts";

/** What came of an action. What it throws is a `ConfigurationError` that says what to mend. */
export interface Done {
  /** For the person who clicked. */
  readonly said: string;
  /** What to look at now. */
  readonly view?: Partial<View>;
}

type Action = (host: Host, fields: URLSearchParams) => Done | Promise<Done>;

/** A field of a form, trimmed; empty where there is none. */
export const fieldOf = (fields: URLSearchParams, name: string): string =>
  (fields.get(name) ?? "").trim();

/** A fault may answer anything. */
function parsed(body: string): { data?: object; error?: unknown } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Calls the service as a merchant would: faults, log and all. */
function call(
  { world, sandbox }: Host,
  method: string,
  path: string,
  content?: object,
): Record<string, unknown> {
  const headers = [
    ["X-API-Key", sandbox.keys.secret],
    ["Content-Type", "application/json"],
    ["User-Agent", "the sandbox's own page"],
  ] as const;
  const { fault, respond: reply } = handle(world, {
    method,
    path,
    query: new URLSearchParams(),
    header: (name) => headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1],
    headers: () => headers,
    body: content === undefined ? "" : JSON.stringify(content),
  });
  if (fault === "reset" || fault === "hang") {
    throw new ConfigurationError(`No answer came: the fault "${fault}" was in the way.`);
  }
  const { status, body, headers: marks } = reply();
  if (fault !== undefined) {
    throw new ConfigurationError(`It was done, but the fault "${fault}" took the answer.`);
  }
  const answer = parsed(body);
  if (status < 300) return { ...answer.data };
  const cause = marks["x-sandbox-fault"] === undefined ? "" : " A fault that is set did this.";
  throw new ConfigurationError(`${status}: ${String(answer.error ?? "refused")}${cause}`);
}

const filled = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));

function pay(host: Host, fields: URLSearchParams): Done {
  const amount = fieldOf(fields, "amount");
  const phone = fieldOf(fields, "phone");
  const data = call(host, "POST", "/mobile-money/payment/initiate", {
    // What is no number goes out as it is, for the service to refuse.
    amount: /^\d+(\.\d+)?$/.test(amount) ? Number(amount) : amount,
    phone,
    ...filled({
      account_reference: fieldOf(fields, "account_reference"),
      description: fieldOf(fields, "description"),
    }),
  });
  const { number } = host.sandbox.phone(phone);
  return {
    said: `A prompt went out to ${shortPhone(number)}.`,
    view: { phone: number, payment: String(data.reference), payments: 1, status: "", find: "" },
  };
}

/** Something that the customer does; on the prompt that was meant, where the form says which. */
const onPhone =
  (act: (phone: Phone, fields: URLSearchParams) => string): Action =>
  ({ sandbox }, fields) => {
    const phone = sandbox.phone(fieldOf(fields, "number"));
    const { reference = "" } = phone.prompt ?? {};
    const meant = fieldOf(fields, "reference");
    if (meant !== "" && meant !== reference) {
      throw new ConfigurationError("That prompt is gone. The phone shows what there is now.");
    }
    const said = act(phone, fields);
    return { said, view: { phone: phone.number } };
  };

const money = (phone: Phone) => `KES ${phone.balance}`;

function approve(phone: Phone): string {
  const { status, user_message } = phone.approve();
  return status === "completed" ? "Paid." : `Not paid: ${String(user_message)}`;
}

function enterPin(phone: Phone, fields: URLSearchParams): string {
  if (/^\d{4}$/.test(fieldOf(fields, "pin"))) return approve(phone);
  throw new ConfigurationError("A PIN has four digits. Any four will do.");
}

const effectIn = (fields: URLSearchParams): FaultEffect => {
  const kind = fieldOf(fields, "kind") as FaultEffect["kind"];
  if (kind === "status") return { kind, status: Number(fieldOf(fields, "status") || 503) };
  return kind === "latency" ? { kind, ms: Number(fieldOf(fields, "ms") || 2_000) } : { kind };
};

function addFault({ sandbox }: Host, fields: URLSearchParams): Done {
  const times = fieldOf(fields, "times");
  sandbox.faults.add({
    match: filled({ endpoint: fieldOf(fields, "endpoint") as EndpointName }),
    effect: effectIn(fields),
    after: Number(fieldOf(fields, "after") || 0),
    times: times === "always" ? Number.POSITIVE_INFINITY : Number(times || 1),
  });
  return { said: "The fault is set." };
}

/**
 * What the page can do: by a POST of a form to `/_sandbox/` and the name. The command line has orders
 * of its own, below `/_sandbox/api`.
 */
export const ACTIONS: Readonly<Record<string, Action>> = {
  // amount, phone, account_reference?, description?
  pay,
  // All of the phone: number; reference? holds the action to that prompt.
  "phone/approve": onPhone(approve),
  "phone/pin": onPhone(enterPin), // pin
  "phone/cancel": onPhone((phone) => {
    phone.cancel();
    return "Cancelled on the phone.";
  }),
  "phone/wrong-pin": onPhone((phone) => {
    phone.enterWrongPin();
    return "A wrong PIN was entered.";
  }),
  "phone/ignore": onPhone((phone) => {
    phone.ignore();
    return "Put away: nothing more comes, and the prompt expires.";
  }),
  "phone/off": onPhone((phone) => {
    phone.switchOff();
    return "The phone is off.";
  }),
  "phone/on": onPhone((phone) => {
    phone.switchOn();
    return "The phone is on.";
  }),
  "phone/balance": onPhone((phone, fields) => {
    phone.setBalance(fieldOf(fields, "balance"));
    return `The balance is ${money(phone)}.`;
  }),
  // approve, cancel, wrongPin, ignore, ask
  "phone/always": onPhone((phone, fields) => {
    const habit = fieldOf(fields, "answer");
    // Nothing was chosen: as the sandbox was started.
    if (habit !== "") phone.always(habit as AutoAnswer);
    return "The phone's habit is set.";
  }),
  // by: 61s, 5m, 2h
  clock: async ({ sandbox }, fields) => {
    await sandbox.clock.advance(fieldOf(fields, "by"));
    return { said: `It is ${timeOf(sandbox.clock.now().getTime())} now.` };
  },
  // id
  "deliveries/resend": async ({ sandbox }, fields) => {
    const { id, attempts } = await sandbox.deliveries.resend(fieldOf(fields, "id"));
    const { status, error } = attempts.at(-1) ?? {};
    const said = status === undefined ? `Sent again: ${error}.` : `Sent again: answered ${status}.`;
    return { said, view: { delivery: id } };
  },
  // url
  "webhooks/register": (host, fields) => {
    const url = fieldOf(fields, "url");
    call(host, "POST", "/webhooks/register", { name: "page", url, events: EVENT_KINDS });
    return { said: "Registered. The next event goes there." };
  },
  // id
  "webhooks/remove": (host, fields) => {
    const id = encodeURIComponent(fieldOf(fields, "id"));
    call(host, "DELETE", `/webhooks/${id}`);
    return { said: "Removed." };
  },
  // kind, endpoint?, status?, ms?, after?, times?
  "faults/add": addFault,
  "faults/clear": ({ sandbox }) => {
    sandbox.faults.clear();
    return { said: "No faults any more." };
  },
  // A rate by the name of each mishap; seed
  chaos: ({ sandbox }, fields) => {
    const rates = Object.keys(MISHAPS).map((name) => [name, Number(fieldOf(fields, name))]);
    const { seed } = sandbox.chaos({ ...Object.fromEntries(rates), seed: fieldOf(fields, "seed") });
    return { said: `Chaos, with the seed ${seed}.` };
  },
  "chaos/end": ({ sandbox }) => {
    sandbox.chaos({});
    return { said: "Chaos has ended." };
  },
  reset: ({ sandbox }) => {
    sandbox.reset();
    return { said: "Everything is as at first.", view: { phone: "", payment: "", delivery: "" } };
  },
};
