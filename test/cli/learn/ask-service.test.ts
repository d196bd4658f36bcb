import type { WriteStream } from "node:tty";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { formatPlan, showSteps } from "../../../src/cli/learn/ask-service.ts";
import { chooseSteps } from "../../../src/learn/probe/steps.ts";

const planFor = (write: boolean, prompt: boolean) =>
  formatPlan(
    [],
    {
      baseUrl: "https://gateway.example/v1",
      keyKind: "sandbox",
      phone: prompt ? "0712345678" : undefined,
      write,
    },
    {},
  );

test("the plan of a probe that asks a phone says so, and how long it waits for it", () => {
  const plan = planFor(true, true);
  expect(plan).not.toContain("nothing to a customer");
  expect(plan).toMatch(/asks the phone 0712\*+678 to pay 1\.00.*waits.*at most 3 min/);
  expect(planFor(true, false)).toContain("It sends nothing to a customer.");
});

const steps = chooseSteps({ write: false, keyKind: "sandbox" });
const [step = undefined as never] = steps;

function show(isHidden: boolean) {
  let text = "";
  const write = (more: string) => {
    text += more;
    return true;
  };
  const output = { isTTY: true, columns: 60, write } as unknown as WriteStream;
  const progress = showSteps(12, output, isHidden);
  progress.onStep({ step, status: 200 });
  vi.advanceTimersByTime(2_000);
  progress.onStep({ step, skipped: "there is no payment" });
  progress.notify("It waits \u001b[31m1 s.");
  vi.advanceTimersByTime(200);
  progress.end();
  return text;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the progress of a probe is a bar, a count and the latest request; what is left out stays", () => {
  const clear = "\r\u001b[2K";
  expect(show(false).split(clear)).toEqual(
    [
      "",
      "[##..................] 1 of 12 requests: GET /merchant 200, ",
      "GET /merchant  left out: there is no payment\n",
      "It waits \\u001b[31m1 s.\n",
      "[###.................] 2 of 12 requests: GET /merchant 200, ",
      "",
    ].map((line) => (line.endsWith("\n") ? line : line.slice(0, 59))),
  );
});

test("with --json, only what the probe has to say is shown", () => {
  const clear = "\r\u001b[2K";
  expect(show(true).replaceAll(clear, "")).toBe("It waits \\u001b[31m1 s.\n");
});
