import { memory } from "malipo";
import { describe, expect, it, vi } from "vitest";
import { newSandbox, ORDER, openShop, testClock } from "../stage.ts";

const PHONE = "Check your phone number";
const AMOUNT = "This amount cannot be requested on a phone.";
const SHOP = "You did nothing wrong; we are looking into it.";
const BUSY = "The mobile-money service is busy.";
const NOT_SENT = "The request was not sent to your phone.";

/** A shop whose service responds to each prompt as it is told. */
function shopWith(respond: () => Response | Promise<Response>) {
  const sandbox = newSandbox();
  const clock = testClock();
  const store = memory({ now: clock.now }).checkout();
  const fetch = (url: string, init: RequestInit) =>
    url.includes("payment/initiate") ? Promise.resolve(respond()) : sandbox.fetch(url, init);
  return { ...openShop(sandbox, store, { fetch, attemptLimit: 100 }), sandbox, clock, store };
}

const says =
  (status: number, body: unknown = { success: false, message: "No." }) =>
  () =>
    Response.json(body, { status });

// biome-ignore format: a table is read across
const REJECTIONS: readonly (readonly [string, () => Response | Promise<Response>, string, string])[] = [
  ["401", says(401), "shop", SHOP],
  ["403 with a page of a firewall", () => new Response("<h1>Your phone</h1>", { status: 403 }), "shop", SHOP],
  ["404", says(404, { message: "No phone route" }), "shop", SHOP],
  ["402", says(402), "shop", SHOP],
  ["429", says(429), "moment", BUSY],
  ["422 without a cause", says(422), "shop", SHOP],
  ["422 in a sentence about the phone", says(422, { success: false, message: "The phone is not valid." }), "phone", PHONE],
  ["422 in a sentence about the amount", says(422, { error: "The amount is over the limit of this phone" }), "amount", AMOUNT],
  ["422 with a field", says(422, { error: "Bad input", field: "phone" }), "phone", PHONE],
  ["422 with errors by field", says(422, { errors: { amount: ["must be at most 250,000"] } }), "amount", AMOUNT],
  ["422 with errors by field (Laravel)", says(422, { message: "The given data was invalid.", errors: { phone: ["no"] } }), "phone", PHONE],
  ["422 with a list of problems that repeat the input", says(422, { detail: [{ loc: ["body", "amount"], msg: "too large", input: { phone: "0712345678" } }] }), "amount", AMOUNT],
  ["422 with pointers", says(422, { errors: [{ source: { pointer: "/data/attributes/msisdn" } }] }), "phone", PHONE],
  ["400 of Daraja about the number", says(400, { errorCode: "400.002.02", errorMessage: "Bad Request - Invalid PhoneNumber" }), "phone", PHONE],
  ["400 of Daraja about the amount", says(400, { errorCode: "400.002.02", errorMessage: "Bad Request - Invalid Amount" }), "amount", AMOUNT],
  ["400 of Daraja about the shop", says(400, { errorCode: "400.002.02", errorMessage: "Bad Request - Invalid BusinessShortCode" }), "shop", SHOP],
  ["400 whose body repeats the request", says(400, { message: "Invalid account", request: { phone: "254712345678", amount: 1500 } }), "shop", SHOP],
  ["200 that says that it failed", says(200, { success: false, message: "Invalid phone number" }), "phone", PHONE],
  ["a name that does not resolve", () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND", syscall: "getaddrinfo" })), "moment", NOT_SENT],
];

describe("what a customer reads after a rejection is what it is about", () => {
  it.each(REJECTIONS)("%s", async (_, respond, about, message) => {
    const { checkout } = shopWith(respond);
    const order = await checkout.pay(ORDER);
    expect(order).toMatchObject({
      status: "open",
      canPay: true,
      message: expect.stringContaining(message),
      attempts: [{ status: "not_sent", about }],
    });
    if (about !== "phone") expect(order.message).not.toContain("your phone number");
    expect(JSON.stringify(order)).not.toContain("returned");
  });
});

const UNAUTHORIZED = says(401, { success: false, message: "The key is revoked." });

it("a cause that no customer can correct is reported once a minute, with what the service said", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    let respond = UNAUTHORIZED;
    const { checkout, errors } = shopWith(() => respond());
    for (let at = 0; at < 5; at++) await checkout.pay({ ...ORDER, id: `O-${at}` });
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toMatch(
      /no customer can correct the cause: .*401.*The key is revoked/,
    );
    expect(errors[0]).toMatchObject({ cause: { code: "authentication" } });
    respond = says(403);
    await checkout.pay({ ...ORDER, id: "OTHER" });
    expect(errors).toHaveLength(2);
    vi.advanceTimersByTime(60_000);
    await checkout.pay({ ...ORDER, id: "LATER" });
    expect(errors).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

it("the merchant reads the cause, and the customer does not", async () => {
  const { checkout } = shopWith(UNAUTHORIZED);
  await checkout.pay(ORDER);
  expect(await checkout.rejections()).toEqual([
    {
      orderId: ORDER.id,
      reason: expect.stringContaining("The key is revoked"),
      at: expect.any(String),
    },
  ]);
  const history = (await checkout.history(ORDER.id)).map(({ text }) => text);
  expect(history).toContainEqual(
    expect.stringMatching(/attempt 1 was not sent: .*The key is revoked/),
  );
  expect(JSON.stringify(await checkout.get(ORDER.id))).not.toContain("revoked");
});

it("an order whose later request is sent is no longer among the rejections", async () => {
  let isFixed = false;
  const { checkout } = shopWith(() =>
    isFixed ? Response.json({ success: true, data: { reference: "PAY-1" } }) : UNAUTHORIZED(),
  );
  await checkout.pay(ORDER);
  expect(await checkout.rejections()).toHaveLength(1);
  isFixed = true;
  expect(await checkout.pay(ORDER)).toMatchObject({ status: "pending" });
  expect(await checkout.rejections()).toEqual([]);
});

it("rejections are those of orders of the last day", async () => {
  const { checkout, clock } = shopWith(UNAUTHORIZED);
  await checkout.pay(ORDER);
  clock.advance(86_400_001);
  await checkout.pay({ ...ORDER, id: "TODAY" });
  expect((await checkout.rejections()).map(({ orderId }) => orderId)).toEqual(["TODAY"]);
});

it("a cause is stored without a phone, in one line", async () => {
  const body = { success: false, message: "No\u0000 key\nfor 0712 345 678 \ud800" };
  const { checkout } = shopWith(says(403, body));
  await checkout.pay(ORDER);
  const [rejection] = await checkout.rejections();
  expect(rejection?.reason).toContain("No key for 0712***678");
  expect(rejection?.reason).toMatch(/^[^\p{Cc}\p{Cs}]+$/u);
});
