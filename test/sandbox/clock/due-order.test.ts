import { createSandbox } from "malipo/sandbox";
import { expect, test } from "vitest";
import { fc } from "../../support/properties.ts";

const START = Date.parse("2026-01-01T09:00:00+03:00");

test("tasks run by their time, and by their turn if two are due at the same time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }), async (hours) => {
      const came: string[] = [];
      const sandbox = createSandbox({
        deliver: async (request) => {
          came.push((await request.json()).data.number);
          return new Response();
        },
      });
      const post = async (path: string, body: object) => {
        const headers = { "x-api-key": sandbox.keys.secret };
        const init = { method: "POST", headers, body: JSON.stringify(body) };
        return (await (await sandbox.fetch(sandbox.baseUrl + path, init)).json()).data;
      };
      const events = ["invoice.overdue"];
      await post("/webhooks/register", { name: "shop", url: "https://shop.test", events });
      const sent: { number: string; due: number }[] = [];
      for (const due of hours) {
        const due_at = new Date(START + due * 3_600_000).toISOString();
        const { id, number } = await post("/invoices", { due_at });
        await post(`/invoices/${id}/send`, {});
        sent.push({ number, due });
      }
      await sandbox.clock.advance("6h");
      // Sorting keeps the turn of equals.
      expect(came).toEqual(sent.sort((a, b) => a.due - b.due).map(({ number }) => number));
    }),
    { numRuns: 60 },
  );
});
