import { test } from "vitest";
import * as z from "zod/mini";
import { type FieldChecks, text } from "../../src/contract/schema.ts";

interface Refund {
  reference: string;
  reason?: string;
  [field: string]: unknown;
}

test("the checks of a schema are those of the documented fields of its interface", () => {
  ({ reference: text, reason: z.optional(text) }) satisfies FieldChecks<Refund>;
  // @ts-expect-error: a field has no check
  ({ reference: text }) satisfies FieldChecks<Refund>;
  // @ts-expect-error: the interface has no such field
  ({ reference: text, reason: z.optional(text), amount: text }) satisfies FieldChecks<Refund>;
  // @ts-expect-error: the check is of another type
  ({ reference: z.number(), reason: z.optional(text) }) satisfies FieldChecks<Refund>;
  // @ts-expect-error: the field may be left out
  ({ reference: text, reason: text }) satisfies FieldChecks<Refund>;
  // @ts-expect-error: the field may not be left out
  ({ reference: z.optional(text), reason: z.optional(text) }) satisfies FieldChecks<Refund>;
});
