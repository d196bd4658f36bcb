import { expect, test } from "vitest";
import { Recorder } from "../../src/learn/recorder.ts";

/** The shape of the body that a service returned with this status, and in it the words of a closed set. */
function bodyOf(status: number) {
  const recorder = new Recorder({ by: "probe", run: "0123abcd" });
  recorder.record({
    method: "GET",
    path: "/merchant",
    query: new URLSearchParams(),
    key: "sandbox",
    sent: undefined,
    hasBody: false,
    status,
    headers: new Headers({ "content-type": "application/json" }),
    body: JSON.stringify({ status: "pending", currency: "KES" }),
  });
  return JSON.stringify(recorder.profile().endpoints["GET /merchant"]?.[status]?.body);
}

test("the statuses and currencies of a success are stored, and those of a failure are not", () => {
  expect(bodyOf(200)).toMatch(/KES.*pending/);
  expect(bodyOf(503)).toContain("status");
  expect(bodyOf(503)).not.toMatch(/pending|KES/);
});
