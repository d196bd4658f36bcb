import { html, type Part } from "./html.ts";

/** A whole page. It loads its own stylesheet, and nothing from elsewhere. */
export const renderPage = (title: Part, style: string, body: Part, head?: Part): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${style}">
${head ?? html`<link rel="icon" href="data:,">`}
</head>
<body>
${body}
</body>
</html>`.markup;
