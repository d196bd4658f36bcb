import * as z from "zod/mini";
import { isObject } from "../internal/is-object.ts";
import { isPhoneDigits, PHONE_EXPECTED, phoneDigits } from "../internal/phone-digits.ts";

/** One problem with a value. */
interface SchemaIssue {
  /** The path of the problem, from the value down. */
  readonly path: readonly PropertyKey[];
  /** What was expected, such as `expected a string`. */
  readonly message: string;
}

/**
 * A schema as the other folders see it. This interface keeps the types of zod out of the package's
 * declarations, so that a user's compiler does not load them.
 */
export interface Schema {
  /** The documented fields of an object. */
  readonly shape?: object;
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

/**
 * The check of each documented field of an interface. A table that lacks a field, that has one more, or
 * whose check is of another type, does not compile: so the interface is the one place of a field.
 */
export type FieldChecks<Fields> = {
  readonly [Name in keyof Fields as string extends Name ? never : Name]-?: Partial<
    Pick<Fields, Name>
  > extends Pick<Fields, Name>
    ? z.ZodMiniOptional<z.ZodMiniType<Exclude<Fields[Name], undefined>>>
    : z.ZodMiniType<Fields[Name]>;
};

/** A phone number with or without separators. The parsed value has only its digits. */
export const phoneNumber = z
  .string({ error: PHONE_EXPECTED })
  .check(z.overwrite(phoneDigits), z.refine(isPhoneDigits, { error: PHONE_EXPECTED }));

/** A finite number above 0 with at most two decimals: `toFixed(2)` does not change its value. */
export const amount = z.number({ error: "expected an amount as a number" }).check(
  z.refine((value) => value > 0 && Number(value.toFixed(2)) === value, {
    error: "expected an amount above 0 with at most two decimals",
  }),
);

// zod's `union`, `partial` and `minLength` would add 1.2 kB to what a user bundles: `refine` is used instead.

export const text = z.string({ error: "expected a string" });

export const identifier = z.custom<string | number>(
  (value) => typeof value === "string" || Number.isFinite(value),
  { error: "expected an identifier (a string or a number)" },
);

/**
 * Any object, for bodies that the service does not document. Not a zod object: the value must come
 * out unchanged, with its `toJSON`.
 */
export const anyObject: Schema = {
  safeParse: (data) =>
    isObject(data)
      ? { success: true, data }
      : { success: false, error: { issues: [{ path: [], message: "expected an object" }] } },
};
