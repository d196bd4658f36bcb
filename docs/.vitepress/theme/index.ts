// The theme without its web font: the manual loads nothing from anywhere, and each system has good
// letters of its own.
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import ManualLayout from "./ManualLayout.vue";

import "./colours.css";
import "./layout.css";

// VitePress requires a default export here.
export default { extends: DefaultTheme, Layout: ManualLayout } satisfies Theme;
