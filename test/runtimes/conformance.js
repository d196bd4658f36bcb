// One script for every runtime: the client against a served sandbox, the signature check, and the
// fetch adapter. Plain JavaScript, because not every runtime reads types.
import { Gateway, isGatewayError, memory } from "malipo";
import { fetchHandler } from "malipo/fetch";
import { createWebhookReceiver, signWebhook, verifyWebhook } from "malipo/webhooks";

const SECRET = "whsec_matrix";
const BODY = JSON.stringify({
  event: "payment.completed",
  timestamp: "2026-01-01T09:00:31+03:00",
  data: { reference: "PAY-1", status: "completed", amount: "100.00", note: "Café ☕" },
});
// The output of `printf BODY | openssl dgst -sha256 -hmac whsec_matrix`.
const SIGNATURE = "5576040c82db72c16a1f09d4494c739fb9b0c9daf33ce83a7cda84945d3e0f31";

function check(condition, what) {
  if (!condition) throw new Error(what);
}

async function rejection(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("it was not rejected");
}

const request = (signature, body = BODY) =>
  new Request("https://shop.test/webhooks", {
    method: "POST",
    headers: { "x-service-signature": signature },
    body,
  });

/** The checks. `isPage` is true in a browser's page. */
const CHECKS = {
  "reads with a public key": async ({ baseUrl, keys, reference }) => {
    const gateway = new Gateway({ apiKey: keys.public, baseUrl });
    const { data, response } = await gateway.payments.get(reference).withResponse();
    check(data.status === "completed" && data.amount === "100.00", "the payment");
    check(response.status === 200, "the response");
    check((await gateway.payments.list()).items.length > 0, "the list");
  },
  "pays with a secret key, except in a page": async ({ baseUrl, keys, isPage }) => {
    const make = () => new Gateway({ apiKey: keys.secret, baseUrl });
    if (isPage)
      return check((await rejection(make)).code === "configuration", "a secret key in a page");
    const gateway = make();
    const params = { amount: 10, phone: "0712345678" };
    const [one, two] = await Promise.all(
      [1, 2].map(() =>
        gateway.mobileMoney.initiate(params, { idempotencyKey: `order-${Math.random()}` }),
      ),
    );
    check(one.reference && two.reference && one.reference !== two.reference, "two orders");
    const key = { idempotencyKey: `order-${Math.random()}` };
    const first = await gateway.mobileMoney.initiate({ ...params, phone: "0712345679" }, key);
    const again = await gateway.mobileMoney.initiate({ ...params, phone: "0712345679" }, key);
    check(first.reference === again.reference, "one prompt per key");
  },
  "fails with typed errors": async ({ baseUrl, keys }) => {
    const gateway = new Gateway({ apiKey: keys.public, baseUrl });
    const missing = await rejection(() => gateway.payments.get("none"));
    check(isGatewayError(missing) && missing.code === "not_found", "404");
    check(missing.outcome === "rejected", "its outcome");
    const silent = new Gateway({
      apiKey: keys.public,
      baseUrl,
      fetch: () => new Promise(() => {}),
    });
    const late = await rejection(() => silent.merchant.get({ timeoutMs: 20, maxRetries: 0 }));
    check(late.code === "timeout" && late.outcome === "unknown", "a timeout");
    const wrong = await rejection(() => gateway.request({ method: "POST", path: "/x" }));
    check(wrong.code === "key_type", "a public key that posts");
  },
  "shows no key": async ({ baseUrl, keys }) => {
    const gateway = new Gateway({ apiKey: keys.public, baseUrl });
    const shown = `${gateway} ${JSON.stringify(gateway)} ${Object.keys(gateway)}`;
    check(!shown.includes(keys.public), "the key");
  },
  "verifies webhooks": () => {
    const bytes = new TextEncoder().encode(BODY);
    const headers = new Headers({ "X-Service-Signature": SIGNATURE });
    check(signWebhook(BODY, SECRET) === SIGNATURE, "the signature");
    for (const body of [BODY, bytes, bytes.buffer]) {
      const event = verifyWebhook({ body, headers, secret: ["another", SECRET] });
      check(event.data.note === "Café ☕", "the event");
    }
    for (const [body, code] of [
      [`${BODY} `, "signature_mismatch"],
      [JSON.parse(BODY), "body_not_raw"],
    ]) {
      try {
        verifyWebhook({ body, headers, secret: SECRET });
        check(false, `${code} was let through`);
      } catch (error) {
        check(error.code === code, code);
      }
    }
  },
  "receives webhooks through fetchHandler": async () => {
    const seen = [];
    const receiver = createWebhookReceiver({
      secret: SECRET,
      inbox: memory(),
      onError: () => {},
    });
    receiver.on("payment.completed", (event) => void seen.push(event.data.reference));
    await receiver.start();
    const handler = fetchHandler(receiver);
    const statuses = [];
    for (const signature of [SIGNATURE, SIGNATURE, "0".repeat(64)]) {
      statuses.push((await handler(request(signature))).status);
    }
    check(statuses.join() === "200,200,401", `the statuses: ${statuses}`);
    await receiver.stop();
    check(seen.join() === "PAY-1", `one effect: ${seen}`);
  },
};

/** @returns one line per failed check. */
export async function conformance(scene) {
  const failures = [];
  for (const [name, run] of Object.entries(CHECKS)) {
    try {
      await run(scene);
    } catch (error) {
      failures.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  return { checks: Object.keys(CHECKS).length, failures };
}
