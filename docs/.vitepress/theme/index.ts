// VitePress requires a default export here. The theme without its web font: the manual loads nothing
// from anywhere, and each system has good letters of its own.
export { default } from "vitepress/theme-without-fonts";

import "./colours.css";
