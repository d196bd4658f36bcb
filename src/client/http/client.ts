import ky, { type KyInstance, type RetryOptions } from "ky";
import { linkedController } from "../../internal/linked-controller.ts";
import { CallAttempts } from "./call-attempts.ts";
import type { CallContext, HttpRequest, HttpResponse, Limits, Sent } from "./types.ts";

// ky asks `shouldRetry` only about the methods that are named here.
const EVERY_METHOD: NonNullable<RetryOptions["methods"]> = [
  "get",
  "head",
  "put",
  "delete",
  "post",
  "patch",
];

/**
 * One ky instance for every gateway, so that a process may have thousands of them. Nothing of a gateway
 * is in it, only the options that no call changes. See docs/decisions/0001.
 */
const client: KyInstance = /* @__PURE__ */ ky.create({
  // A response that is not a 2xx is an error of ours, with an outcome, and ky never sees it.
  throwHttpErrors: false,
});

/**
 * Sends a request until it has a 2xx, may not be sent again, or time is up.
 *
 * @throws {GatewayError} whose outcome is the worst of all attempts; the signal's own reason if the
 * caller aborted.
 */
export async function send(
  context: CallContext,
  request: HttpRequest,
  limits: Limits,
): Promise<Sent> {
  limits.signal?.throwIfAborted();
  const attempts = new CallAttempts(context, request, limits);
  // ky follows a signal by `AbortSignal.any`, so it gets a separate one.
  const { controller, unlink } = linkedController(limits.signal);
  try {
    await client(request.url, {
      method: request.method,
      headers: request.headers,
      timeout: limits.timeoutMs,
      totalTimeout: limits.totalTimeoutMs,
      retry: {
        limit: limits.maxRetries,
        methods: EVERY_METHOD,
        shouldRetry: () => attempts.shouldRetry(),
        delay: () => attempts.delayMs,
      },
      fetch: (kyRequest) => attempts.attempt(kyRequest as Request),
      ...(limits.signal && { signal: controller.signal }),
    });
  } catch (error) {
    throw attempts.errorFor(error);
  } finally {
    unlink();
  }
  return { ...(attempts.received as HttpResponse), outcome: attempts.outcome };
}
