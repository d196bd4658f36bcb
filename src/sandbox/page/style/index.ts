import { BASE } from "./base.ts";
import { LAYOUT } from "./layout.ts";
import { LISTS } from "./lists.ts";
import { PHONE } from "./phone.ts";
import { TOKENS } from "./tokens.ts";

/** The page's one stylesheet. */
export const STYLE: string = TOKENS + BASE + LAYOUT + LISTS + PHONE;
