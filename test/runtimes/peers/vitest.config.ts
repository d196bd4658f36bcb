import config from "../../../vitest.config.ts";

// The conformance suite of an inbox, on the release of its engine's library in PEER_ENTRY.
const { PEER = "", PEER_ENTRY = "" } = process.env;
const [source] = config.test?.projects ?? [];
if (typeof source !== "object" || !("resolve" in source)) throw new Error("No project `source`.");
const alias = source.resolve?.alias as { find: RegExp; replacement: string }[];
alias.push({ find: new RegExp(`^${PEER}$`), replacement: PEER_ENTRY });

export default source;
