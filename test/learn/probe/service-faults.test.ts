import { expect, onTestFinished, test } from "vitest";
import { probe } from "../../../src/learn/probe/run-probe.ts";
import { chooseSteps } from "../../../src/learn/probe/steps.ts";
import { type Response as Planned, type Seen, startService } from "../../cli/learn/services.ts";
import { createDialectService, dialect } from "../../support/dialects/index.ts";

/** Probes a service whose faults may respond in its place. */
async function probeIn(faults: (seen: Seen, n: number) => Planned) {
  const service = createDialectService(dialect("plain"));
  let n = 0;
  const { baseUrl, close } = await startService(async (seen) => {
    const bad = faults(seen, ++n);
    if (bad !== undefined) return bad;
    const response = await service.fetch(`${service.baseUrl}${seen.path}${seen.query}`, {
      method: seen.method,
      headers: { "x-api-key": seen.key ?? "" },
      ...(seen.body && { body: seen.body }),
    });
    const { status } = response;
    const text = await response.text();
    return { status, body: text === "" ? undefined : JSON.parse(text) };
  });
  onTestFinished(close);
  return probe({
    baseUrl,
    key: service.keys.sandbox,
    steps: chooseSteps({ write: false, keyKind: "sandbox" }),
    signal: new AbortController().signal,
    onStep: () => {},
    notify: () => {},
  });
}

test("a service that responds with 500 to unknown ids is learned to the end", async () => {
  const { profile } = await probeIn(({ path }) =>
    /\/(?:payments|invoices|webhooks)\/./.test(path)
      ? { status: 500, body: { error: "x" } }
      : undefined,
  );
  expect(Object.keys(profile.rejections.unknown_id ?? {})).toEqual(["500"]);
  expect(Object.keys(profile.lists)).toContain("GET /payments");
});

test("a question that gets a single 502 is asked once more", async () => {
  let failures = 0;
  const { profile } = await probeIn(({ path }) =>
    path === "/merchant" && failures++ === 0 ? { status: 502, body: "<html>" } : undefined,
  );
  expect(Object.keys(profile.endpoints["GET /merchant"] ?? {})).toEqual(["200"]);
});

test("what was learned before a long 429 is returned", async () => {
  const { profile, missing } = await probeIn((_, n) =>
    n > 12 ? { status: 429, headers: { "retry-after": "4000" }, body: {} } : undefined,
  );
  expect(Object.keys(profile.endpoints)).toContain("GET /merchant");
  expect(missing.join()).toContain("asks to wait 4000 s");
});
