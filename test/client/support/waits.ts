import type { GatewayOptions, Payment, PaymentPendingError, WaitOptions } from "malipo";
import { vi } from "vitest";
import { gatewayWith } from "./gateway.ts";
import { json, type Step } from "./responses.ts";

export const REFERENCE = "PAY-1";

/** A response to a read. */
export const paid = (status: string, fields: Partial<Payment> = {}): Step =>
  json({ success: true, data: { status, reference: REFERENCE, ...fields } });

/** A wait whose reads take these steps, under fake timers. */
export function waiting(
  steps: readonly Step[],
  options: WaitOptions = {},
  gatewayOptions: GatewayOptions = {},
) {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  /** When each read was sent, in milliseconds from the start. */
  const at: number[] = [];
  const timed = steps.map(
    (step): Step =>
      (attempt) => {
        at.push(elapsed());
        return step(attempt);
      },
  );
  const { gateway, sent } = gatewayWith(timed, gatewayOptions);
  const wait = gateway.payments.waitFor(REFERENCE, options);
  let endedAt: number | undefined;
  const ended = Promise.allSettled([wait]).then(([result]) => {
    endedAt = elapsed();
    return result;
  });
  return {
    at,
    sent,
    /** Lets time pass. True if the wait has ended by then. */
    passed: async (ms: number): Promise<boolean> => {
      await vi.advanceTimersByTimeAsync(ms);
      return endedAt !== undefined;
    },
    /** How and when it ends, after more time than it may take. */
    outcome: async () => {
      await vi.advanceTimersByTimeAsync(400_000);
      return { ...(await ended), at: endedAt };
    },
    payment: async (): Promise<Payment> => {
      await vi.advanceTimersByTimeAsync(400_000);
      return wait;
    },
    error: async (): Promise<PaymentPendingError<Payment>> => {
      await vi.advanceTimersByTimeAsync(400_000);
      const result = await ended;
      if (result.status === "fulfilled") throw new Error("It resolved.");
      return result.reason;
    },
  };
}
