// How the shops of `examples` are drilled: they show the customer pages, and take forms.

import { parseSettings } from "../../../src/drill/drill-settings.ts";
import { type DrillResult, runDrill } from "../../../src/drill/run-drill.ts";

/** Drills an example shop, all cases of it. */
export const drillExample = (start: string, workers = "2"): Promise<DrillResult> =>
  runDrill(
    parseSettings({
      start,
      order: "POST /orders order={order}&item=Tea&phone={phone}",
      again: "POST /orders order={order}&item=Tea&phone={phone}&after={attempts}",
      status: "GET /orders/{order}",
      effects: "GET /orders/{order} ~ Your parcel is on its way.",
      paid: "Paid. Thank you.",
      failed: "Not paid.",
      open: "Enter your PIN|We are checking|We are sending|We received a payment",
      data: "SHOP_DATA",
      env: ["NOT_SENT_AFTER_MS=20000"],
      quiet: "60s",
      processes: "2",
      workers,
    }),
    { listener: { dryRun: () => {}, progress: () => {}, output: () => {} } },
  );
