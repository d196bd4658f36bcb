import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type ServedSandbox,
} from "malipo/sandbox";
import { afterEach, describe, expect, test } from "vitest";

const PHONE = "0712345678";
let sandbox: Sandbox;
let served: ServedSandbox;
async function open(options: SandboxOptions = {}) {
  sandbox = createSandbox({ deliver: async () => new Response("thanks"), ...options });
  served = await sandbox.serve({ port: 0 });
}
afterEach(() => served.close());

/** Posts a form as a browser without a script does: the page to which it leads, and its message. */
async function post(action: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const url = `${served.url}/_sandbox/${action}`;
  const response = await fetch(url, { method: "POST", body, redirect: "manual" });
  const location = response.headers.get("location") ?? "";
  const page = location && (await (await fetch(served.url + location)).text());
  const [, tone, message] =
    /<p id="flash" role="status" class="notice (\w*)">([^<]*)</.exec(page) ?? [];
  return {
    status: response.status,
    location,
    page,
    tone,
    message: message?.replaceAll("&#39;", "'").replaceAll("&quot;", '"'),
  };
}

const pay = (fields = {}) =>
  post("pay", { amount: "1500", phone: PHONE, account_reference: "ORDER-42", ...fields });
const payments = async () => {
  const headers = { "x-api-key": sandbox.keys.secret };
  const { data } = await (await sandbox.fetch(`${sandbox.baseUrl}/payments`, { headers })).json();
  return data as { reference: string; status: string; amount: string }[];
};

describe("a form", () => {
  test("leads back to the same view, which shows the message", async () => {
    await open();
    const { status, location, tone, message } = await pay({
      back: "payments-find=x&deliveries=2&flash=9",
      at: "payments",
    });
    const [{ reference } = { reference: "" }] = await payments();
    expect(status).toBe(303);
    expect(location).toBe(
      `/?phone=254712345678&payment=${reference}&deliveries=2&flash=1#payments`,
    );
    expect([tone, message]).toEqual(["good", "A prompt was sent to 0712 345 678."]);
  });

  test("leads nowhere else, whatever its fields are", async () => {
    await open();
    for (const back of [
      "//evil.example",
      "https://evil.example",
      "\r\nSet-Cookie: x=y",
      "a=b#@evil.example",
    ]) {
      const { location } = await post("clock", { by: "1s", back, at: "x\r\ny://evil" });
      expect(location).toMatch(/^\/\?flash=\d+#xyevil$/);
    }
  });

  test("shows why it failed, and changes nothing", async () => {
    await open();
    const before = sandbox.snapshot();
    const wrong: [string, Record<string, string>, RegExp][] = [
      ["pay", { amount: "", phone: PHONE }, /^422: amount/],
      ["pay", { amount: "1e9", phone: PHONE }, /^422: amount/],
      ["pay", { amount: "99999999", phone: PHONE }, /^422: amount/],
      ["pay", { amount: "10", phone: "12" }, /^422: phone/],
      ["phone/approve", { number: PHONE }, /shows no prompt/],
      ["phone/pin", { number: PHONE, pin: "12" }, /four digits/],
      ["phone/cancel", { number: "x" }, /not the number of a mobile phone/],
      ["phone/always", { number: PHONE, answer: "sing" }, /`answer` must be one of/],
      ["phone/balance", { number: PHONE, balance: "-1" }, /A balance must be/],
      ["clock", { by: "-5s" }, /A duration must be/],
      ["clock", {}, /A duration must be/],
      ["deliveries/resend", { id: "dlv_none" }, /no delivery/],
      ["webhooks/register", { url: "http://shop.example" }, /^422: url/],
      ["webhooks/remove", { id: "../payments" }, /^404/],
      ["faults/add", { kind: "explode" }, /`effect.kind` must be/],
      ["faults/add", { kind: "status", status: "99" }, /got 99/],
      ["faults/add", { kind: "latency", ms: "soon" }, /got "soon"/],
      ["faults/add", { kind: "reset", endpoint: "nothing" }, /`endpoint` must be/],
      ["faults/add", { kind: "reset", times: "0.5" }, /times/],
      ["chaos", { drop: "2", seed: "s" }, /drop/],
    ];
    for (const [action, fields, why] of wrong) {
      const { status, tone, message } = await post(action, fields);
      expect([action, status, tone, message]).toEqual([
        action,
        303,
        "bad",
        expect.stringMatching(why),
      ]);
    }
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("is rejected for an unknown action, and for a body that is too large", async () => {
    await open();
    for (const action of ["nothing", "__proto__", "constructor", "phone/", ""]) {
      expect((await post(action, {})).status).toBe(404);
    }
    expect((await post("clock", { by: "x".repeat(70_000) })).status).toBe(413);
  });
});

describe("the phone's actions", () => {
  test.each([
    ["phone/approve", {}, "completed", "Paid."],
    ["phone/pin", { pin: "0000" }, "completed", "Paid."],
    ["phone/cancel", {}, "failed", "Cancelled on the phone."],
    ["phone/wrong-pin", {}, "failed", "A wrong PIN was entered."],
    ["phone/ignore", {}, "pending", "Ignored. The prompt will expire."],
    ["phone/off", {}, "pending", "The phone is off."],
  ])("%s", async (action, fields, status, message) => {
    await open();
    await pay();
    expect((await post(action, { number: PHONE, ...fields })).message).toBe(message);
    expect((await payments())[0]?.status).toBe(status);
  });

  test("say why a payment failed when the balance is too low", async () => {
    await open();
    await post("phone/balance", { number: PHONE, balance: "10" });
    await pay();
    const { message } = await post("phone/approve", { number: PHONE });
    expect(message).toBe("Not paid: There is not enough money in your account.");
  });

  test("apply only to the prompt that was shown", async () => {
    await open();
    await pay();
    const [first] = await payments();
    sandbox.phone(PHONE).cancel();
    await pay({ amount: "9" });
    const { message } = await post("phone/approve", {
      number: PHONE,
      reference: first?.reference ?? "",
    });
    expect(message).toMatch(/^That prompt is closed/);
    expect((await payments())[0]).toMatchObject({ status: "pending", amount: "9.00" });
  });

  test("keep the automatic answer when none is chosen", async () => {
    await open();
    await post("phone/always", { number: PHONE, answer: "" });
    await pay();
    await post("phone/always", { number: PHONE, answer: "cancel" });
    await post("clock", { by: "3s" });
    expect((await payments())[0]?.status).toBe("failed");
  });
});

describe("the other actions", () => {
  test("register, resend and remove", async () => {
    await open();
    await post("webhooks/register", { url: "https://shop.example.test/hook" });
    const { page } = await pay();
    expect(page).toContain("https://shop.example.test/hook");
    await sandbox.deliveries.settled();
    const [{ id, event } = { id: "", event: "" }] = sandbox.deliveries.all();
    expect(event).toBe("payment.initiated");
    expect((await post("deliveries/resend", { id })).message).toBe(
      "Sent again, and the receiver returned 200.",
    );
    expect(sandbox.deliveries.all()[0]?.attempts).toHaveLength(2);
    const [, webhook = ""] = /id="webhook-(\w+)"/.exec(page) ?? [];
    expect((await post("webhooks/remove", { id: webhook })).page).toContain(
      "No receiver is registered",
    );
  });

  test("add faults that also apply to the page's own calls, and clear them", async () => {
    await open();
    const faulty = async (kind: string, more = {}) => {
      await post("faults/add", { kind, endpoint: "mobileMoney.initiate", ...more });
      return (await pay()).message;
    };
    expect(await faulty("status", { status: "429" })).toMatch(
      /^429: .* A fault caused this response\.$/,
    );
    expect(await faulty("reset")).toMatch(/^No response: the fault "reset"/);
    expect(await payments()).toHaveLength(0);
    expect(await faulty("lostResponse")).toMatch(
      /^The service processed the request, but the fault "lostResponse"/,
    );
    expect(await payments()).toHaveLength(1);
    await post("faults/add", { kind: "hang", times: "always", after: "2" });
    expect(sandbox.snapshot().faults).toEqual([
      { id: "flt_4", match: {}, effect: { kind: "hang" }, after: 2, times: null },
    ]);
    await post("faults/clear", {});
    expect(sandbox.snapshot().faults).toEqual([]);
  });

  test("start chaos, end it, and reset the sandbox", async () => {
    await open();
    await post("chaos", { drop: "0.3", duplicate: "0", seed: "7" });
    expect(sandbox.snapshot().chaos).toMatchObject({ seed: "7", rates: { drop: 0.3 } });
    await post("chaos/end", {});
    expect(sandbox.snapshot().chaos).toBeUndefined();
    await pay();
    const { page, location } = await post("reset", { back: "payment=PAY-1" });
    expect(location).toMatch(/^\/\?flash=\d+$/);
    expect(page).toContain("Make your first payment");
    expect(sandbox.snapshot()).toEqual(createSandbox().snapshot());
  });
});
