// Prints how many bytes of heap a gateway costs: node --expose-gc many-gateways.ts <count>
import { Gateway } from "../../../src/client/gateway.ts";

const make = (index: number) =>
  new Gateway({ apiKey: `sk_test_merchant_${index}`, baseUrl: "https://gateway.example/api/v1" });

function heapUsed(): number {
  // The second collection takes what finalizers of the first one have freed.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const count = Number(process.argv[2]);
// What all gateways share is loaded and compiled before.
for (let index = 0; index < 200; index++) make(index);
const before = heapUsed();
const gateways = Array.from({ length: count }, (_, index) => make(index));
const bytes = (heapUsed() - before) / gateways.length;
process.stdout.write(bytes.toFixed(0));
