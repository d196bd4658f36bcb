// How the shops of `examples` are drilled: they show the customer pages, and take forms.
import { type DrillResult, runDrill } from "../../../src/drill/drill.ts";
import { parseSettings } from "../../../src/drill/settings.ts";

/** Drills an example shop, all cases of it. */
export const drillExample = (start: string, workers = "2"): Promise<DrillResult> =>
  runDrill(
    parseSettings({
      start,
      order: "POST /orders order={order}&item=Tea&phone={phone}",
      status: "GET /orders/{order}",
      effects: "GET /orders/{order} ~ Your parcel is on its way.",
      paid: "Paid. Thank you!",
      failed: "Not paid.",
      open: "One moment|Look at your phone",
      data: "SHOP_DATA",
      quiet: "60s",
      workers,
    }),
    { listener: { dryRun: () => {}, progress: () => {}, output: () => {} } },
  );
