import { expect, test } from "vitest";
import { explore } from "./explore.ts";
import { PROTOCOL } from "./state.ts";

test("makes at most one prompt in every order of steps of two processes that try twice, with two faults", () => {
  const { violation, states } = explore({ ...PROTOCOL, processes: 2, tries: 2, faults: 2 });
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThan(30_000);
});
