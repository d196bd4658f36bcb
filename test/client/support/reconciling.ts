import type { ReconcileResult } from "malipo";
import { gatewayWith } from "./gateway.ts";
import type { Step } from "./responses.ts";

const referenceOf = (url: string): string =>
  decodeURIComponent(url.slice(url.lastIndexOf("/") + 1));

/** The service: `S-1` is completed, `F-1` failed, `P-1` pending, `E-1` an error, all others odd. */
export const service: Step = ({ url }) => {
  const reference = referenceOf(url);
  const status = { S: "completed", F: "failed", P: "pending", C: "constructor" }[
    reference[0] ?? ""
  ];
  if (reference.startsWith("E")) return Response.json({ error: "no" }, { status: 404 });
  return Response.json({ success: true, data: { reference, status: status ?? "reversed" } });
};

export async function all(reports: AsyncIterable<ReconcileResult>): Promise<ReconcileResult[]> {
  const list: ReconcileResult[] = [];
  for await (const report of reports) list.push(report);
  return list;
}

/** A service whose responses the test triggers one by one. */
export function byHand() {
  const open = new Map<string, () => void>();
  let most = 0;
  const { gateway, sent } = gatewayWith([
    async (attempt) => {
      const { signal } = attempt.init;
      const reference = referenceOf(attempt.url);
      await new Promise<void>((resolve, reject) => {
        open.set(reference, resolve);
        most = Math.max(most, open.size);
        signal?.addEventListener("abort", () => {
          open.delete(reference);
          reject(signal.reason);
        });
      });
      return service(attempt);
    },
  ]);
  return {
    gateway,
    begun: () => sent.map(({ url }) => referenceOf(url)),
    open: () => [...open.keys()],
    most: () => most,
    respond: (reference: string) => {
      open.get(reference)?.();
      open.delete(reference);
    },
  };
}

export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `S-${at}`);
