import { testedParameters } from "../../profile/paging.ts";
import type { Recorder } from "../recorder.ts";
import type { Step } from "./steps/step.ts";

/** What a probe knows by now of the paging of each list, so that it asks nothing twice. */
export class KnownPaging {
  readonly #recorder: Pick<Recorder, "lists">;
  /** The lists whose longest page is known. */
  readonly #long = new Set<string>();

  constructor(recorder: Pick<Recorder, "lists">) {
    this.#recorder = recorder;
  }

  noteLongest(path: string): void {
    this.#long.add(path);
  }

  /**
   * The parameters with an effect. Services page all of their lists in one way: what works at one is tried
   * first at the others.
   */
  parametersOf(path: string) {
    const { lists } = this.#recorder;
    const own = lists[`GET ${path}`];
    return { ...testedParameters(Object.values(lists)), ...testedParameters(own ? [own] : []) };
  }

  /** Whether the answer to a question about paging is known already. */
  isKnown({ path, query = {}, asks }: Step): boolean {
    if (asks === undefined) return false;
    if (asks === "longest") return this.#long.has(path);
    const name = Object.keys(query).at(-1) ?? "";
    const { size, page, offset, cursor } = this.parametersOf(path);
    const known = asks === "size" ? [size] : [page, offset, cursor];
    if (known.some((one) => one !== undefined && one !== name)) return true;
    return this.#recorder.lists[`GET ${path}`]?.parameters?.[name] !== undefined;
  }
}
