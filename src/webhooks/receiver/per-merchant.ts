import { checkFunction, wrongOption } from "../../internal/check-options.ts";

/**
 * Returns the value of an option for a merchant. With many merchants, the option is a function: one
 * merchant's events must not reach the account of another.
 *
 * @param kind - What the option takes, and the method that tells.
 * @throws {ConfigurationError} for something else.
 */
export function checkPerMerchant<Value>(
  name: string,
  given: unknown,
  isPerMerchant: boolean,
  { what, method }: { readonly what: string; readonly method: keyof Value },
): (merchant: string | undefined) => Value | undefined {
  const check = (value: unknown): Value => {
    if (typeof Object(value)[method] === "function") return value as Value;
    throw wrongOption(name, what, value);
  };
  if (given === undefined) return () => undefined;
  if (!isPerMerchant) {
    const value = check(given);
    return () => value;
  }
  checkFunction(name, given);
  return (merchant) => {
    const found = (given as (merchant: string | undefined) => unknown)(merchant);
    return found === undefined ? undefined : check(found);
  };
}
