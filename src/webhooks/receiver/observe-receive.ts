import type { TraceContext } from "../inbox/types.ts";
import type { RawBody } from "../verification/raw-body.ts";
import type { Outcome, WebhookRequest } from "./accept.ts";
import {
  callHook,
  type ReceiveObservation,
  type ReceiveView,
  runObserved,
  type WebhookHooks,
} from "./hooks.ts";
import { headerText } from "./merchants/merchant-request.ts";

type ReceiveHook = NonNullable<WebhookHooks["receive"]>;
type Request = Omit<WebhookRequest, "body"> & { readonly body?: RawBody };

/** The size of a body; of a text, in characters. */
function sizeOf(body: unknown): number | undefined {
  if (typeof body === "string") return body.length;
  const { byteLength } = Object(body) as { byteLength?: unknown };
  return typeof byteLength === "number" ? byteLength : undefined;
}

function viewOf({ method, headers, url, body }: Request): ReceiveView {
  return {
    method,
    url,
    header: (name) => headerText(headers, name),
    bodyBytes: sizeOf(body),
  };
}

// In one function, since plain JavaScript may pass a request that has no fields.
const observe = (hook: ReceiveHook, request: Request): ReceiveObservation | undefined =>
  callHook((given: Request) => hook(viewOf(given)), request);

function end(observation: ReceiveObservation, { response, ...outcome }: Outcome, since: number) {
  const durationMs = performance.now() - since;
  callHook(
    (result: Parameters<NonNullable<ReceiveObservation["end"]>>[0]) => {
      observation.end?.(result);
    },
    { ...outcome, status: response.status, durationMs },
  );
}

/** Receives a request as the `receive` hook wants it, and reports the outcome to the hook. */
export async function observeReceive(
  hook: ReceiveHook,
  request: WebhookRequest,
  receive: (trace: TraceContext | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const since = performance.now();
  const observation = observe(hook, request);
  const outcome = await runObserved(observation, () => receive(observation?.traceContext));
  if (observation !== undefined) end(observation, outcome, since);
  return outcome;
}

/** Reports a request that was rejected before its body was read. */
export function reportReceived(
  hook: ReceiveHook | undefined,
  request: Request,
  outcome: Outcome,
): void {
  const since = performance.now();
  const observation = hook && observe(hook, request);
  if (observation !== undefined) end(observation, outcome, since);
}
