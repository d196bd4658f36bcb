/** One choice that the sandbox made where the interface is silent. */
export interface Assumption {
  /** What the interface does not show. */
  readonly about: string;
  /** What the sandbox does. */
  readonly choice: string;
  /** Why. */
  readonly reason: string;
}

const entry = <const Value>(about: string, choice: string, reason: string, value: Value) => ({
  about,
  choice,
  reason,
  value,
});

const MINUTE = 60_000;

/**
 * Every choice made where the interface is silent. They hold for the sandbox alone: the client leans
 * on none of them, and a merchant's code should not either. Where a choice is a number or a name,
 * `value` is what the sandbox runs on.
 */
export const ASSUMPTIONS = {
  address: entry(
    "the sandbox's address (section 5.8)",
    "https://sandbox.malipo.test/api/v1 in process; http://127.0.0.1:4010/api/v1 when served",
    "a reserved name cannot reach anybody; a path prefix, since the interface says there is one",
    { origin: "https://sandbox.malipo.test", prefix: "/api/v1", port: 4010 },
  ),
  time: entry(
    "the offset of timestamps",
    "+03:00, to the second; virtual time starts at 2026-01-01T09:00:00+03:00",
    "Nairobi's; a fixed start makes transcripts repeatable",
    undefined,
  ),
  browsers: entry(
    "whether browsers may call",
    "CORS from any origin, preflight included",
    "public keys are for the client side",
    undefined,
  ),
  sizes: entry(
    "how large a request may be",
    "1 MiB when served, otherwise 413; JSON nested over 100 deep is refused with 400",
    "what is nested deeper can be parsed, but not written again",
    { maxBytes: 1_048_576, maxDepth: 100 },
  ),
  keys: entry(
    "which endpoints a sandbox key may call (section 5.8)",
    "all of them",
    "it is for testing, and a test needs every endpoint",
    undefined,
  ),
  errorResponses: entry(
    "status codes and bodies of errors (sections 5.7, 7.3)",
    "401 no key or unknown key; 403 wrong kind or missing scope; 404 unknown path or id; 405 wrong method; 400 unreadable JSON; 422 invalid field; always { success: false, error }",
    "what HTTP means by them, in the envelope of section 4",
    undefined,
  ),
  statuses: entry(
    "status codes of answers",
    "201 for what is created (invoices, webhooks), 200 for all else",
    "what HTTP means by them",
    undefined,
  ),
  lists: entry(
    "query and response of lists",
    "?page and ?per_page (20 unless given, 100 at most); data is an array, newest first, meta is { page, per_page, total }",
    "the commonest shape",
    { perPage: 20, maxPerPage: 100 },
  ),
  paymentsInitiate: entry(
    "request, response and scope of POST /payments/initiate",
    "those of POST /mobile-money/payment/initiate",
    "it initiates a payment too",
    "payments.create",
  ),
  mobileMoneyStatus: entry(
    "request and response of POST /mobile-money/payment/status",
    "takes { reference } or { checkout_request_id }, gives what GET /payments/{reference} gives",
    "the two names that an initiation returns",
    undefined,
  ),
  validatePhone: entry(
    "response of POST /mobile-money/validate-phone",
    "{ valid, phone, network }, 200 for an invalid number too",
    "an invalid number is an answer, not an error; the network is a hint, numbers are portable",
    undefined,
  ),
  phoneNumbers: entry(
    "which phone numbers can be charged",
    "Kenyan mobile numbers: 254 and 7 or 1, then eight digits, in any usual way of writing them",
    "the sample is in KES; 01 numbers exist since 2019",
    undefined,
  ),
  amountBounds: entry(
    "bounds of an amount (section 8)",
    "1 to 250,000, at most two decimals",
    "the network's present limit for one transaction; `limits` sets others",
    { minAmount: 1, maxAmount: 250_000 },
  ),
  fillers: entry(
    "what stands in a payment where the merchant gave nothing",
    'KES; account_reference ""; payer_name "SANDBOX CUSTOMER"',
    "the documented types, with nothing that looks like a customer's",
    undefined,
  ),
  magicNumbers: entry(
    "how a test decides the outcome of a prompt",
    "the last three digits of a phone, MAGIC_SUFFIXES, act by themselves; all other numbers wait for `sandbox.phone(number)`",
    "a convention that integrators know from other gateways",
    undefined,
  ),
  promptLifetime: entry(
    "how long a prompt waits",
    "60 s, then the payment fails; on a phone that is off too",
    "about a minute in the field",
    MINUTE,
  ),
  onePrompt: entry(
    "a second prompt while one is open",
    "the payment is made and fails at once",
    "a phone shows one prompt at a time",
    undefined,
  ),
  autoAnswerDelay: entry(
    "how fast a customer answers by itself",
    '3 s after the prompt, for magic numbers, standing answers and `auto: "approve"`',
    "long enough to see `pending`, short enough to wait for",
    3_000,
  ),
  balance: entry(
    "a customer's balance",
    "100,000.00 at first; an approval debits it, and fails where it does not suffice",
    "enough for most tests, and not endless",
    10_000_000,
  ),
  failures: entry(
    "what stands in failure_reason, user_message and retry_possible",
    "the network's result codes and texts, as integrators know them",
    "a test should see what the field sends",
    undefined,
  ),
  otherPayloads: entry(
    "payloads of the event kinds other than payment.completed and payment.failed (section 6.5)",
    "payment.initiated carries the payment, invoice.* the invoice, as a read gives them",
    "whoever reads the resource can read the event",
    undefined,
  ),
  webhooks: entry(
    "what a registration takes and gives (section 2)",
    "name, url (https, or http on a loopback host) and events (one at least, known kinds), with an id",
    "a misspelt kind or an empty list would be a webhook that never comes",
    undefined,
  ),
  signingSecret: entry(
    "how the signing secret is issued (section 2)",
    "one for all webhooks: sandbox.webhookSecret",
    "there is no dashboard to show it on",
    undefined,
  ),
  rotation: entry(
    "how the signing secret is rotated",
    "only by chaos: from some delivery on a new one signs, which sandbox.webhookSecrets lists beforehand beside the old one; earlier deliveries keep their signature",
    "where a dashboard issues secrets, the new one is at hand before it signs",
    undefined,
  ),
  lostDeliveries: entry(
    "a delivery that is lost on its way",
    "a failed attempt, retried like any other",
    "whoever sent it cannot tell it from a receiver that does not answer",
    undefined,
  ),
  deliverySchedule: entry(
    "retry schedule, attempt count, what counts as failed (section 6.9)",
    "anything but 200 within 5 s is tried again after 10 s, 1 min, 5 min, 30 min and 2 h, with the same body, timestamp and signature",
    "200 is the only status that section 6.7 names",
    [10_000, MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE],
  ),
  deliveryQueue: entry(
    "how many deliveries may wait for one address",
    "10,000, of which 100 are under way at once; what comes on top fails at once, and its attempt says so",
    "a receiver that never answers must not fill the memory",
    { maxPending: 10_000, maxInFlight: 100 },
  ),
  invoices: entry(
    "fields, states and transitions of an invoice (sections 2 and 3)",
    'any object, with id, number, status (draft, sent, paid, overdue) and due_at, 14 days ahead unless given; a payment whose account_reference is its number pays it, and so does PUT { status: "paid" }',
    "a life that can be seen whole in a test",
    14 * 24 * 60 * MINUTE,
  ),
  deletions: entry(
    "response of the DELETE endpoints",
    "{ id, deleted: true }",
    "says what is gone",
    undefined,
  ),
} as const satisfies Record<string, Assumption & { value: unknown }>;
