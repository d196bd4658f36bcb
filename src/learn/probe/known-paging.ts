import { testedParameters } from "../../profile/paging.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import type { Step } from "./steps/step.ts";

type Lists = ServiceProfile["lists"];

/**
 * The parameters of a list with an effect. Services page all of their lists in one way: what works at one
 * is tried first at the others.
 */
export const parametersOf = (lists: Lists, path: string) => ({
  ...testedParameters(Object.values(lists)),
  ...testedParameters([lists[`GET ${path}`] ?? {}]),
});

/**
 * Whether the answer to a question about paging is known already.
 *
 * @param longest - The lists whose longest page is known.
 */
export function isPagingKnown(
  { path, query = {}, asks }: Step,
  lists: Lists,
  longest: ReadonlySet<string>,
): boolean {
  if (asks === undefined) return false;
  if (asks === "longest") return longest.has(path);
  const name = Object.keys(query).at(-1) ?? "";
  const { size, page, offset, cursor } = parametersOf(lists, path);
  const known = asks === "size" ? [size] : [page, offset, cursor];
  if (known.some((one) => one !== undefined && one !== name)) return true;
  return lists[`GET ${path}`]?.parameters?.[name] !== undefined;
}
