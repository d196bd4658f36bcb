import type { WriteStream } from "node:tty";
import { expect, test } from "vitest";
import { formatPlan, showProgress } from "../../../src/cli/learn/ask-service.ts";
import { chooseSteps } from "../../../src/learn/probe/steps.ts";

const planFor = (write: boolean, prompt: boolean) =>
  formatPlan([], {
    baseUrl: "https://gateway.example/v1",
    keyKind: "sandbox",
    phone: prompt ? "0712345678" : undefined,
    write,
  });

test("the plan of a probe that asks a phone says so, and how long it waits for it", () => {
  const plan = planFor(true, true);
  expect(plan).not.toContain("nothing to a customer");
  expect(plan).toMatch(/asks the phone 0712\*+678 to pay 1\.00.*waits.*at most 3 min/);
  expect(planFor(true, false)).toContain("It sends nothing to a customer.");
});

const steps = chooseSteps({ write: false, keyKind: "sandbox" });
const [step = undefined as never] = steps;

function show(isTTY: boolean) {
  let text = "";
  const write = (more: string) => {
    text += more;
    return true;
  };
  const progress = showProgress({ isTTY, columns: 30, write } as unknown as WriteStream, 12);
  progress.onStep({ step, status: 200 });
  progress.onStep({ step, skipped: "there is no payment" });
  progress.notify("It waits \u001b[31m1 s.");
  progress.onStep({ step, status: 404 });
  progress.clear();
  return text;
}

test("the progress is a line a step if the output is not a terminal", () => {
  expect(show(false)).toBe(
    [
      " 1/12  GET /merchant  200",
      " 2/12  GET /merchant  left out: there is no payment",
      "It waits \\u001b[31m1 s.",
      " 3/12  GET /merchant  404",
      "",
    ].join("\n"),
  );
});

test("the progress is one counter on a terminal, no wider than it, and leaves nothing", () => {
  const clear = "\r\u001b[2K";
  expect(show(true)).toBe(
    [
      " 1/12  GET /merchant  200",
      " 2/12  GET /merchant  left ou",
      "It waits \\u001b[31m1 s.\n",
      " 3/12  GET /merchant  404",
      "",
    ]
      .map((line) => clear + line)
      .join(""),
  );
});
