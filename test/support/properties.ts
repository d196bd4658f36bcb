import { configureGlobal } from "fast-check";

/**
 * The tests of properties draw the same inputs in each run, so that a red test is a fault of the change that is
 * tested. `PROPERTY_SEED=random` draws others, and the number that a failure prints draws those once more:
 * https://fast-check.dev/docs/configuration/user-definable-values/
 */
const { PROPERTY_SEED = "2026" } = process.env;
configureGlobal(PROPERTY_SEED === "random" ? {} : { seed: Number(PROPERTY_SEED) });

export { default as fc } from "fast-check";
