import { type Html, html, type Part, renderPage } from "../html/html.ts";
import { internationalDigits } from "../phones/phone-number.ts";
import type { Decision, DecisionLine } from "./decisions.ts";
import { countryOf, type Sources } from "./entry.ts";
import { groupChoices, itemView } from "./item-view.ts";
import { lookupView } from "./lookup-view.ts";
import { listNamed } from "./queue-lists.ts";
import { type Asked, listView, lookupRow, overview, row } from "./queue-view.ts";
import type { RefundFields } from "./refund-form.ts";
import { type SearchFrom, search } from "./search.ts";
import { link, unbroken, type WriteTime } from "./wording.ts";

/** What every view needs. */
export interface PageContext {
  readonly sources: Sources;
  readonly time: WriteTime;
  readonly now: number;
  readonly hasActions: boolean;
  /** Whether decisions outlive this process. */
  readonly isKept: boolean;
  /** Who looks, as `authorize` said, and whether that person may read whole phone numbers. */
  readonly operator: string | undefined;
  readonly mayReadPhones: boolean;
  /** A refund that was sent and could not be noted. */
  readonly typed: RefundFields | undefined;
}

const TONES: Readonly<Record<Decision["state"], string>> = {
  planned: "waiting",
  started: "waiting",
  taken_back: "",
  done: "good",
  failed: "bad",
};

/** A decision that can still be taken back, or that has just been made. */
function notice({ id, state, plan, last }: Decision, { hasActions, time }: PageContext): Html {
  const about = plan.about !== undefined && html`<strong>${unbroken(plan.about)}</strong>: `;
  const text = state === "started" ? "It is being done." : last.text;
  const takeBack =
    state === "planned" &&
    hasActions &&
    html`<form method="post" class="line"><input type="hidden" name="decision" value="${id}"><button name="action" value="take_back">Take back</button></form>`;
  const when =
    state === "planned" &&
    html` It will be done at ${time(plan.dueAt ?? 0)}, unless it is taken back.`;
  return html`<div class="notice line between ${TONES[state]}" role="${state === "failed" ? "alert" : "status"}"><span>${about}${unbroken(text)}${when}</span>${takeBack}</div>`;
}

const STATES: Readonly<Record<Decision["state"], string>> = {
  planned: "planned",
  started: "started",
  taken_back: "taken back",
  done: "done",
  failed: "not done",
};

/** What a decision is about, with a link to it. */
function aboutView({ about = "", orderId, payment }: DecisionLine): Part {
  const text = unbroken(about);
  if (orderId === undefined && payment === undefined) return text;
  const to = orderId === undefined ? { payment } : { order: orderId };
  return html`<a href="${link(to)}">${text}</a>`;
}

const SHOWN_DECISIONS = 100;

const decisionsView = (decisions: readonly Decision[], { time, isKept }: PageContext): Html =>
  html`<p><a href="?">← Everything</a></p><section class="card" aria-labelledby="decisions-title"><h2 id="decisions-title">Decisions <small>${decisions.length}</small></h2>${
    decisions.length === 0
      ? html`<p class="hint">None yet.</p>`
      : html`<ol class="story">${decisions
          .slice(-SHOWN_DECISIONS)
          .reverse()
          .map(
            ({ state, plan, last }) =>
              html`<li>${time(last.at)}<span><strong>${last.by ?? "Someone"}</strong> <span class="badge ${TONES[state]}">${STATES[state]}</span> ${aboutView(plan)}: ${unbroken(last.text)}</span></li>`,
          )}</ol>`
  }${decisions.length > SHOWN_DECISIONS && html`<p class="hint">The last ${SHOWN_DECISIONS} are shown. Your log has the others.</p>`}${!isKept && html`<p class="hint">Decisions are only in the memory of this process, since <code>decisions</code> is not set: a restart forgets them, and another process does not see them, nor can it take them back.</p>`}</section>`;

async function searchView(
  query: string,
  from: SearchFrom,
  { sources, now }: PageContext,
): Promise<Html> {
  const { found, next, unread } = await search(sources, query, from);
  const rows = found.map(({ list, entry }) =>
    list === "order" || list === "payment"
      ? lookupRow(list, entry, query, now)
      : row(list, entry, { from: query }, now),
  );
  const isPhone = internationalDigits(query, countryOf(sources)) !== undefined;
  const isReference = found.length === 0 && !isPhone && /^\S+$/.test(query);
  const masked =
    found.length > 0 &&
    isPhone &&
    html`<p class="hint">Of a payer’s phone, only the first four and the last three digits are stored: another customer may have the same ones.</p>`;
  return html`<p><a href="?">← Everything</a></p><section class="card" aria-labelledby="found-title"><h2 id="found-title">Found for “${query}” <small>${found.length}</small></h2>${masked}${found.length === 0 ? html`<p class="hint">Nothing that waits, and no order${next && ", so far"}.</p>` : html`<ul class="rows">${rows}</ul>`}${next && html`<p class="hint">Not everything is searched yet: newer events and orders are left.</p><p><a href="${link({ q: query, ...next })}">Search further</a></p>`}${unread.length > 0 && html`<p class="hint">Could not be searched, or not whole: ${unread.join(", ")}.</p>`}${isReference && html`<p><a href="${link({ payment: query, from: query })}">Ask the payment service for the payment ${query}</a></p>`}</section>`;
}

async function contentOf(
  parameters: URLSearchParams,
  decisions: readonly Decision[],
  context: PageContext,
): Promise<Html> {
  const { sources, now, hasActions, operator, typed } = context;
  const of = (name: string) => parameters.get(name) || undefined;
  const query = of("q")?.trim().slice(0, 200);
  if (query) {
    const from = { events: of("events"), orders: of("orders") };
    return html`<div class="stack">${await searchView(query, from, context)}</div>`;
  }
  const [order, payment] = [of("order"), of("payment")];
  if (order !== undefined || payment !== undefined) {
    // A refund is noted under a name.
    const refund = { isOffered: hasActions && operator !== undefined, typed };
    return html`<div class="stack">${await lookupView(context, { order, payment, whole: of("whole"), from: of("from") }, refund)}</div>`;
  }
  if (parameters.has("decisions"))
    return html`<div class="stack">${decisionsView(decisions, context)}</div>`;
  const asked: Asked = {
    list: of("list"),
    group: of("group"),
    after: of("after"),
    item: of("item"),
    do: of("do"),
    whole: of("whole"),
    from: of("from"),
  };
  if (asked.list === undefined || listNamed(asked.list) === undefined) {
    return html`<div class="stack">${await overview(sources, now)}</div>`;
  }
  const name = asked.list;
  const isItem = asked.item !== undefined;
  const [list, item] = await Promise.all([
    listView(
      sources,
      asked,
      now,
      (group) => hasActions && !isItem && groupChoices(name, group, asked),
    ),
    isItem ? itemView(context, asked) : undefined,
  ]);
  return html`<div class="${isItem ? "beside" : "stack"}"><div class="stack queue">${list}</div>${item}</div>`;
}

/** The whole page, as HTML. */
export async function renderOperatorPage(
  parameters: URLSearchParams,
  decisions: readonly Decision[],
  context: PageContext,
  error?: string,
): Promise<string> {
  const { hasActions, operator, time, now } = context;
  const own = parameters.get("done");
  const shown = decisions.filter(({ id, state }) => state === "planned" || id === own);
  const content = await contentOf(parameters, decisions, context);
  const who: Part = operator !== undefined && html`${operator} · `;
  return renderPage({
    title: "Payments to look after",
    style: "?asset=style",
    body: html`<a class="skip button" href="#main">To the list</a><header><div class="line between"><h1><a href="?">Payments to look after</a></h1><form role="search" class="line"><label for="q" class="unseen">Order, label, reference, M-Pesa code, phone or amount</label><input id="q" name="q" type="search" placeholder="Order, code, phone, amount" value="${parameters.get("q") ?? ""}"><button>Search</button></form></div><p class="hint">${who}${time(now)} · ${!hasActions && "Read only · "}<a href="${link({ ...Object.fromEntries(parameters) })}">Reload</a>${hasActions && html`&nbsp;· <a href="?decisions=1">Decisions</a>`}</p></header>
${error !== undefined && html`<p class="notice bad" role="alert">${unbroken(error)}</p>`}${shown.map((one) => notice(one, context))}
<main id="main">${content}</main>`,
  });
}
