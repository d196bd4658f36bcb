import { posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

/**
 * Shows a link to a file outside of the manual as its path. The manual is read where the repository is
 * not, and a dead link helps nobody.
 */
export function linksOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("links-outside", ({ tokens, env }) => {
    /** `../../test/bench/main.ts` of a page in `guides`, for example. */
    const isOutside = (target: string) =>
      target.startsWith("..") &&
      posix.join(posix.dirname(env.relativePath ?? ""), target).startsWith("..");
    for (const { children } of tokens) {
      let depth = 0;
      for (const token of children ?? []) {
        if (token.type === "link_open" && isOutside(token.attrGet("href") ?? "")) depth++;
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
