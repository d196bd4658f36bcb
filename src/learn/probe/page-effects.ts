import { isObject } from "../../internal/is-object.ts";
import {
  fieldRole,
  type ParameterRole,
  parameterRole,
  testedParameters,
} from "../../profile/paging.ts";
import type { Recorder } from "../exchange.ts";
import { findCursor, firstId } from "./created/find-ids.ts";
import type { Received } from "./http/exchange.ts";
import type { Step } from "./steps/step.ts";
import type { Values } from "./values.ts";

const POSITIONS: readonly ParameterRole[] = ["page", "offset", "cursor"];

/** The names beside a list that have a role, at any depth. */
function nameOf(body: unknown, role: string): string | undefined {
  if (!isObject(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const found =
      typeof value === "number" && fieldRole(name) === role ? name : nameOf(value, role);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Which parameters page a list, as the profile has learned so far: what is known is not asked again. */
export class PageEffects {
  readonly #recorder: Recorder;
  /** The lists whose longest page is known. */
  readonly #long = new Set<string>();
  readonly #cursors = new Map<string, string>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Fills in what the steps of a list need. */
  fillIn({ path }: Step, values: Values): void {
    values.set("pageSize", this.#tested(path).size);
    values.set("cursor", this.#cursors.get(path));
  }

  /** Whether the answer to a step is known already. */
  isKnown({ path, query = {} }: Step): boolean {
    const tested = this.#tested(path);
    if (Object.hasOwn(query, "{pageSize}") && Number(query["{pageSize}"]) > 1) {
      return this.#long.has(path);
    }
    const name = Object.keys(query).findLast((one) => one !== "{pageSize}");
    if (name === undefined) return false;
    const role =
      name === "{shownSize}" ? "size" : name === "{shownPage}" ? "page" : parameterRole(name);
    if (role === undefined || query.page === "1") return false;
    const known = role === "size" ? [tested.size] : POSITIONS.map((one) => tested[one]);
    return known.some((one) => one !== undefined && one !== name) || this.#isTried(path, name);
  }

  learn({ path, query = {} }: Step, { json }: Received, values: Values): void {
    if (Number(query["{pageSize}"] ?? 0) > 1) this.#long.add(path);
    const cursor = findCursor(json);
    if (cursor !== undefined) this.#cursors.set(path, cursor);
    if (Object.keys(query).length > 0) return;
    values.set("shownSize", nameOf(json, "size"));
    values.set("shownPage", nameOf(json, "page") ?? nameOf(json, "offset"));
    values.set("firstItem", firstId(json, "invoice"));
  }

  /** Services page all of their lists in one way: what works at one is tried first at the others. */
  #tested(path: string) {
    const { lists } = this.#recorder;
    const own = lists[`GET ${path}`];
    return { ...testedParameters(Object.values(lists)), ...testedParameters(own ? [own] : []) };
  }

  #isTried(path: string, name: string): boolean {
    const { works, ignored } = this.#recorder.lists[`GET ${path}`]?.parameters?.[name] ?? {};
    return works !== undefined || ignored !== undefined;
  }
}
