import { fillersRule } from "../../profile/rules/resources.ts";
import { entry, MINUTE_MS, ONLY_SANDBOX } from "./entry.ts";

/** About payments, phones and prompts. @see ASSUMPTIONS */
export const ABOUT_PAYMENTS = {
  phoneNumbers: entry(
    "which phone numbers can be charged",
    "Kenyan mobile numbers: 254 and 7 or 1, then eight digits, in any usual notation",
    "the sample is in KES; numbers that begin with 01 exist since 2019",
    { never: "only prompts to numbers of strangers would show it" },
  ),
  amountBounds: entry(
    "limits of an amount",
    "1 to 250,000, at most two decimals",
    "the network's current limit for one transaction; `limits` sets others",
    { never: "only payments of the smallest and the largest amount would show it" },
    { minAmount: 1, maxAmount: 250_000 },
  ),
  paymentAccounts: entry(
    "how many payment accounts a merchant has",
    "two: a till, which is the default, and a paybill; a payment to any other account is rejected with 422",
    "code that passes payment_account_id can be tested",
    { never: "the accounts are the merchant's own, and a profile holds shapes, not values" },
    [1, 2],
  ),
  fillers: entry(
    "the fields of a payment that the merchant did not set",
    'KES; account_reference ""; payer_name "SANDBOX CUSTOMER"',
    "they have the documented types, and no value looks like a real customer's",
    {
      rule: fillersRule("KES"),
      knob: "fields that were null or missing are so in the sandbox, too; the currency is the one seen",
    },
  ),
  magicNumbers: entry(
    "how a test decides the outcome of a prompt",
    "phone numbers whose last three digits are one of MAGIC_SUFFIXES answer automatically; all others wait for `sandbox.phone(number)`",
    "integrators know this convention from other gateways",
    ONLY_SANDBOX,
  ),
  promptLifetime: entry(
    "how long a prompt waits",
    "60 s, then the payment fails; on a phone that is switched off too",
    "about a minute in practice",
    { never: "a customer who does not answer looks like one who answers late" },
    MINUTE_MS,
  ),
  onePrompt: entry(
    "a second prompt while one is open",
    "the payment is created and fails at once",
    "a phone shows one prompt at a time",
    { never: "only two prompts to one customer at the same time would show it" },
  ),
  autoAnswerDelay: entry(
    "when an automatic answer comes",
    '3 s after the prompt, for magic numbers, `phone.always(...)` and `auto: "approve"`',
    "long enough to see `pending`, short enough to wait for",
    ONLY_SANDBOX,
    3_000,
  ),
  balance: entry(
    "a customer's balance",
    "100,000.00 at first; an approval debits it, and fails if it is not enough",
    "enough for most tests, and it can run out",
    ONLY_SANDBOX,
    10_000_000,
  ),
  failures: entry(
    "the values of failure_reason, user_message and retry_possible",
    "the network's result codes and texts, as integrators know them",
    "a test should see what real payments return",
    { never: "they are texts, and a profile keeps no texts" },
  ),
} as const;
