import { checkFunction, wrongOption } from "../../internal/check-options.ts";
import type { WebhookReceiverOptions } from "./options.ts";

/**
 * The check of an option that each merchant has its own of. It returns the value for a merchant. With
 * many merchants, the option is a function: one merchant's events must not reach the account of another.
 *
 * @param what - What the option takes, and the `method` that tells.
 * @throws {ConfigurationError} for something else.
 */
export function perMerchant<Value>(name: string, what: string, method: keyof Value) {
  const check = (value: unknown): Value => {
    if (typeof Object(value)[method] === "function") return value as Value;
    throw wrongOption(name, what, value);
  };
  return (
    given: unknown,
    { merchant: isPerMerchant }: WebhookReceiverOptions,
  ): ((merchant: string | undefined) => Value | undefined) => {
    if (given === undefined) return () => undefined;
    if (isPerMerchant === undefined) {
      const value = check(given);
      return () => value;
    }
    checkFunction(name, given);
    return (merchant) => {
      const found = (given as (merchant: string | undefined) => unknown)(merchant);
      return found === undefined ? undefined : check(found);
    };
  };
}
