// What the page loads, as text. The build and the test runner bundle `client/` and put the text in the
// place of these two names: see scripts/page-assets.ts.
declare const PAGE_SCRIPT: string;
declare const PAGE_STYLE: string;

/** The page's only script: `client/main.ts`, bundled. */
export const SCRIPT: string = PAGE_SCRIPT;

/** The page's only stylesheet: `client/style/main.css`, bundled with its images. */
export const STYLE: string = PAGE_STYLE;
