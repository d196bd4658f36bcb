/**
 * What a page that only reads does not need. Each module is imported where it is used, at its first use. In
 * the package, all are one part: Node.js takes longer to find a file than to run it, and seven parts that
 * share code with `malipo` make twelve more files.
 */
export * from "./default-store.ts";
export * from "./http/check-body.ts";
export * from "./keyed-call.ts";
export * from "./learned-service.ts";
export * from "./response/drift.ts";
export * from "./unknown-outcomes/operations.ts";
export * from "./waiting/collect.ts";
