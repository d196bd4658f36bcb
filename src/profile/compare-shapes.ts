import { COMPLETED_FIELDS, FAILURE_FIELDS } from "../contract/payment-state.ts";
import { total } from "./merge.ts";
import { lastName, parentPath, presenceOf } from "./paths.ts";
import type { FieldShape, Shape } from "./profile-types.ts";

/** A place at which two shapes, or two profiles, differ. */
export interface Difference {
  /** `data.amount`; in profiles with the endpoint before it, such as `GET /merchant data.amount`. */
  readonly path: string;
  /** What was known, such as `string or null`. `undefined`: the place was not known. */
  readonly before: string | undefined;
  /** What is there instead. `undefined`: it is gone. */
  readonly after: string | undefined;
}

type Presence = "none" | "required" | "all";

/** What counts as a difference. */
export interface ComparePolicy {
  /** `required`: fields that were always there; `all`: every field. */
  readonly gone: Presence;
  /** `required`: fields that are always there now. */
  readonly added: Presence;
  readonly formats: boolean;
  /** `added`: a value that was not known. `all`: also one that is gone. */
  readonly values: "none" | "added" | "all";
}

/** One response against what is known: only what can break a program. */
export const DRIFT: ComparePolicy = {
  gone: "required",
  added: "none",
  formats: false,
  values: "added",
};
/** A service against what is known of it: also what is new, unless it depends on the data. */
export const CHECK: ComparePolicy = {
  gone: "required",
  added: "required",
  formats: true,
  values: "added",
};
/** Two profiles, place by place. */
export const DIFF: ComparePolicy = { gone: "all", added: "all", formats: true, values: "all" };
/** Two profiles of what may be two services. */
export const MERGE: ComparePolicy = {
  gone: "required",
  added: "required",
  formats: false,
  values: "none",
};

/** Fields that a payment has in one status only, by the interface. */
export const FIELDS_BY_STATUS: Readonly<Record<string, readonly string[]>> = {
  completed: COMPLETED_FIELDS,
  failed: FAILURE_FIELDS,
};

/** The same, with what it has in some ways to pay only. */
export const FIELDS_OF_SOME_STATUSES: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS_BY_STATUS).flat(),
  "checkout_request_id",
]);

/** Whether a place is one that counts if the other shape does not have it. */
function counts(shape: Shape, path: string, presence: Presence): boolean {
  if (presence === "none" || path.endsWith("[]")) return false;
  if (presence === "all") return true;
  // Names that stand for others: nothing is known of a single one.
  if (/(?:\*|\{field\})$/.test(path) || FIELDS_OF_SOME_STATUSES.has(lastName(path))) return false;
  const { seen, of } = presenceOf(shape, path);
  return seen === of;
}

/** Whether what holds a place is there. */
const hasParent = (shape: Shape, path: string): boolean => {
  const parent = parentPath(path);
  return parent === undefined || total(shape[parent]?.types.object) > 0;
};

const enumerate = (names: readonly string[]): string => [...names].sort().join(" or ");

const typesOf = ({ types }: FieldShape): string[] => Object.keys(types);

/** Ids are digits in one run and letters in the next: these formats mean the same. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:digits|hex|token)/, "word"],
  [/^decimal/, "decimal"],
];

const familiesOf = ({ formats = [] }: FieldShape): string[] => [
  ...new Set(
    formats
      .filter((format) => !["empty", "true", "false"].includes(format))
      .map((format) => FAMILIES.find(([pattern]) => pattern.test(format))?.[1] ?? format),
  ),
];

const without = (these: readonly string[], those: readonly string[]) =>
  these.filter((one) => !those.includes(one));

/** The difference in one field that both shapes have: what was known, and what is there instead. */
function compareField(
  known: FieldShape,
  now: FieldShape,
  { formats, values }: ComparePolicy,
): readonly [before: readonly string[], after: readonly string[]] | undefined {
  const [before, after] = [typesOf(known), typesOf(now)];
  const isAll = values === "all";
  // A field that was always null has a value as soon as there is one.
  const isOpen = before.join() === "null" && !isAll;
  const isOther = without(after, before).length > 0 || (isAll && after.length !== before.length);
  if (isOther && !isOpen) return [before, after];
  const [one, other] = [familiesOf(known), familiesOf(now)];
  const areFormats = formats && one.length > 0 && other.length > 0;
  if (areFormats && without(one, other).length === one.length) return [one, other];
  if (values === "none" || known.values === undefined) return undefined;
  const added = without(now.values ?? [], known.values);
  const quoted = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text));
  return added.length > 0 ? [quoted(known.values), quoted(added)] : undefined;
}

/** Compares two shapes. A place is compared only if what holds it is there both times. */
export function compareShapes(known: Shape, now: Shape, policy: ComparePolicy): Difference[] {
  return [...new Set([...Object.keys(known), ...Object.keys(now)])].flatMap(
    (path): Difference[] => {
      const [field, other] = [known[path], now[path]];
      if (field !== undefined && other !== undefined) {
        const [before, after] = compareField(field, other, policy) ?? [];
        return before && after
          ? [{ path, before: enumerate(before), after: enumerate(after) }]
          : [];
      }
      const [mine, theirs, presence] =
        field === undefined ? [now, known, policy.added] : [known, now, policy.gone];
      if (!counts(mine, path, presence) || !hasParent(theirs, path)) return [];
      const types = enumerate(typesOf(mine[path] as FieldShape));
      return field === undefined
        ? [{ path, before: undefined, after: types }]
        : [{ path, before: types, after: undefined }];
    },
  );
}
