import * as z from "zod/mini";

/** One thing wrong with a value. */
interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  /** What was expected. */
  readonly message: string;
}

/**
 * What the rest of the package knows of a schema. Named here, so that no type of the library
 * behind it stands in our declarations: a user's compiler need not load it.
 */
export interface Schema {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

const PHONE = "expected a phone number of 9 to 15 digits, such as 0712345678 or +254 712 345 678";

/** A phone number in any usual way of writing it; gives its digits. */
export const phoneNumber = z.string({ error: PHONE }).check(
  z.overwrite((phone) => phone.replace(/[\s\p{Pd}()[\]]/gu, "").replace(/^\+/, "")),
  z.regex(/^\d{9,15}$/, { error: PHONE }),
);

/** A finite number above 0 with at most two decimals: what `toFixed(2)` gives back unchanged. */
export const amount = z.number({ error: "expected an amount as a number" }).check(
  z.refine((value) => value > 0 && Number(value.toFixed(2)) === value, {
    error: "expected an amount above 0 with at most two decimals",
  }),
);

export const text = z.string({ error: "expected a string" });

export const identifier = z.union([z.string(), z.number()], {
  error: "expected an identifier (a string or a number)",
});

/** Any object, as it is (a `toJSON` too): for bodies that the interface does not show. */
export const anyObject: Schema = z.custom(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  { error: "expected an object" },
);

/** `field` may be left out, or be `undefined`. */
export const maybe = z.optional;
