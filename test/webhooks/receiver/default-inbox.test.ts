import { createWebhookReceiver } from "malipo/webhooks";
import { afterEach, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test.each<[env: string, options: object, warnings: number]>([
  ["production", {}, 1],
  ["production", { inbox: undefined }, 1],
  ["production", { inbox: memoryInbox() }, 0],
  ["development", {}, 0],
  ["", {}, 0],
])("a receiver with NODE_ENV %j and %j prints %i warnings", (env, options, warnings) => {
  vi.stubEnv("NODE_ENV", env);
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  createWebhookReceiver({ secret: "whsec_1", ...options });
  expect(warn).toHaveBeenCalledTimes(warnings);
  for (const [line] of warn.mock.calls) {
    expect(line).toMatch(/^malipo webhooks: .*a restart forgets.*inbox: sqlite\("inbox\.db"\)/);
    expect(line).not.toContain("\n");
  }
});
