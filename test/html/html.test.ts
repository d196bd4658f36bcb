import { describe, expect, test } from "vitest";
import { html } from "../../src/html/html.ts";
import { fc } from "../support/properties.ts";

/** Text as a browser reads it out of markup. */
const read = (markup: string) =>
  markup
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

describe("html", () => {
  test("escapes any text, so that it is read back unchanged", () => {
    const nasty = fc.string({ unit: fc.constantFrom(..."<>&\"'`=/ a;#lt", "&lt;", "<!--", "]]>") });
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string()), (text) => {
        const { markup } = html`${text}`;
        expect(markup).not.toMatch(/[<>"']/);
        expect(read(markup)).toBe(text);
      }),
    );
  });

  test("does not change its own markup, at any depth", () => {
    const rows = ["a<", 1, null].map((one) => html`<li>${one}</li>`);
    expect(html`<ul>${rows}${[[html`<hr>`]]}</ul>`.markup).toBe(
      "<ul><li>a&lt;</li><li>1</li><li></li><hr></ul>",
    );
  });

  test.each([false as const, null, undefined, ""])("writes nothing for %j", (part) => {
    expect(html`[${part}]`.markup).toBe("[]");
  });

  test("writes 0 like any other number", () => {
    expect(html`${0}`.markup).toBe("0");
  });

  test("does not accept an object from elsewhere as markup", () => {
    const forged = JSON.parse('{"markup":"<script>"}');
    expect(html`${forged}`.markup).not.toContain("<");
    expect(html`${[forged]}`.markup).not.toContain("<");
  });
});
