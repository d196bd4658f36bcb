import { type Html, html, type Part, renderPage } from "../sandbox/page/html.ts";
import { icon } from "../sandbox/page/icons.ts";
import { sameError } from "../webhooks/inbox/event-pages.ts";
import { type Item, type ItemList, LIMIT, LISTS, type Sources } from "./lists.ts";

const messageOf = (error: unknown): string => String((error as Error)?.message ?? error);

const row = ({ title, about }: Item, ...rest: Part[]): Html =>
  html`<li class="stack"><div class="line">${title}</div><div class="hint">${about}</div>${rest}</li>`;

/** A form with a button for each action of the list. */
const form = (
  list: string,
  { actions = {} }: ItemList,
  ids: readonly string[],
  textOf: (text: string) => string,
): Html =>
  html`<form method="post" class="line"><input type="hidden" name="list" value="${list}">${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}${Object.entries(actions).map(([action, [text]]) => html`<button name="action" value="${action}">${textOf(text)}</button>`)}</form>`;

/** The buttons of one item, or of several at once. */
function buttons(name: string, list: ItemList, items: readonly Item[]): Part {
  const [{ choices } = {}] = items;
  if (choices) return html`${choices.map(([text, id]) => form(name, list, [id], () => text))}`;
  const isOne = items.length === 1;
  const ids = items.map(({ id }) => id);
  return form(name, list, ids, (text) => (isOne ? text : `${text}: all ${ids.length}`));
}

const firstLine = ({ error = "" }: Item): string => error.split("\n")[0] ?? "";

/** The items by their error, the most frequent one first. */
function rowsByError(
  items: readonly Item[],
  rowOf: (item: Item) => Html,
  buttonsOf: (items: readonly Item[]) => Part,
): Html[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const error = sameError(firstLine(item));
    groups.set(error, [...(groups.get(error) ?? []), item]);
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length);
  return sorted.map(([group, same]) => {
    const [error = "", other] = new Set(same.map(firstLine));
    return group === ""
      ? html`<ul>${same.map(rowOf)}</ul>`
      : html`<details${same.length < 4 && html` open`}><summary><span class="badge bad">${same.length}</span><strong>${other === undefined ? error : group}</strong></summary><ul>${same.map(rowOf)}</ul>${same.length > 1 && buttonsOf(same)}</details>`;
  });
}

/** One list. If it cannot be read, it says why, and the others are shown nevertheless. */
async function section(name: string, list: ItemList, sources: Sources, hasButtons: boolean) {
  const isActive = hasButtons && list.actions !== undefined;
  const buttonsOf = (items: readonly Item[]) => isActive && buttons(name, list, items);
  const rowOf = (item: Item) => row(item, buttonsOf([item]));
  const [count, content] = await list.read(sources).then(
    ({ items, hasMore }) => [
      `${items.length}${hasMore ? "+" : ""}`,
      items.length === 0
        ? html`<p class="hint">${icon("check")}None.</p>`
        : html`<p class="hint">${list.hint}</p>${rowsByError(items, rowOf, buttonsOf)}${hasMore && html`<p class="hint">These are the oldest. The others are shown when these are done.</p>`}`,
    ],
    (error) => ["", html`<p class="bad">This could not be read: ${messageOf(error)}</p>`],
  );
  return html`<section class="card" id="${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${list.title} <small>${count}</small></h2>${content}</section>`;
}

/** Everything that waits for a person now. */
export async function overview(sources: Sources, hasButtons: boolean): Promise<Html> {
  const stats = await sources.receiver.stats().catch(() => undefined);
  const counts = stats && {
    waiting: stats.waiting,
    running: stats.running,
    retrying: stats.retrying,
    "dead letters": stats.dead,
    conflicts: stats.conflicts,
  };
  const sections = await Promise.all(
    Object.entries(LISTS).map(([name, list]) => section(name, list, sources, hasButtons)),
  );
  return html`<dl class="line counts">${Object.entries(counts ?? {}).map(([name, count]) => html`<div><dt>${name}</dt><dd>${count}</dd></div>`)}</dl>${sections}`;
}

/** One payment, and what the inbox still has of it, in order. */
export async function story(sources: Sources, reference: string): Promise<Html> {
  const lists = Object.values(LISTS).filter(({ state }) => state !== undefined);
  let isWhole = true;
  const pages = lists.map(async (list) => {
    const { items, hasMore } = await list.read(sources).catch(() => ({ items: [], hasMore: true }));
    if (hasMore) isWhole = false;
    return items.filter(({ names }) => names?.includes(reference)).map((one) => ({ one, list }));
  });
  const events = (await Promise.all(pages)).flat();
  events.sort((a, b) => a.one.receivedAt - b.one.receivedAt);
  const payment = await sources.gateway.payments.get(reference).then(
    (found) => {
      const fields = Object.entries(found).filter(([, value]) => typeof value !== "object");
      return html`<dl class="fields">${fields.map(([name, value]) => html`<div><dt>${name.replaceAll("_", " ")}</dt><dd>${String(value)}</dd></div>`)}</dl>`;
    },
    (error) => html`<p class="bad">The service could not be asked: ${messageOf(error)}</p>`,
  );
  return html`<p><a href="?">← Everything</a></p>
<section class="card" aria-labelledby="payment-title"><h2 id="payment-title">Payment ${reference}</h2>${payment}</section>
<section class="card" aria-labelledby="events-title"><h2 id="events-title">Its events that wait <small>${events.length}</small></h2>${
    !isWhole &&
    html`<p class="hint">Not all events were searched: of each list, at most the oldest ${LIMIT}.</p>`
  }${
    events.length === 0
      ? isWhole && html`<p class="hint">None: what was received of it is processed.</p>`
      : html`<ol>${events.map(({ one, list }) => row(one, html`<div><span class="badge bad">${list.state}</span> ${one.error}</div>`))}</ol>`
  }</section>`;
}

/** The whole page, as HTML. */
export const renderOperatorPage = (main: Html, hasButtons: boolean, message?: string): string =>
  renderPage(
    "Payments to look after",
    "?asset=style",
    html`<header><h1>Payments to look after</h1><p class="hint">${hasButtons ? "Buttons act at once." : "Read only."} Times are in UTC. <a href="?">Reload</a></p></header>
${message !== undefined && html`<p class="notice" role="status">${message}</p>`}
<main class="stack">
${main}
</main>`,
  );
