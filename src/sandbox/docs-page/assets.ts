// The stylesheet as text: see scripts/page-assets.ts.
declare const DOCS_PAGE_STYLE: string;

export const DOCS_STYLE: string = DOCS_PAGE_STYLE;
