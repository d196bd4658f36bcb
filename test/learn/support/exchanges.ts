import { ENDPOINTS } from "../../../src/contract/endpoints.ts";
import type { DeliverySeen, Exchange } from "../../../src/learn/observed.ts";
import { Recorder } from "../../../src/learn/recorder.ts";
import { REJECTION_CAUSES } from "../../../src/profile/causes.ts";
import type { ServiceProfile } from "../../../src/profile/profile-types.ts";
import { fc } from "../../support/properties.ts";

const paths = [...Object.values(ENDPOINTS), { method: "GET", path: "/nothing" } as const].map(
  ({ method, path }) => ({ method, path: path.replace(/\{\w+\}/, "resource") }),
);

/** Any JSON, with texts and keys of this kind. */
const json = (text: fc.Arbitrary<string>): fc.Arbitrary<unknown> => {
  const names = [
    "data",
    "status",
    "currency",
    "items",
    "id",
    "meta",
    "per_page",
    "total",
    "errors",
  ];
  const { body } = fc.letrec((tie) => ({
    scalar: fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    list: fc.array(tie("value"), { maxLength: 4 }),
    map: fc.dictionary(fc.oneof(fc.constantFrom(...names), text), tie("value"), { maxKeys: 6 }),
    value: fc.oneof({ maxDepth: 4 }, tie("scalar"), tie("list"), tie("map")),
    body: fc.oneof(tie("map"), tie("list"), tie("scalar")),
  }));
  return body;
};

/** Any response of a service, with texts of this kind in every place that holds a text. */
const exchanges = (text: fc.Arbitrary<string>): fc.Arbitrary<Exchange> =>
  fc
    .record({
      endpoint: fc.constantFrom(...paths),
      key: fc.constantFrom("public", "secret", "sandbox", "other", "none", undefined),
      cause: fc.constantFrom(...REJECTION_CAUSES, undefined, undefined),
      hasBody: fc.boolean(),
      hasOrigin: fc.boolean(),
      query: fc.dictionary(fc.oneof(fc.constantFrom("page", "per_page", "limit"), text), text, {
        maxKeys: 2,
      }),
      status: fc.constantFrom(200, 200, 201, 204, 302, 400, 401, 403, 404, 405, 422, 429, 500),
      headers: fc.dictionary(
        fc.oneof(
          fc.constantFrom("content-type", "retry-after", "allow", "x-request-id", "location"),
          text,
        ),
        text,
        { maxKeys: 3 },
      ),
      body: fc.oneof(
        json(text).map((value) => JSON.stringify(value)),
        text,
        fc.constant(""),
      ),
    })
    .map(({ endpoint, query, headers, ...rest }) => ({
      ...rest,
      ...endpoint,
      query: new URLSearchParams(query),
      headers: Object.entries(headers),
    }));

/** Any delivery. */
const deliveries = (text: fc.Arbitrary<string>): fc.Arbitrary<DeliverySeen> =>
  fc.record({
    headers: fc
      .dictionary(fc.oneof(fc.constantFrom("x-service-signature", "x-id"), text), text, {
        maxKeys: 3,
      })
      .map((all) => Object.entries(all)),
    body: fc
      .record({
        event: fc.oneof(fc.constantFrom("payment.completed", "invoice.paid"), text),
        timestamp: fc.oneof(fc.constant("2026-01-01T09:00:00+03:00"), text),
        data: json(text),
      })
      .map((value) => JSON.stringify(value)),
    status: fc.constantFrom(200, 503),
    receivedAt: fc.integer({ min: 0, max: 10_000_000 }),
  });

/** Something that an observer sees. */
export type Seen = { readonly exchange: Exchange } | { readonly delivery: DeliverySeen };

export const seen = (
  text: fc.Arbitrary<string> = fc.string({ maxLength: 8 }),
): fc.Arbitrary<Seen> =>
  fc.oneof(
    exchanges(text).map((exchange) => ({ exchange })),
    deliveries(text).map((delivery) => ({ delivery })),
  );

/** What a run learns of all this. */
export function learn(run: string, all: readonly Seen[], base?: ServiceProfile): ServiceProfile {
  const recorder = new Recorder({ by: "observer", run, base });
  for (const one of all) {
    if ("exchange" in one) recorder.record(one.exchange);
    else recorder.recordDelivery(one.delivery);
  }
  return recorder.profile();
}
