import { type Html, html } from "./html.ts";

// Drawn on 20 by 20, with lines in the colour of the text. Every icon has a word beside it.
const SHAPES = {
  check: html`<path d="M4.5 10.5l3.6 3.6 7.4-8"/>`,
  cross: html`<path d="M5.5 5.5l9 9m0-9l-9 9"/>`,
  clock: html`<circle cx="10" cy="10" r="7"/><path d="M10 6v4.2l2.8 1.8"/>`,
  retry: html`<path d="M15.8 8.2A6.2 6.2 0 1 0 16 12M16.2 4.2v4.2H12"/>`,
  warning: html`<path d="M10 3.2 17.6 16.4H2.4zM10 8.2v3.6m0 2.1v.2"/>`,
  phone: html`<rect x="5.5" y="2.5" width="9" height="15" rx="2"/><path d="M9 15h2"/>`,
  coins: html`<ellipse cx="10" cy="6" rx="6.5" ry="3"/><path d="M3.5 6v4c0 1.7 2.9 3 6.5 3s6.5-1.3 6.5-3V6M3.5 10v4c0 1.7 2.9 3 6.5 3s6.5-1.3 6.5-3v-4"/>`,
  send: html`<path d="M17 3 3 9.2l5.4 2.2L11 17zM8.4 11.4 17 3"/>`,
  bolt: html`<path d="M11 2.5 4.5 11.5H10l-1 6 6.5-9H10z"/>`,
  plug: html`<path d="M7 3v4m6-4v4M5 7h10v3a5 5 0 0 1-10 0zM10 15v3"/>`,
  copy: html`<rect x="7" y="7" width="9.5" height="9.5" rx="2"/><path d="M13 4.5a1.5 1.5 0 0 0-1.5-1.5H5a2 2 0 0 0-2 2v6.5A1.5 1.5 0 0 0 4.5 13"/>`,
  power: html`<path d="M10 3v7M6 5.6a6 6 0 1 0 8 0"/>`,
  back: html`<path d="M7 4.5h9.5v11H7L2 10zM9.5 8l4 4m0-4-4 4"/>`,
  plus: html`<path d="M10 4v12M4 10h12"/>`,
  scene: html`<rect x="3" y="5" width="14" height="10" rx="2"/><path d="M6 5V3.2M14 5V3.2M6 16.8V15M14 16.8V15M3 10h14"/>`,
  list: html`<path d="M7 5h10M7 10h10M7 15h10M3.2 5h.1M3.2 10h.1M3.2 15h.1"/>`,
  message: html`<path d="M3 4.5h14v9.5H9.5L6 17v-3H3z"/>`,
} as const satisfies Record<string, Html>;

export type IconName = keyof typeof SHAPES;

export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">${SHAPES[name]}</svg>`;

/** The sign of the project, with its colours: it is the icon of the page, too. */
export const LOGO: Html = html`<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-linecap="round"><rect width="32" height="32" rx="9" fill="#0a6279"/><path d="M8 21v-7.5a4 4 0 0 1 8 0V21m0-7.5a4 4 0 0 1 8 0V21" stroke="#fff" stroke-width="2.6"/><path d="M7.5 25.2c2.8-1.8 5.7 1.8 8.5 0s5.7 1.8 8.5 0" stroke="#f4b860" stroke-width="2"/></svg>`;
