import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import apiReference from "../reference/typedoc-sidebar.json" with { type: "json" };
import { linksOutside } from "./links-outside.ts";
import { PARTS } from "./parts.ts";

const docs = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The title of a page is its first heading. */
function titleOf(page: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(docs(`${page}.md`), "utf8")) ?? [];
  if (title === undefined) throw new Error(`docs/${page}.md has no heading of the first level.`);
  return title.replaceAll("`", "");
}

const sidebar: DefaultTheme.SidebarItem[] = PARTS.map(([text, ...pages]) => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
}));

export default defineConfig({
  title: "malipo",
  description: "Mobile-money payments (STK push) without double charges or lost webhooks.",
  lang: "en",
  outDir: docs("site"),
  // Every page is a file, so that the manual can be read without a server of its own.
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ["site/**"],
  markdown: { config: (markdown) => linksOutside(markdown) },
  vite: { plugins: [llmstxt({ ignoreFiles: ["reference/**"] })] },
  themeConfig: {
    nav: [
      { text: "Get started", link: "/get-started" },
      { text: "How do I …?", link: "/how-to" },
      { text: "API", link: "/reference/" },
    ],
    sidebar: {
      "/reference/": [
        { text: "Manual", items: [{ text: "All pages", link: "/how-to" }] },
        { text: "API", items: apiReference },
      ],
      "/": sidebar,
    },
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: { searchOptions: { boost: { title: 4, text: 2, titles: 1 }, fuzzy: 0.2 } },
      },
    },
    docFooter: { prev: "Before", next: "Next" },
  },
});
