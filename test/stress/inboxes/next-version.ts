// Loaded before a shop: makes the built package one that documents another kind of event.
import { registerHooks } from "node:module";
// It must not import the package, which would then be loaded unchanged.
import { NEW_KIND } from "./modes.ts";

const TABLE = "EVENT_KINDS = [";

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.includes("/dist/") || loaded.source === undefined) return loaded;
    const source = String(loaded.source).replace(TABLE, `${TABLE} ${JSON.stringify(NEW_KIND)},`);
    return { ...loaded, source };
  },
});
