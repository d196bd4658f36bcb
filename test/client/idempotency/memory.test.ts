import { memoryIdempotency } from "malipo";
import { standsByTheContract } from "../../conformance/idempotency-store.ts";

standsByTheContract("memory", async (options) => memoryIdempotency(options));
