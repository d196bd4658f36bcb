import { listsRule } from "../../profile/rules/lists.ts";
import { sameResponseRule, validatePhoneRule } from "../../profile/rules/resources.ts";
import {
  browsersRule,
  errorResponsesRule,
  sandboxKeyRule,
  successStatusesRule,
  timeRule,
} from "../../profile/rules/responses.ts";
import { entry } from "./entry.ts";

const PAGE_LENGTHS = { perPage: 20, maxPerPage: 100 };

/** About requests and responses. @see ASSUMPTIONS */
export const ABOUT_REQUESTS = {
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
    {
      rule: timeRule("YYYY-MM-DDTHH:mm:ss+03:00"),
      knob: "timestamps have the form and the offset of the service",
    },
  ),
  browsers: entry(
    "whether browsers may call the service",
    "CORS from any origin, preflight included",
    "public keys are for the client side",
    {
      rule: browsersRule,
      knob: "none: a page under test has to reach the sandbox, whatever the service allows",
    },
  ),
  sizes: entry(
    "how large a request may be",
    "1 MiB when served, otherwise 413; JSON nested more than 100 levels deep is rejected with 400",
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
    {
      rule: sandboxKeyRule,
      knob: "a sandbox key is rejected for the endpoints for which the service rejects it",
    },
  ),
  errorResponses: entry(
    "status codes and bodies of errors",
    "401 no key or unknown key; 403 wrong kind or missing scope; 404 unknown path or id; 405 wrong method; 400 invalid JSON; 422 invalid field; always { success: false, error }",
    "their meaning in HTTP, in the envelope of the interface",
    {
      rule: errorResponsesRule({
        no_key: 401,
        unknown_key: 401,
        wrong_kind: 403,
        missing_scope: 403,
        unknown_path: 404,
        unknown_id: 404,
        wrong_method: 405,
        invalid_json: 400,
        invalid_field: 422,
      }),
      knob: "a rejection has the status, the headers and the body of the service, by its cause",
    },
  ),
  statuses: entry(
    "status codes of successful responses",
    "201 for what is created (invoices, webhooks), 200 for everything else",
    "their meaning in HTTP",
    {
      rule: successStatusesRule(["invoices.create", "webhooks.register"]),
      knob: "a success has the status of the service, by its endpoint",
    },
  ),
  lists: entry(
    "query and response of lists",
    "?page and ?per_page (20 unless given, 100 at most); data is an array, newest first, meta is { page, per_page, total }",
    "the most common shape",
    {
      rule: listsRule(PAGE_LENGTHS),
      knob: "place of the list, fields beside it, names of the parameters, page lengths",
    },
    PAGE_LENGTHS,
  ),
  paymentsInitiate: entry(
    "request, response and scope of POST /payments/initiate",
    "those of POST /mobile-money/payment/initiate",
    "it initiates a payment too",
    {
      rule: sameResponseRule("payments.initiate", "mobileMoney.initiate"),
      knob: "the response has the fields that the service returns",
    },
    "payments.create",
  ),
  mobileMoneyStatus: entry(
    "request and response of POST /mobile-money/payment/status",
    "accepts { reference } or { checkout_request_id }, returns what GET /payments/{reference} returns",
    "an initiation returns these two identifiers",
    {
      rule: sameResponseRule("mobileMoney.status", "payments.get"),
      knob: "the response has the fields that the service returns",
    },
  ),
  validatePhone: entry(
    "response of POST /mobile-money/validate-phone",
    "{ valid, phone, network }, 200 for an invalid number too",
    "an invalid number is a result, not an error; the network is a hint, since customers may keep their number",
    {
      rule: validatePhoneRule,
      knob: "the response has the fields that the service returns; an invalid number has its status",
    },
  ),
} as const;
