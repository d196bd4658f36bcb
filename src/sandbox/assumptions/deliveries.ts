import {
  deletionsRule,
  fieldsRule,
  idsRule,
  invoicesRule,
  otherPayloadsRule,
  signingSecretRule,
} from "../../profile/rules/resources.ts";
import { deliveryScheduleRule } from "../../profile/rules/responses.ts";
import { entry, MINUTE_MS, ONLY_SANDBOX } from "./entry.ts";

const DAY_MS = 24 * 60 * MINUTE_MS;
const RETRY_DELAYS_MS = [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS];

/** About deliveries and webhooks, invoices and ids. @see ASSUMPTIONS */
export const ABOUT_DELIVERIES = {
  otherPayloads: entry(
    "payloads of the event kinds other than payment.completed and payment.failed",
    "payment.initiated carries the payment, invoice.* the invoice, as a read returns them; subscription.*, which only test events have, carries subscription_id, status and created_at",
    "code that reads the resource can read the event",
    {
      rule: otherPayloadsRule,
      knob: "the data of an event has the fields that the service sends",
    },
  ),
  webhooks: entry(
    "request and response of a webhook registration",
    "name, url (https, or http on a loopback host) and events (at least one, only known kinds; all kinds if the list is left out), with an id",
    "a webhook with a misspelt kind or an empty list would never be called",
    {
      rule: fieldsRule("webhook", ["id", "name", "url", "events"]),
      knob: "a webhook has the fields that the service returns",
    },
  ),
  signingSecret: entry(
    "how the signing secret is issued",
    "one for all webhooks: sandbox.webhookSecret",
    "there is no dashboard to show it on",
    {
      rule: signingSecretRule,
      knob: "a registration returns a secret of the same form; deliveries are signed with the sandbox's own",
    },
  ),
  rotation: entry(
    "how the signing secret is rotated",
    "only by chaos: from some delivery on a new one signs; sandbox.webhookSecrets lists it beside the old one before it is used; earlier deliveries keep their signature",
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
    "an attempt that does not return 200 within 5 s is retried after 10 s, 1 min, 5 min, 30 min and 2 h, with the same body, timestamp and signature",
    "200 is the only status that the interface names",
    {
      rule: deliveryScheduleRule(RETRY_DELAYS_MS),
      knob: "redeliveries come after the gaps that were seen",
    },
    RETRY_DELAYS_MS,
  ),
  resultCode: entry(
    "a 200 whose ResultCode is not 0",
    "the delivery counts as received and is not retried: only the status decides",
    "in the interface 200 prevents retries, and no other ResultCode than 0 is shown",
    { never: "only a receiver that answers so on purpose would show it" },
  ),
  deliveryQueue: entry(
    "how many deliveries may be pending for one address",
    "10,000, of which 100 are in flight at once; any further one fails at once, and its attempt has the reason",
    "a receiver that never responds must not fill the memory",
    ONLY_SANDBOX,
    { maxPending: 10_000, maxConcurrent: 100 },
  ),
  invoices: entry(
    "fields, statuses and transitions of an invoice",
    'any object, with id, number, status (draft, sent, paid, overdue) and due_at, 14 days ahead unless given; a payment whose account_reference is its number pays it, and so does PUT { status: "paid" }',
    "a test can see every transition",
    {
      rule: invoicesRule(
        ["id", "number", "status", "due_at", "created_at", "amount"],
        ["draft", "sent", "paid", "overdue"],
      ),
      knob: "an invoice has the fields that the service returns",
    },
    14 * DAY_MS,
  ),
  deletions: entry(
    "response of the DELETE endpoints",
    "{ id, deleted: true }",
    "it names what was deleted",
    {
      rule: deletionsRule,
      knob: "a deletion has the status and the body of the service",
    },
  ),
  ids: entry(
    "names and kinds of ids",
    "a payment has a reference, invoices and webhooks have an id: words with a prefix, such as inv_x7k2; a payment account has the whole number payment_account_id",
    "code that takes any text as an id also takes a number",
    {
      rule: idsRule,
      knob: "ids have the name and the kind of the service",
    },
  ),
} as const;
