import { expect, test } from "vitest";
import { rawBody } from "../../../src/webhooks/verification/raw-body.ts";
import { BODY } from "../../suites/webhook-sample.ts";

const shared = new SharedArrayBuffer(BODY.length + 2);
new Uint8Array(shared).set(BODY, 1);

test.each([
  ["a Uint8Array", new Uint8Array(shared, 1, BODY.length)],
  ["a DataView", new DataView(shared, 1, BODY.length)],
])("shared memory is read once: another thread cannot change what is verified (%s)", (_, body) => {
  const raw = rawBody(body) as Uint8Array;
  new Uint8Array(shared).fill(0);
  expect(raw).toStrictEqual(BODY);
  expect(raw.buffer).toBeInstanceOf(ArrayBuffer);
  new Uint8Array(shared).set(BODY, 1);
});

test("memory that is not shared is not copied", () => {
  expect((rawBody(BODY) as Uint8Array).buffer).toBe(BODY.buffer);
});

test("a text with a lone surrogate is not raw, and the error says why", () => {
  for (const body of ["\ud800", "a\udc00b", "\udc00\ud800", `${"a".repeat(100_000)}\udfff`]) {
    expect(() => rawBody(body)).toThrow(
      /^The body was already parsed: got a string with a lone surrogate\. /,
    );
  }
  expect(rawBody("\ud83e\uddfe")).toBe("🧾");
});
