// The build and the test runner put the text in the place of this name: see scripts/page-assets.ts.
declare const OPERATOR_STYLE: string;

/** The only stylesheet of the page: `style.css`, bundled. */
export const STYLE: string = OPERATOR_STYLE;
