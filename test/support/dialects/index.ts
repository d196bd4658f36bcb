import { AFRICA } from "./table/africa.ts";
import { BARE } from "./table/bare.ts";
import { ELSEWHERE } from "./table/elsewhere.ts";
import { ENVELOPED } from "./table/enveloped.ts";
import { FURTHER } from "./table/further.ts";
import { HOSTILE } from "./table/hostile.ts";
import { NEWEST } from "./table/newest.ts";
import { UNSEEN } from "./table/unseen.ts";
import { UNTUNED } from "./table/untuned.ts";
import type { Dialect } from "./types.ts";

export { nextCursor } from "./handlers.ts";
export { createDialectService, type DialectService } from "./service.ts";
export type { Dialect } from "./types.ts";

/** All dialects. The last one, `html`, is not a payment service at all. */
export const DIALECTS: readonly Dialect[] = [...ENVELOPED, ...BARE, ...HOSTILE];

/** Dialects of well-known conventions, beside those of `DIALECTS`. */
export const FURTHER_DIALECTS: readonly Dialect[] = FURTHER;

/** Dialects of real services, each with its source: what the learned sandbox is measured by. */
export const REAL_DIALECTS: readonly Dialect[] = [...AFRICA, ...ELSEWHERE];

/** Dialects of real services that were looked at while rules were written. */
export const UNTUNED_DIALECTS: readonly Dialect[] = UNTUNED;

/** Dialects of real services that were written down after every rule that they measure. */
export const UNSEEN_DIALECTS: readonly Dialect[] = UNSEEN;

/** Dialects of real services that were written down after the rules that `UNSEEN_DIALECTS` showed. */
export const NEWEST_DIALECTS: readonly Dialect[] = NEWEST;

/** Those that speak JSON, so that something can be learned of them. */
export const LEARNABLE_DIALECTS: readonly Dialect[] = DIALECTS.filter(({ html }) => !html);

/** @throws for a name that is not in the table. */
export function dialect(name: string): Dialect {
  const found = [...DIALECTS, ...FURTHER, ...REAL_DIALECTS, ...UNTUNED, ...UNSEEN, ...NEWEST].find(
    (one) => one.name === name,
  );
  if (found !== undefined) return found;
  throw new Error(`There is no dialect ${name}.`);
}
