import { memoryIdempotency } from "malipo";
import { keepsTimeByThisClock } from "../../conformance/idempotency-clock.ts";
import { standsByTheContract } from "../../conformance/idempotency-store.ts";

standsByTheContract("memory", async (options) => memoryIdempotency(options));
keepsTimeByThisClock("memory", async (options) => memoryIdempotency(options));
