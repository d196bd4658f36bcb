import { BARE } from "./table/bare.ts";
import { ENVELOPED } from "./table/enveloped.ts";
import { FURTHER } from "./table/further.ts";
import { HOSTILE } from "./table/hostile.ts";
import type { Dialect } from "./types.ts";

export { createDialectService } from "./service.ts";
export type { Dialect } from "./types.ts";

/** All dialects. The last one, `html`, is not a payment service at all. */
export const DIALECTS: readonly Dialect[] = [...ENVELOPED, ...BARE, ...HOSTILE];

/** Dialects of well-known conventions, beside those of `DIALECTS`. */
export const FURTHER_DIALECTS: readonly Dialect[] = FURTHER;

/** Those that speak JSON, so that something can be learned of them. */
export const LEARNABLE_DIALECTS: readonly Dialect[] = DIALECTS.filter(({ html }) => !html);

/** @throws for a name that is not in the table. */
export function dialect(name: string): Dialect {
  const found = [...DIALECTS, ...FURTHER].find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new Error(`There is no dialect ${name}.`);
}
