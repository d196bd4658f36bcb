import { Recorder } from "../../../src/learn/recorder.ts";
import type { RejectionCause } from "../../../src/profile/causes.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import type { ProfileFile, ServiceProfile } from "../../../src/profile/profile-types.ts";
import { type Dialect, nextCursor } from "../../support/dialects/index.ts";
import type { CallOptions, KeyUse, Peer } from "./peer.ts";
import { servicePeer } from "./peer.ts";
import { fieldIn, idIn } from "./transcript.ts";

const KEY_KINDS = {
  sandbox: "sandbox",
  secret: "secret",
  public: "public",
  scopeless: "secret",
  none: "none",
  unknown: "secret",
} as const satisfies Record<KeyUse, string>;

/** Learns what a service does, as `malipo probe` with every flag and an observer do together. */
export const learn = (dialect: Dialect): Promise<ServiceProfile> =>
  learnFrom(servicePeer(dialect), dialect);

/** The same, as the content of a file. */
export const learnFile = async (dialect: Dialect): Promise<ProfileFile> =>
  encodeProfile(await learn(dialect));

/** Learns what a peer does. */
export async function learnFrom(peer: Peer, dialect: Dialect): Promise<ServiceProfile> {
  const { paging } = dialect;
  const recorder = new Recorder({ by: "probe", run: "0123abcd" });
  const call = async (
    method: string,
    path: string,
    options: CallOptions & { cause?: RejectionCause } = {},
  ) => {
    const { key = "sandbox", body, cause } = options;
    const heard = await peer.call(method, path, options);
    const [plain = path, query] = path.split("?");
    recorder.record({
      method,
      path: plain,
      query: new URLSearchParams(query),
      key: KEY_KINDS[key],
      sent: body,
      hasBody: body !== undefined,
      cause,
      status: heard.status,
      headers: heard.headers,
      body: heard.text,
    });
    return heard.text;
  };

  for (const path of [
    "/merchant",
    "/merchant/payment-accounts",
    "/payments",
    "/invoices",
    "/webhooks",
  ]) {
    await call("GET", path);
    await call("GET", path, { key: "none", cause: "no_key" });
    await call("GET", path, { key: "unknown", cause: "unknown_key" });
  }
  await call("GET", "/merchant", { key: "scopeless", cause: "missing_scope" });
  await call("DELETE", "/webhooks/none", { key: "public", cause: "wrong_kind" });
  await call("GET", "/payments/none", { cause: "unknown_id" });
  await call("GET", "/invoices/none", { cause: "unknown_id" });
  await call("DELETE", "/webhooks/none", { cause: "unknown_id" });
  await call("GET", "/nothing", { cause: "unknown_path" });
  await call("DELETE", "/merchant", { cause: "wrong_method" });
  await call("POST", "/mobile-money/validate-phone", { body: {}, cause: "invalid_field" });
  await call("POST", "/mobile-money/validate-phone", {
    body: { phone: "12" },
    cause: "invalid_phone",
  });
  await call("POST", "/mobile-money/validate-phone", { body: { phone: "0712345678" } });
  await call("POST", "/mobile-money/validate-phone", {
    body: { phone: "0812345678" },
    cause: "unusable_phone",
  });
  const initiate = "/mobile-money/payment/initiate";
  await call("POST", initiate, { body: { amount: -1 }, cause: "invalid_field" });
  await call("POST", "/invoices", { body: "{", cause: "invalid_json" });

  const url = "https://shop.example/hooks";
  const events = ["payment.initiated", "payment.completed", "payment.failed", "invoice.created"];
  await call("POST", "/webhooks/register", {
    body: { name: "a", url, events },
  });
  const other = idIn(
    await call("POST", "/webhooks/register", {
      body: { name: "b", url, events: ["invoice.paid"] },
    }),
    dialect,
    "webhook",
  );
  await call("PUT", `/webhooks/${other}`, { body: { name: "c" } });
  for (const at of [1, 2, 3]) {
    await peer.advance(1_000);
    const created = await call("POST", "/invoices", {
      body: { amount: at * 10.5, description: "Some goods" },
    });
    const id = idIn(created, dialect, "invoice");
    await call("GET", `/invoices/${id}`);
    if (at === 1) await call("PUT", `/invoices/${id}`, { body: { amount: 6 } });
    if (at === 2) await call("POST", `/invoices/${id}/send`, { body: {} });
    if (at === 3) await call("DELETE", `/invoices/${id}`);
  }
  const outcomes = ["approve", "cancel", "wrongPin", "expire"] as const;
  for (const [index, outcome] of outcomes.entries()) {
    const phone = `25471100000${index}`;
    const body = { amount: 5, phone, account_reference: "A-1" };
    const text = await call("POST", index === 1 ? "/payments/initiate" : initiate, { body });
    const reference = fieldIn(text, "reference");
    await call("GET", `/payments/${reference}`);
    await call("POST", "/mobile-money/payment/status", { body: { reference } });
    await peer.answer(phone, outcome);
    await call("GET", `/payments/${reference}`);
    await call("POST", "/mobile-money/payment/status", { body: { reference } });
  }
  for (let n = 0; n < 2; n++) {
    const body = { amount: 5, phone: "254711000009", account_reference: "A-2" };
    await call("POST", initiate, { body });
  }
  for (const path of ["/merchant/payment-accounts", "/payments", "/invoices", "/webhooks"]) {
    await call("GET", path);
    for (const name of ["per_page", "limit", "size", "pageSize", "page[size]"])
      await call("GET", `${path}?${name}=1`);
    for (const name of ["page", "offset", "p", "currentPage", "page[number]"]) {
      const size = paging.kind === "none" ? "limit" : paging.size;
      await call("GET", `${path}?${size}=1&${name}=2`);
    }
  }
  for (const path of paging.kind === "cursor" ? ["/payments", "/invoices"] : []) {
    const { at, size } = paging as Extract<typeof paging, { at: string }>;
    const cursor = nextCursor(paging, JSON.parse(await call("GET", `${path}?${size}=1`)));
    await call("GET", `${path}?${size}=1&${at}=${cursor}`);
  }
  await call("DELETE", `/webhooks/${other}`);
  // The receiver rejects an event until it is no longer redelivered.
  await peer.settled();
  peer.receiverStatus = 503;
  await call("POST", "/invoices", { body: { amount: 7, description: "Some goods" } });
  await peer.advance(12 * 3_600_000);
  for (const { headers, body, status, at } of peer.deliveries) {
    recorder.recordDelivery({ headers, body, status, receivedAt: at });
  }
  return recorder.profile();
}
