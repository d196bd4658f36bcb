import type { AttemptDigests, NewAttempt } from "./idempotency-store.ts";

/** An attempt as it is written: its texts are digests. */
export interface NewRecord extends Omit<NewAttempt, "parameters" | "payment"> {
  readonly scope: string;
  readonly digests: AttemptDigests;
}

const DIGEST_COLUMNS = ["parameters", "account_reference", "amount", "phone"] as const;

/** The columns that `begin` writes from its attempt. */
export const ATTEMPT_COLUMNS = [
  "owner",
  "endpoint",
  "idempotency_key",
  "base_url",
  "scope",
  "lease_ms",
  ...DIGEST_COLUMNS,
] as const;

/** The columns of a record, in every engine. Each measures `elapsed_ms` by its own clock. */
export const COLUMNS = ["version", "state", "begun_at", ...ATTEMPT_COLUMNS, "result"] as const;

type Values<Names extends readonly string[]> = Record<Names[number], string | number | null>;

/** Digests by their columns, in the order of the columns. Engines know no `undefined`. */
/** The digests that are looked for, or that an attempt has. */
type Wanted = { readonly [Name in keyof AttemptDigests]?: string | undefined };

export const digestColumns = (digests: Wanted): Values<typeof DIGEST_COLUMNS> => ({
  parameters: digests.parameters ?? null,
  account_reference: digests.accountReference ?? null,
  amount: digests.amount ?? null,
  phone: digests.phone ?? null,
});

/** An attempt by its columns, in the order of the columns. */
export const attemptColumns = (record: NewRecord): Values<typeof ATTEMPT_COLUMNS> => ({
  owner: record.owner,
  endpoint: record.endpoint,
  idempotency_key: record.idempotencyKey,
  base_url: record.baseUrl,
  scope: record.scope,
  lease_ms: record.leaseMs,
  ...digestColumns(record.digests),
});
