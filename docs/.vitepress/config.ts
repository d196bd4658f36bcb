import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import packageJson from "../../package.json" with { type: "json" };
import apiReference from "../api/typedoc-sidebar.json" with { type: "json" };
import { linksOutside } from "./links-outside.ts";
import { PARTS } from "./parts.ts";

const docs = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The anchor of a heading, as code hosts make it: a link holds there and here. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

const sidebar: DefaultTheme.SidebarItem[] = PARTS.map(({ title, folder, pages }) => ({
  text: title,
  items: pages.map(([name, text]) => ({ text, link: `/${folder}/${name}` })),
}));

export default defineConfig({
  title: "malipo",
  description: "Mobile-money payments (STK push) without double charges or lost webhooks.",
  lang: "en",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  outDir: docs("site"),
  // Every page is a file, so that the manual can be read without a server of its own.
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ["site/**", "SKILL.md"],
  // Tutorials name the address of the reader's own server.
  ignoreDeadLinks: "localhostLinks",
  // The home page of the theme has no main landmark, which screen readers jump to.
  transformHtml: (html) => html.replace('<div class="VPHome"', '<div role="main" class="VPHome"'),
  markdown: {
    // Its usual themes do not reach the contrast of WCAG AA.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (markdown) => linksOutside(markdown),
    anchor: { slugify: anchorOf },
    // A text such as {order} at the end of a line is text, not an attribute.
    attrs: { disable: true },
  },
  vite: { plugins: [llmstxt({ ignoreFiles: ["api/**"] })] },
  themeConfig: {
    logo: { src: "/logo.svg", alt: "" },
    nav: [
      { text: "Get started", link: "/guides/get-started" },
      { text: "Choose a way", link: "/guides/ways-to-take-payments" },
      { text: "API", link: "/api/" },
      { text: packageJson.version, link: "/operations/upgrade" },
    ],
    sidebar: {
      "/api/": [
        {
          text: "Manual",
          items: [{ text: "Choose a way", link: "/guides/ways-to-take-payments" }],
        },
        { text: "API", items: apiReference },
      ],
      "/": sidebar,
    },
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        translations: { button: { buttonText: "Search", buttonAriaLabel: "Search" } },
        miniSearch: {
          searchOptions: {
            // "next" is not "nest": a short word has too many neighbours.
            fuzzy: (term: string) => (term.length < 5 ? false : 0.2),
            boost: { title: 4, text: 2, titles: 1 },
            // The pages that explain come before those that list, and before those for contributors.
            boostDocument: (id: string) => {
              if (/\/(?:api|contributing|decisions)\//.test(id)) return 0.2;
              return id.includes("/cli") ? 0.5 : 1;
            },
          },
        },
      },
    },
    docFooter: { prev: "Before", next: "Next" },
  },
});
