import type { MarkdownRenderer } from "vitepress";

/** A link to a file of the repository that is not a page of the manual: `../../test/bench/main.ts`. */
const OUTSIDE = /^(?:\.\.\/)+(?!decisions\/|[\w-]+\.md)/;

/**
 * Shows a link to a file outside of the manual as its path. The manual is read where the repository is
 * not, and a dead link helps nobody.
 */
export function linksOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("links-outside", ({ tokens }) => {
    for (const { children } of tokens) {
      let depth = 0;
      for (const token of children ?? []) {
        if (token.type === "link_open" && OUTSIDE.test(token.attrGet("href") ?? "")) depth++;
        if (depth === 0) continue;
        const isEnd = token.type === "link_close";
        if (token.type === "link_open" || isEnd) {
          token.type = "text";
          token.tag = "";
          token.nesting = 0;
          token.content = "";
        }
        if (isEnd) depth--;
      }
    }
  });
}
