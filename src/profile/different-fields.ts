import { byText } from "./counts.ts";
import { childrenOf, fieldPath } from "./paths.ts";
import type { Counts, Shape } from "./types.ts";

/** An object that has other fields in one run than in another. */
interface DifferentFields {
  /** The path of the object. */
  readonly path: string;
  /** The fields that only one run saw there, such as `meta; pagination or total`. */
  readonly found: string;
}

/** So often a run must have seen an object before its fields are compared. */
const MIN_SEEN = 2;

/** The contract says of these that a payment has them in some statuses only. */
const OF_SOME_STATUSES = new Set([
  ...["transaction_id", "provider_transaction_id", "provider_reference", "payer_name"],
  ...["failure_reason", "user_message", "retry_possible", "checkout_request_id"],
]);

interface Fields {
  readonly always: readonly string[];
  readonly ever: ReadonlySet<string>;
}

function fieldsIn(shape: Shape, path: string, run: string, times: number): Fields {
  const counts = childrenOf(shape, path).map((name) => {
    const types: Counts[] = Object.values(shape[fieldPath(path, name)]?.types ?? {});
    return [name, types.reduce((sum, one) => sum + (one[run] ?? 0), 0)] as const;
  });
  const isCompared = (name: string) => name !== "*" && !OF_SOME_STATUSES.has(name);
  return {
    always: counts.filter(([name, n]) => n === times && isCompared(name)).map(([name]) => name),
    ever: new Set(counts.filter(([, n]) => n > 0).map(([name]) => name)),
  };
}

const onlyIn = (one: Fields, other: Fields): string =>
  one.always.filter((name) => !other.ever.has(name)).join(" or ");

/**
 * The objects that always had a field in one run, and never in another. One row for each object,
 * however many its fields: a payment in another status may have several of its own.
 */
export function differentFields(shape: Shape): DifferentFields[] {
  const different: DifferentFields[] = [];
  for (const [path, { types }] of Object.entries(shape)) {
    const runs = Object.entries(types.object ?? {}).filter(([, times]) => times >= MIN_SEEN);
    if (runs.length < 2) continue;
    const fields = runs.map(([run, times]) => fieldsIn(shape, path, run, times));
    const found = new Set(
      fields
        .flatMap((one) => fields.map((other) => onlyIn(one, other)))
        .filter((name) => name !== ""),
    );
    if (found.size > 0) different.push({ path, found: [...found].sort(byText).join("; ") });
  }
  return different;
}
