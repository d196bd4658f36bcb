import { globSync } from "node:fs";

/** Built pages: the site, and the API reference as markdown. */
const BUILT = ["docs/site/**", "docs/api/**", "docs/.vitepress/**"];

/** The pages of the manual that people write. */
export const MANUAL_PAGES: readonly string[] = globSync("docs/**/*.md", { exclude: BUILT }).sort();
