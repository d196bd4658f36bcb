import { Gateway } from "../../client/gateway.ts";
import type { Webhook } from "../../contract/webhook.ts";
import { isGatewayError } from "../../errors/any.ts";
import type { GivenGateway } from "../gateway-from-flags.ts";
import type { Check } from "./check.ts";

const name = "webhooks";
const TIMEOUT_MS = 10_000;
/** Without them, a shop learns what became of a payment only by reads. */
const NEEDED = ["payment.completed", "payment.failed"];

const register = (url: string): string =>
  `Run: npx malipo webhooks register ${url} --name shop ${NEEDED.map((kind) => `--event ${kind}`).join(" ")}`;

/**
 * Checks that the service delivers what becomes of payments, to a receiver if it is named.
 *
 * @param receiver - Its URL.
 */
export async function checkRegistrations(
  given: GivenGateway,
  receiver: string | undefined,
): Promise<Check> {
  try {
    const gateway = new Gateway({ ...given, maxRetries: 0, timeoutMs: TIMEOUT_MS });
    // One page: a shop has one or two.
    return checkList((await gateway.webhooks.list()).items, receiver);
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const why =
      error.code === "permission" ? "the key lacks the scope webhooks.read" : error.message;
    return { name, state: "skipped", detail: `not checked: ${why}` };
  }
}

function checkList(registered: readonly Webhook[], receiver: string | undefined): Check {
  const found = registered.filter(({ url }) => receiver === undefined || isSame(url, receiver));
  if (found.length === 0) {
    const detail = receiver === undefined ? "none is registered" : `${receiver} is not registered`;
    const advice = register(receiver ?? "https://shop.example/webhooks");
    return { name, state: "warn", detail, advice };
  }
  const detail = found.map(({ url, id }) => url ?? `the one with the id ${id}`).join(", ");
  // A registration that does not say which events it is for may be for all of them.
  const missing = NEEDED.filter((kind) =>
    found.every(({ events }) => Array.isArray(events) && !events.includes(kind)),
  );
  if (missing.length > 0) {
    const advice = `No delivery of ${missing.join(" and ")}. See: npx malipo webhooks update --help`;
    return { name, state: "warn", detail, advice };
  }
  const twice = found.find(({ url }, at) => found.findIndex((one) => one.url === url) !== at);
  if (twice === undefined) return { name, state: "ok", detail };
  const advice = `${twice.url} is registered twice: each event is delivered twice, and processed once. See: npx malipo webhooks delete --help`;
  return { name, state: "warn", detail, advice };
}

/** Whether two texts are one address: a host may be written in capital letters, and a port left out. */
function isSame(one: string | undefined, other: string): boolean {
  if (one === undefined || !URL.canParse(one)) return false;
  return new URL(one).href === new URL(other).href;
}
