import type { Gateway, IdempotencyStore, Payment } from "malipo";
import type { ResolveUnknownOptions } from "malipo/types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { EMPTY_PROFILE, type ProfileFile } from "../../../src/profile/profile-types.ts";
import { gatewayOn, rejection } from "../support/gateway.ts";
import type { Fetch } from "../support/responses.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SAFELY_OVER_MS = 75_000;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 31, 9) });
});
afterEach(() => {
  vi.useRealTimers();
});

const ORDER = { amount: 100, phone: "0712 345 678", account_reference: "ORDER-42" };
const PAID: Payment = {
  reference: "PAY-1",
  status: "pending",
  amount: "100.00",
  phone: "254712345678",
  account_reference: "ORDER-42",
};

/** How the service answers a list of payments: everything at once, with its total. */
const onePage = (payments: readonly Payment[]) => () => ({
  success: true,
  data: payments,
  meta: { page: 1, per_page: 100, total: payments.length },
});

/** A shop whose prompts end as `prompt` says, and whose service lists some payments. */
function createShop(
  list: (query: URLSearchParams) => unknown,
  {
    store = memoryIdempotency(),
    prompt = "reset",
    /** The headers of each response. */
    headers = () => ({ date: new Date().toUTCString() }) as Record<string, string>,
    profile = undefined as ProfileFile | undefined,
  } = {},
) {
  let next: string = prompt;
  let [prompts, lists] = [0, 0];
  const json = (body: unknown) => new Response(JSON.stringify(body), { headers: headers() });
  const fetch: Fetch = async (url, { method }) => {
    const { pathname, searchParams } = new URL(url);
    if (method === "POST") {
      prompts++;
      if (next === "reset") throw new TypeError("reset");
      return json({ success: true, data: { reference: next } });
    }
    if (pathname.endsWith("/payments")) {
      lists++;
      return json(list(searchParams));
    }
    return json({ success: true, data: { ...PAID, status: "completed" } });
  };
  const gateway = gatewayOn(fetch, { idempotency: store, maxRetries: 0, profile });
  return {
    gateway,
    store,
    prompts: () => prompts,
    lists: () => lists,
    /** Prompts, and the response is `reference`, or is lost. */
    pay: async (key: string, reference = "reset", params: object = ORDER) => {
      next = reference;
      const call = gateway.mobileMoney.initiate(params as typeof ORDER, { idempotencyKey: key });
      return call.catch((error: unknown) => error);
    },
  };
}

const OPTIONS: ResolveUnknownOptions = { lookBackMs: HOUR_MS };
const look = (gateway: Gateway, options: Partial<ResolveUnknownOptions> = {}) =>
  gateway.idempotency.resolveUnknown({ ...OPTIONS, ...options });

describe("resolveUnknown resolves an attempt", () => {
  test("that exactly one payment matches, by account reference, amount and phone", async () => {
    const { gateway, pay, prompts } = createShop(
      onePage([
        { ...PAID, reference: "PAY-2", account_reference: "ORDER-43" },
        { ...PAID, reference: "PAY-3", amount: "100.01" },
        { ...PAID, reference: "PAY-4", phone: "254712345679" },
        PAID,
      ]),
    );
    await pay("ORDER-42/1");
    const reports = await look(gateway);
    expect(reports).toMatchObject([
      { state: "resolved", reference: "PAY-1", attempt: { idempotencyKey: "ORDER-42/1" } },
    ]);
    expect(await pay("ORDER-42/1")).toEqual({ reference: "PAY-1" });
    expect(prompts()).toBe(1);
    expect(await look(gateway)).toEqual([]);
  });

  test("whose payment is on a later page, however the service pages", async () => {
    const others = Array.from({ length: 4 }, (_, i) => ({
      ...PAID,
      reference: `PAY-${i + 10}`,
      account_reference: `ORDER-${i}`,
    }));
    const all = [...others, PAID];
    const styles: readonly ((query: URLSearchParams) => unknown)[] = [
      (query) => {
        const page = Number(query.get("page") ?? 1);
        const data = all.slice((page - 1) * 2, page * 2);
        return { data, meta: { page, per_page: 2, total: all.length } };
      },
      (query) => {
        const page = Number(query.get("page") ?? 1);
        return {
          data: { data: all.slice((page - 1) * 2, page * 2), current_page: page, last_page: 3 },
        };
      },
      (query) => {
        const at = Number(query.get("after") ?? 0);
        const next = at + 2 < all.length ? `https://gateway.test/payments?after=${at + 2}` : null;
        return { data: all.slice(at, at + 2), links: { next } };
      },
    ];
    for (const style of styles) {
      const { gateway, pay, lists } = createShop(style);
      await pay("ORDER-42/1");
      expect(await look(gateway)).toMatchObject([{ state: "resolved", reference: "PAY-1" }]);
      expect(lists()).toBe(3);
    }
  });

  test("of the other key of one order, if the payment of the first key is known", async () => {
    const { gateway, pay } = createShop(
      onePage([
        { ...PAID, status: "failed" },
        { ...PAID, reference: "PAY-2" },
      ]),
    );
    await pay("ORDER-42/1", "PAY-1");
    await pay("ORDER-42/2");
    expect(await look(gateway)).toMatchObject([
      { state: "resolved", reference: "PAY-2", attempt: { idempotencyKey: "ORDER-42/2" } },
    ]);
  });
});

describe("resolveUnknown reports an attempt, and leaves it open,", () => {
  const stays = async (gateway: Gateway, state: string, options = {}) => {
    const reports = await look(gateway, options);
    expect(reports.map((report) => report.state)).toEqual([state]);
    expect((await gateway.idempotency.list({ state: "unknown" })).items).toHaveLength(1);
    return reports[0];
  };

  test("that several payments match", async () => {
    const { gateway, pay } = createShop(onePage([PAID, { ...PAID, reference: "PAY-2" }]));
    await pay("ORDER-42/1");
    expect(await stays(gateway, "unclear")).toMatchObject({ references: ["PAY-1", "PAY-2"] });
  });

  test.each([
    ["no phone", { phone: undefined }],
    ["a masked phone", { phone: "2547*****678" }],
    ["no account reference", { account_reference: undefined }],
  ])("whose payment may be one with %s", async (_, fields) => {
    const { gateway, pay } = createShop(onePage([{ ...PAID, ...fields } as Payment]));
    await pay("ORDER-42/1");
    vi.advanceTimersByTime(SAFELY_OVER_MS);
    await stays(gateway, "unclear", { notSentAfterMs: 1 });
  });

  test("that no payment matches", async () => {
    const { gateway, pay } = createShop(onePage([]));
    await pay("ORDER-42/1");
    vi.advanceTimersByTime(SAFELY_OVER_MS);
    await stays(gateway, "none");
  });

  test("without an account reference, since another order may have the same amount and phone", async () => {
    const { gateway, pay } = createShop(onePage([PAID]));
    await pay("ORDER-42/1", "reset", { amount: 100, phone: "0712345678" });
    vi.advanceTimersByTime(SAFELY_OVER_MS);
    await stays(gateway, "unclear", { notSentAfterMs: 1 });
  });

  test("whose payment belongs to another attempt already", async () => {
    const { gateway, pay } = createShop(onePage([PAID]));
    await pay("ORDER-42/1", "PAY-1");
    await pay("ORDER-42/2");
    await stays(gateway, "none");
  });

  test("that began before lookBackMs", async () => {
    const { gateway, pay, lists } = createShop(onePage([PAID]));
    await pay("ORDER-42/1");
    vi.advanceTimersByTime(HOUR_MS + 1);
    await stays(gateway, "too_old");
    expect(lists()).toBe(0);
  });

  test.each([
    ["a minute", MINUTE_MS],
    ["a day", 24 * HOUR_MS],
  ])("whose payment seems to be %s older than the attempt", async (_, ms) => {
    const created_at = new Date(Date.now() - ms).toISOString();
    const { gateway, pay } = createShop(onePage([{ ...PAID, created_at }]));
    await pay("ORDER-42/1");
    vi.advanceTimersByTime(SAFELY_OVER_MS);
    await stays(gateway, "unclear", { notSentAfterMs: 1 });
  });

  test.each([
    ["another account reference", { account_reference: "ORDER-43" }],
    ["another amount", { amount: "103.00" }],
    ["an amount that is the same only when it is rounded", { amount: "100.004" }],
    ["another phone", { phone: "254712345679" }],
  ])("if a payment differs from it only by %s", async (_, fields) => {
    const { gateway, pay } = createShop(onePage([{ ...PAID, ...fields }]));
    await pay("ORDER-42/1");
    vi.advanceTimersByTime(SAFELY_OVER_MS);
    const report = await stays(gateway, "unclear", { notSentAfterMs: 1 });
    expect(report).toMatchObject({ references: ["PAY-1"] });
  });
});

test.each(["+254 712 345 678", "254712345678", "00254712345678"])(
  "resolveUnknown leaves an attempt for %s open if a payment has the phone of another country",
  async (phone) => {
    const foreign = { ...PAID, phone: "256712345678" };
    const { gateway, pay } = createShop(onePage([foreign]));
    await pay("ORDER-42/1", "reset", { ...ORDER, phone });
    expect(await look(gateway)).toMatchObject([{ state: "unclear", references: ["PAY-1"] }]);
    const same = createShop(onePage([PAID]));
    await same.pay("ORDER-42/1", "reset", { ...ORDER, phone });
    expect(await look(same.gateway)).toMatchObject([{ state: "resolved", reference: "PAY-1" }]);
  },
);

test.each([
  ["KES", "254712345678", "resolved"],
  ["KES", "256712345678", "unclear"],
  ["kes", "256712345678", "unclear"],
  ["UGX", "256712345678", "resolved"],
  ["UGX", "254712345678", "unclear"],
  ["constructor", "256712345678", "resolved"],
  [undefined, "256712345678", "resolved"],
])(
  "resolveUnknown reads a number without a calling code as one of the country of %s: %s is %s",
  async (currency, phone, state) => {
    const { gateway, pay } = createShop(onePage([{ ...PAID, currency, phone } as typeof PAID]));
    await pay("ORDER-42/1", "reset", { ...ORDER, phone: "0712 345 678" });
    expect(await look(gateway)).toMatchObject([{ state }]);
  },
);

test.each(["100", "100.0", "100.00", "0100.00", 100])(
  "resolveUnknown finds the payment whose amount is written as %j",
  async (amount) => {
    const { gateway, pay } = createShop(onePage([{ ...PAID, amount: amount as string }]));
    await pay("ORDER-42/1");
    expect(await look(gateway)).toMatchObject([{ state: "resolved", reference: "PAY-1" }]);
  },
);

test("resolveUnknown assigns one payment to none of two attempts that may have made it", async () => {
  const { gateway, pay } = createShop(onePage([PAID]));
  await pay("ORDER-42/1");
  await pay("ORDER-42/2");
  const reports = await look(gateway);
  expect(reports.map(({ state }) => state)).toEqual(["unclear", "unclear"]);
});

test("resolveUnknown does not touch the attempts of another service", async () => {
  const store = memoryIdempotency();
  const { gateway, pay } = createShop(onePage([PAID]), { store });
  await pay("ORDER-42/1");
  const other = gatewayOn(async () => new Response("[]"), {
    idempotency: store,
    baseUrl: "https://sandbox.test",
  });
  expect(await look(other)).toEqual([]);
  expect(await look(gateway)).toMatchObject([{ state: "resolved" }]);
});

describe("absence is concluded", () => {
  const shop = async (
    list = onePage([]) as (query: URLSearchParams) => unknown,
    settings: Parameters<typeof createShop>[1] = {},
  ) => {
    const created = createShop(list, settings);
    await created.pay("ORDER-42/1");
    return created;
  };

  test("only after notSentAfterMs, and the next call prompts", async () => {
    const { gateway, pay, prompts } = await shop();
    vi.advanceTimersByTime(9 * MINUTE_MS);
    const options = { notSentAfterMs: 10 * MINUTE_MS };
    expect(await look(gateway, options)).toMatchObject([{ state: "none" }]);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(await look(gateway, options)).toMatchObject([{ state: "not_sent" }]);
    expect(await pay("ORDER-42/1", "PAY-2")).toEqual({ reference: "PAY-2" });
    expect(prompts()).toBe(2);
  });

  test.each([
    ["at least 10 minutes", 10_000, 10],
    ["ten times as long", 300_000, 50],
  ])(
    "after the time that a profile of the service knows, %s",
    async (_, listedWithinMs, minutes) => {
      const lists = { "GET /payments": { listedWithinMs } };
      const profile = encodeProfile({ ...EMPTY_PROFILE, lists });
      const { gateway, pay } = createShop(onePage([]), { profile });
      await pay("ORDER-42/1");
      vi.advanceTimersByTime(minutes * MINUTE_MS - 1);
      expect(await look(gateway)).toMatchObject([{ state: "none" }]);
      vi.advanceTimersByTime(1);
      expect(await look(gateway)).toMatchObject([{ state: "not_sent" }]);
    },
  );

  test("never before the request cannot be on its way any more", async () => {
    const { gateway } = await shop();
    vi.advanceTimersByTime(SAFELY_OVER_MS - 1);
    expect(await look(gateway, { notSentAfterMs: 1 })).toMatchObject([{ state: "none" }]);
    vi.advanceTimersByTime(1);
    expect(await look(gateway, { notSentAfterMs: 1 })).toMatchObject([{ state: "not_sent" }]);
  });

  const other = (reference: string, agoMs: number) => ({
    ...PAID,
    reference,
    account_reference: reference,
    phone: "254799999999",
    created_at: new Date(Date.now() - agoMs).toISOString(),
  });

  test.each([
    ["a list without paging data", () => ({ data: [] })],
    [
      "a list that does not reach back to the attempt",
      () => ({ data: [other("NEWER-1", 0), other("NEWER-2", 1_000)] }),
    ],
    [
      "a list whose order is not by time",
      () => ({ data: [other("OLDER", HOUR_MS), other("NEWER", 0)] }),
    ],
    [
      "pages that repeat",
      () => ({ data: [other("NEWER", 0)], meta: { page: 1, per_page: 1, total: 2 } }),
    ],
  ])("never from %s", async (_, list) => {
    const { gateway } = await shop(list);
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await look(gateway, { notSentAfterMs: MINUTE_MS })).toMatchObject([{ state: "none" }]);
  });

  const TEN_MINUTES = { notSentAfterMs: 10 * MINUTE_MS };
  const sorted = () => ({
    data: [0, 1, 2, HOUR_MS].map((agoMs) => other(`PAY-${agoMs + 10}`, agoMs)),
  });

  test("from a list that is sorted by time and reaches back before the attempt", async () => {
    const { gateway } = await shop(sorted);
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await look(gateway, TEN_MINUTES)).toMatchObject([{ state: "not_sent" }]);
  });

  test.each([
    ["shows no clock", () => ({})],
    ["is from a cache", () => ({ date: new Date().toUTCString(), age: "30" })],
    ["has times from the future of its clock", () => ({ date: new Date(0).toUTCString() })],
  ])("never from times of a list that %s", async (_, headers) => {
    const { gateway } = await shop(sorted, { headers: headers as () => Record<string, string> });
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await look(gateway, TEN_MINUTES)).toMatchObject([{ state: "none" }]);
  });

  test.each([
    ["has fewer payments than its total", { page: 1, last_page: 1, total: 3 }],
    ["says that it has more", { page: 1, last_page: 1, has_more: true }],
    ["has a cursor of the next page", { page: 1, last_page: 1, next_cursor: "abc" }],
    ["has a total that may count one page", { total: 10 }],
  ])("never from the end of a list that %s", async (_, meta) => {
    const data = Array.from({ length: "total" in meta && meta.total === 10 ? 10 : 2 }, (_, i) => ({
      ...other(`PAY-${i + 10}`, 0),
      created_at: undefined,
    }));
    const { gateway } = await shop(() => ({ data, meta }));
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(await look(gateway, TEN_MINUTES)).toMatchObject([{ state: "none" }]);
  });
});

test.each([
  [{}, /lookBackMs/],
  [{ lookBackMs: -1 }, /lookBackMs/],
  [{ lookBackMs: 1, notSentAfterMs: 0 }, /notSentAfterMs/],
  [{ lookBackMs: 1, since: 1 }, /no option "since"/],
])("resolveUnknown rejects the options %j", async (options, message) => {
  const { gateway } = createShop(onePage([]));
  const call = gateway.idempotency.resolveUnknown(options as ResolveUnknownOptions);
  const error = await rejection(call);
  expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(message) });
});

test("list goes through all pages, the oldest attempt first", async () => {
  const { gateway, pay } = createShop(onePage([]));
  for (const i of [1, 2, 3, 4, 5]) {
    await pay(`ORDER-${i}/1`);
    vi.advanceTimersByTime(1_000);
  }
  const page = await gateway.idempotency.list({ state: "unknown", limit: 2 });
  expect(page.items.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    "ORDER-1/1",
    "ORDER-2/1",
  ]);
  const keys: string[] = [];
  for await (const { idempotencyKey, endpoint, attempt } of page) {
    keys.push(idempotencyKey);
    await gateway.idempotency.resolve(idempotencyKey, "PAY-9", { endpoint, attempt } as never);
  }
  expect(keys).toEqual([1, 2, 3, 4, 5].map((i) => `ORDER-${i}/1`));
  expect((await gateway.idempotency.list({ state: "succeeded" })).items).toHaveLength(5);
});

test("a store that fails to list is an error with the outcome not_sent", async () => {
  const store: IdempotencyStore = {
    ...memoryIdempotency(),
    list: () => Promise.reject(new Error("the disk is full")),
  };
  const { gateway } = createShop(onePage([]), { store });
  for (const call of [gateway.idempotency.list(), look(gateway)]) {
    expect(await rejection(call)).toMatchObject({ code: "connection", outcome: "not_sent" });
  }
});
