import { isObject } from "../../internal/is-object.ts";
import { findCursor } from "./created/find-ids.ts";
import type { Received } from "./http/exchange.ts";
import type { Step } from "./steps/step.ts";
import type { Values } from "./values.ts";

/** The numbers beside a list and the number of its items: what a paging parameter changes. */
function pageFingerprint(body: unknown): string {
  if (Array.isArray(body)) return String(body.length);
  if (!isObject(body)) return typeof body === "number" ? String(body) : "";
  return Object.entries(body)
    .map(([name, value]) => `${name}:${pageFingerprint(value)}`)
    .join();
}

const isSize = ({ query = {} }: Step) => {
  const [[name = "", value = ""] = [], ...others] = Object.entries(query);
  return others.length === 0 && value === "1" && name !== "page" && name !== "offset";
};

/** Whether a step asks for a long page, by the parameter that was found. */
const isLong = ({ query = {} }: Step) => Number(query["{pageSize}"] ?? 0) > 1;

/** Which parameter sets the length of a page, list by list, as the responses show it. */
export class PageEffects {
  readonly #defaults = new Map<string, string>();
  readonly #cursors = new Map<string, string>();
  /** The lists whose longest page is known. */
  readonly #long = new Set<string>();
  /** The list whose values are filled in. */
  #path: string | undefined;

  /** The response to a list without a query. */
  learnDefault({ path }: Step, { json }: Received): void {
    this.#defaults.set(path, pageFingerprint(json));
    const cursor = findCursor(json);
    if (cursor !== undefined) this.#cursors.set(path, cursor);
  }

  /** Gives the values of this list to its steps. */
  fillIn({ path }: Step, values: Values): void {
    if (path === this.#path) return;
    this.#path = path;
    values.set("pageSize", undefined);
    values.set("cursor", this.#cursors.get(path));
  }

  /** Whether the answer to a step is known already. */
  isKnown(step: Step): boolean {
    return isLong(step) && this.#long.has(step.path);
  }

  learn(step: Step, received: Received, values: Values): void {
    const { json } = received;
    if (isLong(step)) this.#long.add(step.path);
    if (Object.keys(step.query ?? {}).length === 0) this.learnDefault(step, received);
    const cursor = findCursor(json);
    if (cursor !== undefined) values.set("cursor", cursor);
    if (!isSize(step) || pageFingerprint(json) === this.#defaults.get(step.path)) return;
    const [name] = Object.keys(step.query ?? {});
    if (values.get("pageSize") === undefined) values.set("pageSize", name);
  }
}
