import { total } from "./counts.ts";
import { lastName, parentPath, presenceOf } from "./paths.ts";
import type { FieldShape, Shape } from "./types.ts";

/** A place at which two shapes, or two profiles, differ. */
export interface Difference {
  /** `data.amount`; in profiles with the endpoint before it, such as `GET /merchant data.amount`. */
  readonly path: string;
  /** What was known, such as `string or null`. `undefined`: the place was not known. */
  readonly before: string | undefined;
  /** What is there instead. `undefined`: it is gone. */
  readonly after: string | undefined;
}

/** What counts as a difference. */
export interface ComparePolicy {
  /** `required`: fields that were always there; `all`: every field. */
  readonly gone: "required" | "all";
  /** `required`: fields that are always there now. */
  readonly added: "none" | "required" | "all";
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

/** Fields that a payment has in some statuses only, by the interface. */
const FIELDS_OF_SOME_STATUSES: ReadonlySet<string> = new Set([
  ...["transaction_id", "provider_transaction_id", "provider_reference", "payer_name"],
  ...["failure_reason", "user_message", "retry_possible", "checkout_request_id"],
]);

/** Names that stand for others: nothing is known of a single one. */
const isWildcard = (path: string): boolean => /(?:\*|\{field\})$/.test(path);

function isRequired(shape: Shape, path: string): boolean {
  if (path.endsWith("[]") || isWildcard(path)) return false;
  if (FIELDS_OF_SOME_STATUSES.has(lastName(path))) return false;
  const { seen, of } = presenceOf(shape, path);
  return seen === of;
}

const hasParent = (shape: Shape, path: string): boolean => {
  const parent = parentPath(path);
  const type = path.endsWith("[]") ? "array" : "object";
  return parent === undefined || total(shape[parent]?.types[type]) > 0;
};

const typesOf = ({ types }: FieldShape): string[] => Object.keys(types).sort();

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

const quoted = (values: readonly string[] = []): string =>
  [...values]
    .sort()
    .map((value) => JSON.stringify(value))
    .join(" or ");

const without = (these: readonly string[], those: readonly string[]) =>
  these.filter((one) => !those.includes(one));

/** The difference in one field that both shapes have. */
function compareField(
  known: FieldShape,
  now: FieldShape,
  policy: ComparePolicy,
): Pick<Difference, "before" | "after"> | undefined {
  const [before, after] = [typesOf(known), typesOf(now)];
  const isAll = policy.values === "all";
  // A field that was always null has a value as soon as there is one.
  const isOpen = before.join() === "null" && !isAll;
  const isOther = without(after, before).length > 0 || (isAll && before.join() !== after.join());
  if (isOther && !isOpen) return { before: before.join(" or "), after: after.join(" or ") };
  const [one, other] = [familiesOf(known), familiesOf(now)];
  const isFormat = policy.formats && one.length > 0 && other.length > 0;
  if (isFormat && !one.some((family) => other.includes(family))) {
    return { before: one.join(" or "), after: other.join(" or ") };
  }
  const { values = [] } = known;
  if (policy.values === "none" || values.length === 0) return undefined;
  const added = without(now.values ?? [], values);
  if (added.length > 0) return { before: quoted(values), after: quoted(added) };
  return undefined;
}

/** Compares two shapes. A place is compared only if what holds it is there both times. */
export function compareShapes(known: Shape, now: Shape, policy: ComparePolicy): Difference[] {
  const found: Difference[] = [];
  for (const [path, field] of Object.entries(known)) {
    const other = now[path];
    if (other !== undefined) {
      const difference = compareField(field, other, policy);
      if (difference !== undefined) found.push({ path, ...difference });
    } else if (hasParent(now, path) && (policy.gone === "all" || isRequired(known, path))) {
      if (!path.endsWith("[]")) {
        found.push({ path, before: typesOf(field).join(" or "), after: undefined });
      }
    }
  }
  if (policy.added === "none") return found;
  for (const [path, field] of Object.entries(now)) {
    if (Object.hasOwn(known, path) || path.endsWith("[]") || !hasParent(known, path)) continue;
    if (policy.added === "required" && !isRequired(now, path)) continue;
    found.push({ path, before: undefined, after: typesOf(field).join(" or ") });
  }
  return found;
}
