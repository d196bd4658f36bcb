import { memoryIdempotency } from "malipo";
import { keepsTimeByThisClock } from "../../../suites/idempotency-clock.ts";
import { standsByTheContract } from "../../../suites/idempotency-store.ts";

standsByTheContract("memory", async (options) => memoryIdempotency(options));
keepsTimeByThisClock("memory", async (options) => memoryIdempotency(options));
