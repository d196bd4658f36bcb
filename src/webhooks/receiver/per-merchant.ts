import { checkFunction, wrongOption } from "../../internal/check-options.ts";
import type { AttemptResolver, PaymentReader } from "./options.ts";

/** The options that each merchant has its own of: what they are, and the method that tells. */
const OPTIONS = {
  attempts: { what: "the `idempotency` of a gateway", method: "resolveByPayment" },
  payments: { what: "the `payments` of a gateway", method: "get" },
} as const;

interface Values {
  readonly attempts: AttemptResolver;
  readonly payments: PaymentReader;
}

/**
 * Returns the value of an option for a merchant. With many merchants, the option is a function: one
 * merchant's events must not reach the account of another.
 *
 * @throws {ConfigurationError} for something else.
 */
export function checkPerMerchant<Name extends keyof Values>(
  name: Name,
  given: unknown,
  isPerMerchant: boolean,
): (merchant: string | undefined) => Values[Name] | undefined {
  const { what, method } = OPTIONS[name];
  const check = (value: unknown): Values[Name] => {
    if (typeof Object(value)[method] === "function") return value as Values[Name];
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
