import type { Page } from "playwright-core";
import { expect } from "vitest";

const SCREENSHOTS = new URL("./artefacts/", import.meta.url);

/** With `MALIPO_SHEETS=1`, takes pictures of a page, light and dark, for a person: they take longer than all checks. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (process.env.MALIPO_SHEETS !== "1") return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const path = new URL(`${name}-${colorScheme}.png`, SCREENSHOTS).pathname;
    await page.screenshot({ path, fullPage: true });
  }
}

/** A page of a sheet: its name, and its whole HTML. */
export interface Shown {
  readonly name: string;
  readonly html: string;
}

/** How the pages of a sheet are shown. */
export interface SheetLook {
  readonly width: number;
  /** How many pages stand beside each other. */
  readonly columns: number;
  /** The parts in which no more than this number of pixels may be empty between two things. */
  readonly gaps: { readonly parts: string; readonly limit: number };
}

/** What is read as one: an amount, a phone number, a wallet, a day and its time. */
const UNCUT = [
  String.raw`[A-Z]{3}\s[\d,.]+\d`,
  String.raw`\d[\d\s]*,\d\d\s[A-Z]{3}`,
  String.raw`\d{4}\s(?:\d{3}|\*{3})\s\d{3}`,
  "M.Pesa",
  String.raw`\d{1,2}\s\p{L}+\.?\s\d{4}(?:,\s\d\d:\d\d)?`,
  String.raw`(?<![-\w])\d{4}-\d\d-\d\d(?:\s\d\d:\d\d)?(?![-\w])`,
].join("|");

/** Where the sum of a page stands, and how large it is. */
export interface Found {
  readonly name: string;
  readonly problems: readonly string[];
  readonly sum: string | undefined;
}

const HEIGHT = 720;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const sheetOf = (shown: readonly Shown[], { width, columns }: SheetLook): string =>
  `<!doctype html><meta charset="utf-8"><style>:root{color-scheme:light dark}body{margin:8px;display:grid;grid-template-columns:repeat(${columns},${width}px);gap:12px;align-items:start;font:12px sans-serif}iframe{display:block;width:${width}px;height:${HEIGHT}px;border:0;outline:1px solid gray}</style>${shown
    .map(
      ({ name, html }) =>
        `<div><p>${name}</p><iframe title="${name}" sandbox="allow-same-origin" srcdoc="${escaped(html)}"></iframe></div>`,
    )
    .join("")}`;

/** Runs in the browser. What a person would see at once: something cut off, a word in two lines, an empty place. */
function look({ gaps: { parts, limit }, uncut }: SheetLook & { uncut: string }): Found[] {
  const problemsOf = (frame: HTMLIFrameElement): string[] => {
    const page = frame.contentDocument as Document;
    const view = frame.contentWindow as Window & typeof globalThis;
    const { width } = frame.getBoundingClientRect();
    const problems: string[] = [];
    if (page.styleSheets.length === 0) problems.push("has no style");
    const wide = page.documentElement.scrollWidth;
    if (wide > width) problems.push(`is ${wide} wide in ${width}`);
    /** Where a part of a text stands: a rectangle for each line. */
    const linesOf = (node: Node, start: number, length: number): DOMRect[] => {
      const range = page.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + length);
      const lines = [...range.getClientRects()];
      return lines.filter(
        ({ top }, at) => Math.round(top) !== Math.round(lines[at - 1]?.top ?? -1),
      );
    };
    const isShown = (one: Element) => one.checkVisibility() && !one.closest(".unseen, .skip");
    const rects: DOMRect[] = [];
    const walker = page.createTreeWalker(page.body, view.NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement as Element;
      if (!isShown(parent) || ["SCRIPT", "STYLE"].includes(parent.tagName)) continue;
      const text = node.textContent ?? "";
      for (const { 0: whole, index } of text.matchAll(new RegExp(uncut, "gu"))) {
        if (linesOf(node, index, whole.length).length > 1) problems.push(`cuts ${whole}`);
      }
      for (const { 0: word, index } of text.matchAll(/[^\s\u2014-]+/g)) {
        const lines = linesOf(node, index, word.length);
        rects.push(...lines);
        // A reference may be cut anywhere.
        if (lines.length > 1 && /^(?:\p{L}?\p{Ll}{1,30}\P{L}?|\d[\d,.:]*)$/u.test(word))
          problems.push(`cuts the word ${word}`);
        const isOutside = lines.some(({ left, right }) => left < 0 || right > width + 0.5);
        if (isOutside && !parent.closest(".wide")) problems.push(`shows ${word} outside`);
      }
    }
    for (const one of page.body.querySelectorAll("*")) {
      if (!isShown(one)) continue;
      const isInput = ["INPUT", "BUTTON", "svg", "IMG", "SELECT"].includes(one.tagName);
      if (isInput) rects.push(one.getBoundingClientRect());
      const { overflowX, display, gridTemplateColumns, fontSize, fontFamily } =
        view.getComputedStyle(one);
      const isWider = one.scrollWidth > one.clientWidth + 1;
      if (overflowX === "auto" && isWider) problems.push(`scrolls ${one.className || one.tagName}`);
      const isClipped = overflowX === "hidden" && isWider;
      if (isClipped) problems.push(`clips ${one.className || one.tagName}`);
      const tracks = gridTemplateColumns.split(" ").filter((track) => Number.parseFloat(track) > 0);
      const cells = one.childElementCount;
      const isHalfEmpty = display === "grid" && cells > 0 && tracks.length > cells;
      if (isHalfEmpty) problems.push(`has empty columns in ${one.className || one.tagName}`);
      if (one instanceof view.HTMLInputElement && one.placeholder !== "") {
        const pen = page.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
        pen.font = `${fontSize} ${fontFamily}`;
        const { paddingLeft, paddingRight } = view.getComputedStyle(one);
        const room =
          one.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        // A field of a search has its cross at the end.
        const cross = one.type === "search" ? 20 : 0;
        const isLong = pen.measureText(one.placeholder).width > room - cross;
        if (isLong) problems.push(`cuts the placeholder ${one.placeholder}`);
      }
      const isBlock = ["P", "DL", "DT", "DD", "H1", "H2", "H3", "UL", "OL", "LI", "TH"].includes(
        one.tagName,
      );
      const isEmpty = one.textContent?.trim() === "" && one.querySelector("img, svg") === null;
      if (isBlock && isEmpty)
        problems.push(`has an empty ${one.tagName} in ${one.parentElement?.className}`);
    }
    for (const part of page.querySelectorAll(parts)) {
      const box = part.getBoundingClientRect();
      const own = rects
        .filter(
          ({ left, right, top, bottom }) =>
            left >= box.left - 1 &&
            right <= box.right + 1 &&
            top >= box.top &&
            bottom <= box.bottom + 1,
        )
        .sort((a, b) => a.top - b.top);
      let end = box.top;
      for (const { top, bottom } of own) {
        if (top - end > limit) problems.push(`has ${Math.round(top - end)} empty pixels`);
        end = Math.max(end, bottom);
      }
    }
    return [...new Set(problems)];
  };
  return [...document.querySelectorAll("iframe")].map((frame) => {
    const sum = frame.contentDocument?.querySelector(".sum");
    const box = sum?.getBoundingClientRect();
    const problems = problemsOf(frame);
    const size = sum && frame.contentWindow?.getComputedStyle(sum).fontSize;
    const height = frame.contentDocument?.documentElement.scrollHeight ?? 0;
    frame.style.height = `${Math.max(height, frame.clientHeight)}px`;
    return {
      name: frame.title,
      problems,
      sum: box && `${Math.round(box.left)},${Math.round(box.top)} ${size}`,
    };
  });
}

/** Shows pages beside each other, and expects nothing wrong with any. */
export async function contactSheet(
  page: Page,
  name: string,
  shown: readonly Shown[],
  sheet: SheetLook,
): Promise<Found[]> {
  const { width, columns } = sheet;
  await page.setViewportSize({ width: columns * (width + 12) + 16, height: HEIGHT });
  await page.setContent(sheetOf(shown, sheet));
  const found = await page.evaluate(look, { ...sheet, uncut: UNCUT });
  expect(found.filter(({ problems }) => problems.length > 0)).toEqual([]);
  await takePictures(page, `${name}-${width}`);
  return found;
}
