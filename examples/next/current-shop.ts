// Next loads a module once for each part of the application; the shop must be one for all of them.
// It opens at its first use, so that `next build` needs no keys and writes no files.
import { openShop, type Shop } from "./shop.ts";

const globals = globalThis as typeof globalThis & { shop?: Shop };

export function currentShop(): Shop {
  globals.shop ??= openShop();
  return globals.shop;
}
