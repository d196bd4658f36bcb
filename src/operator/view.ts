import type { Payment } from "../contract/payment.ts";
import { type Html, html, type Part as Text } from "../sandbox/page/html.ts";
import { icon } from "../sandbox/page/icons.ts";
import type { Part, State, Story, Work } from "./read-state.ts";

/** What every part of the page needs. */
export interface Shown {
  /** Whether the page has buttons that change something. */
  readonly actions: boolean;
  /** What the last action did, or why it failed. */
  readonly message?: string | undefined;
}

const time = (ms: number): Html => {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
};

const storyLink = (reference: unknown): Text =>
  typeof reference === "string" && reference !== ""
    ? html`<a href="?payment=${encodeURIComponent(reference)}">${reference}</a>`
    : "none";

const amountOf = ({ amount = "", currency = "" }: Readonly<Record<string, unknown>>): string =>
  `${currency} ${amount}`.trim();

type ListName = "deadLetters" | "conflicts" | "doublePayments";

/** A form with one button. Each list has its own words for what the button does. */
const button = (list: ListName, id: string, action: string, label: string): Html =>
  html`<form method="post"><input type="hidden" name="list" value="${list}"><input type="hidden" name="id" value="${id}"><button name="action" value="${action}">${label}</button></form>`;

const BUTTONS: Readonly<Record<ListName, readonly (readonly [action: string, label: string])[]>> = {
  deadLetters: [
    ["requeue", "Process again"],
    ["drop", "Drop"],
  ],
  conflicts: [
    ["requeue", "Process as a new event"],
    ["drop", "Drop"],
  ],
  doublePayments: [["drop", "Done"]],
};

const buttons = ({ actions }: Shown, list: ListName, id: string): Text =>
  actions &&
  html`<div class="actions">${BUTTONS[list].map(([action, label]) => button(list, id, action, label))}</div>`;

function work(item: Work, ...rest: Text[]): Html {
  const { id, event, receivedAt, attempts, data } = item;
  return html`<li><div><strong>${storyLink(data.reference)}</strong> ${amountOf(data)} <span>order ${String(data.account_reference ?? "not named")}</span></div><div class="hint">${event} · ${time(receivedAt)} · ${attempts > 0 && `${attempts} attempts · `}<code>${id.slice(0, 12)}</code></div>${rest}</li>`;
}

/** The items by their error, the most frequent one first. */
function byError(items: readonly Work[]): [error: string, items: Work[]][] {
  const groups = new Map<string, Work[]>();
  for (const item of items) {
    const [first = ""] = item.error.split("\n");
    groups.set(first, [...(groups.get(first) ?? []), item]);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

const errorGroups = (items: readonly Work[], itemOf: (item: Work) => Html): Html[] =>
  byError(items).map(
    ([error, list]) =>
      html`<details${list.length < 4 && html` open`}><summary><span class="badge bad">${list.length}</span> ${error}</summary><ul>${list.map(itemOf)}</ul></details>`,
  );

function section<Item>(
  id: string,
  title: string,
  { items, hasMore, error }: Part<Item>,
  content: () => Text,
): Html {
  const count = `${items.length}${hasMore ? "+" : ""}`;
  const body =
    error !== ""
      ? html`<p class="bad">This could not be read: ${error}</p>`
      : items.length === 0
        ? html`<p class="hint">${icon("check")} None.</p>`
        : content();
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title} <small>${count}</small></h2>${body}${hasMore && html`<p class="hint">These are the oldest. The others are shown when these are done.</p>`}</section>`;
}

const matching = (payments: readonly Payment[]): Text =>
  payments.length === 0
    ? "none in the newest payments"
    : payments.map((one) => html`${storyLink(one.reference)} ${amountOf(one)} ${one.status} `);

function overview(state: State, shown: Shown): Html {
  const { stats, failing, deadLetters, conflicts, doublePayments, unknown } = state;
  const counts =
    stats &&
    ([
      ["waiting", stats.waiting],
      ["running", stats.running],
      ["retrying", stats.retrying],
      ["dead letters", stats.dead],
      ["conflicts", stats.conflicts],
    ] as const);
  return html`<dl class="counts">${counts?.map(([name, count]) => html`<div><dt>${name}</dt><dd>${count}</dd></div>`)}</dl>
${section("failing", "Failing now", failing, () => errorGroups(failing.items, (one) => work(one)))}
${section("dead-letters", "Dead letters", deadLetters, () =>
  errorGroups(deadLetters.items, (one) => work(one, buttons(shown, "deadLetters", one.id))),
)}
${section("conflicts", "Conflicts", conflicts, () => html`<p class="hint">The service sent an event a second time with other data. Compare it with the payment.</p><ul>${conflicts.items.map((one) => work(one, buttons(shown, "conflicts", one.id)))}</ul>`)}
${section(
  "double-payments",
  "Double payments",
  doublePayments,
  () =>
    html`<ul>${doublePayments.items.map(
      ({ id, by, value, references, receivedAt }) =>
        html`<li><div><strong>${value}</strong> <span>the same ${by.replace("_", " ")}</span></div><div>${references.map((one) => html`${storyLink(one)} `)}</div><div class="hint">${time(receivedAt)}</div>${buttons(shown, "doublePayments", id)}</li>`,
    )}</ul>`,
)}
${section(
  "unknown",
  "Unknown attempts",
  unknown,
  () =>
    html`<ul>${unknown.items.map(
      ({ attempt, payments }) =>
        html`<li><div><strong>${attempt.idempotencyKey}</strong> <span>${attempt.endpoint}</span></div><div>Payments that match: ${matching(payments)}</div><div class="hint">${time(attempt.begunAt.getTime())} · may be resolved as not sent from ${time(attempt.notSentFrom.getTime())}</div></li>`,
    )}</ul><p class="hint">To resolve one: <code>npx malipo attempts resolve</code></p>`,
)}`;
}

function story({ reference, payment, error, events }: Story): Html {
  const fields = Object.entries(payment ?? {}).filter(([, value]) => typeof value !== "object");
  return html`<p><a href="?">${icon("back")} Everything</a></p>
<section aria-labelledby="payment-title"><h2 id="payment-title">Payment ${reference}</h2>${
    payment === undefined
      ? html`<p class="bad">The service could not be asked: ${error}</p>`
      : html`<dl class="fields">${fields.map(([name, value]) => html`<div><dt>${name}</dt><dd>${String(value)}</dd></div>`)}</dl>`
  }</section>
<section aria-labelledby="events-title"><h2 id="events-title">Its events that wait <small>${events.length}</small></h2>${
    events.length === 0
      ? html`<p class="hint">None: what was received of it is processed.</p>`
      : html`<ol>${events.map((one) => work(one, html`<div><span class="badge bad">${one.state}</span> ${one.error}</div>`))}</ol>`
  }</section>`;
}

/** The whole page, as HTML. */
export function renderOperatorPage(content: State | Story, shown: Shown): string {
  const main = "reference" in content ? story(content) : overview(content, shown);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Payments to look after</title>
<link rel="stylesheet" href="?asset=style">
</head>
<body>
<header><h1>Payments to look after</h1><p class="hint">${shown.actions ? "Buttons act at once." : "Read only."} Times are in UTC. <a href="?">Reload</a></p></header>
${shown.message !== undefined && html`<p class="message" role="status">${shown.message}</p>`}
<main>
${main}
</main>
</body>
</html>`.markup;
}
