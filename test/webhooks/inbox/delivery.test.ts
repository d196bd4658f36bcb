import { expect, test } from "vitest";
import { bytesOf, exactText } from "../../../src/webhooks/inbox/delivery.ts";
import { fc } from "../../support/properties.ts";

test("verified bytes that are stored as text come back unchanged", () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("\uFEFF", "\uFEFF{}", "{}\uFEFF", "\0", "Ω 💸", ""),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const raw = Buffer.from(text);
      expect(Buffer.from(bytesOf(exactText(raw)))).toEqual(raw);
    }),
  );
});
