import { DAY_MS, MINUTE_MS } from "../internal/units.ts";

/** What a profile of your service changes in the sandbox. */
export interface Learnable {
  /** What a sandbox with the profile does in another way. */
  readonly knob: string;
}

/** Why an assumption cannot be learned. */
export interface NotLearnable {
  readonly never: string;
}

/** One choice that the sandbox made because the interface of the service is silent. */
export interface Assumption {
  /** What the interface does not show. */
  readonly about: string;
  /** What the sandbox does. */
  readonly choice: string;
  /** Why the sandbox does that. */
  readonly reason: string;
  /** How your service decides it, or why it cannot. */
  readonly learn: Learnable | NotLearnable;
}

const entry = <const Value = undefined>(
  about: string,
  choice: string,
  reason: string,
  learn: Learnable | NotLearnable,
  value?: Value,
) => ({ about, choice, reason, value: value as Value, learn });

/** What a sandbox does that a service has no counterpart of. */
export const ONLY_SANDBOX: NotLearnable = {
  never: "it is a tool of the sandbox: a service has nothing like it",
};

/**
 * Every choice that the sandbox made because the interface of the service is silent. They hold only for
 * the sandbox: the client depends on none of them, and your code should not either. If a choice is a
 * number or a name, the sandbox reads it from `value`.
 */
export const ASSUMPTIONS = {
  // About requests and responses.
  address: entry(
    "the sandbox's address",
    "https://sandbox.malipo.test/api/v1 in process; http://127.0.0.1:4010/api/v1 when served",
    "a reserved domain leads to no machine; the interface has a path prefix",
    { never: "you know the address of your service, and pass it as `baseUrl`" },
    { origin: "https://sandbox.malipo.test", prefix: "/api/v1", port: 4010 },
  ),
  time: entry(
    "the offset of timestamps",
    "+03:00, to the second; virtual time starts at 2026-01-01T09:00:00+03:00",
    "the offset of Nairobi; a fixed start makes transcripts repeatable",
    { knob: "timestamps have the form and the offset of the service" },
  ),
  browsers: entry(
    "whether browsers may call the service",
    "CORS from any origin, preflight included",
    "public keys are for the client side",
    { knob: "none: a page under test has to reach the sandbox, whatever the service allows" },
  ),
  sizes: entry(
    "how large a request may be",
    "1 MiB when served (413); JSON of at most 100 levels (400)",
    "deeper JSON can be parsed, but JSON.stringify cannot write it",
    {
      never:
        "only a request of a megabyte would show it, and a probe sends none to a payment service",
    },
    { maxBytes: 1_048_576, maxDepth: 100 },
  ),
  keys: entry(
    "which endpoints a sandbox key may call",
    "all of them",
    "it is for testing, and a test needs every endpoint",
    { knob: "a sandbox key is rejected for the endpoints for which the service rejects it" },
  ),
  errorResponses: entry(
    "status codes and bodies of errors",
    "401 no or unknown key; 403 wrong kind or scope; 404 path or id; 405 method; 400 invalid JSON; 422 field; always { success: false, error }",
    "their meaning in HTTP, in the envelope of the interface",
    { knob: "a rejection has the status, the headers and the body of the service, by its cause" },
  ),
  statuses: entry(
    "status codes of successful responses",
    "201 for a new invoice or webhook, otherwise 200",
    "their meaning in HTTP",
    { knob: "a success has the status of the service, by its endpoint" },
  ),
  lists: entry(
    "query and response of lists",
    "?page and ?per_page (20 unless given, 100 at most); data is an array, newest first, meta is { page, per_page, total }",
    "the most common shape",
    { knob: "place of the list, fields beside it, names of the parameters, page lengths" },
    { perPage: 20, maxPerPage: 100 },
  ),
  paymentsInitiate: entry(
    "request, response and scope of POST /payments/initiate",
    "those of POST /mobile-money/payment/initiate",
    "it initiates a payment too",
    { knob: "the response has the fields that the service returns" },
    "payments.create",
  ),
  mobileMoneyStatus: entry(
    "request and response of POST /mobile-money/payment/status",
    "{ reference } or { checkout_request_id }; that of GET /payments/{reference}",
    "an initiation returns these two identifiers",
    { knob: "the response has the fields that the service returns" },
  ),
  validatePhone: entry(
    "response of POST /mobile-money/validate-phone",
    "{ valid, phone, network }, 200 for an invalid number too",
    "an invalid number is a result, not an error; the network is a hint, since customers may keep their number",
    {
      knob: "the response has the fields that the service returns; an invalid number has its status",
    },
  ),

  // About payments, phones and prompts.
  phoneNumbers: entry(
    "which phone numbers can be charged",
    "mobile numbers of Kenya, in any usual notation; of other countries with their code",
    "the sample is in KES; `country` sets another one",
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
    "two: a till, the default, and a paybill; any other is rejected with 422",
    "code that passes payment_account_id can be tested",
    { never: "the accounts are the merchant's own, and a profile holds shapes, not values" },
    [1, 2],
  ),
  fillers: entry(
    "the fields of a payment that the merchant did not set",
    'KES; account_reference ""; payer_name "SANDBOX CUSTOMER"',
    "they have the documented types, and no value looks like a real customer's",
    {
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
    "60 s, then the payment fails, also if the phone is off",
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

  // About deliveries and webhooks, invoices and ids.
  otherPayloads: entry(
    "payloads of the event kinds other than payment.completed and payment.failed",
    "payment.initiated carries the payment, invoice.* the invoice, as a read returns them",
    "code that reads the resource can read the event",
    { knob: "the data of an event has the fields that the service sends" },
  ),
  webhooks: entry(
    "request and response of a webhook registration",
    "name, url (https, or http on a loopback host) and events (only known kinds; all if left out), with an id",
    "a webhook with a misspelt kind or an empty list would never be called",
    { knob: "a webhook has the fields that the service returns" },
  ),
  signingSecret: entry(
    "how the signing secret is issued",
    "one for all webhooks: sandbox.webhookSecret",
    "there is no dashboard to show it on",
    {
      knob: "a registration returns a secret of the same form; deliveries are signed with the sandbox's own",
    },
  ),
  rotation: entry(
    "how the signing secret is rotated",
    "only by chaos: from some delivery on a new one signs; sandbox.webhookSecrets lists both",
    "a dashboard shows a new secret before it is used",
    { never: "a profile keeps no secrets, so it cannot see that one changed" },
  ),
  lostDeliveries: entry(
    "a delivery that is lost",
    "a failed attempt, retried like any other",
    "the sender cannot tell it from a receiver that does not respond",
    { never: "a receiver cannot see a delivery that did not reach it" },
  ),
  deliverySchedule: entry(
    "retry schedule, number of attempts, and when an attempt has failed",
    "without a 200 within 5 s, again after 10 s, 1 min, 5 min, 30 min and 2 h, with the same body, timestamp and signature",
    "200 is the only status that the interface names",
    { knob: "redeliveries come after the gaps that were seen" },
    [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS],
  ),
  resultCode: entry(
    "a 200 whose ResultCode is not 0",
    "received: only the status decides",
    "in the interface 200 prevents retries, and no other ResultCode than 0 is shown",
    { never: "only a receiver that answers so on purpose would show it" },
  ),
  deliveryQueue: entry(
    "how many deliveries may be pending for one address",
    "10,000, of which 100 are in flight at once; any further one fails at once",
    "a receiver that never responds must not fill the memory",
    ONLY_SANDBOX,
    { maxPending: 10_000, maxConcurrent: 100 },
  ),
  invoices: entry(
    "fields, statuses and transitions of an invoice",
    'any object, with id, number, status (draft, sent, paid, overdue) and due_at, 14 days ahead unless given; paid by a payment whose account_reference is its number, or by PUT { status: "paid" }',
    "a test can see every transition",
    { knob: "an invoice has the fields that the service returns" },
    14 * DAY_MS,
  ),
  deletions: entry(
    "response of the DELETE endpoints",
    "{ id, deleted: true }",
    "it names what was deleted",
    { knob: "a deletion has the status and the body of the service" },
  ),
  ids: entry(
    "names and kinds of ids",
    "reference of a payment, id of invoices and webhooks: words with a prefix, such as inv_x7k2; payment_account_id: a whole number",
    "code that takes any text as an id also takes a number",
    { knob: "ids have the name and the kind of the service" },
  ),
} as const satisfies Record<string, Assumption & { value: unknown }>;
