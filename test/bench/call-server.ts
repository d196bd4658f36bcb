// Responds to every request with the same JSON, which fits every client of the benchmark. Only the reference
// of a payment is new each time.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const RESPONSE = JSON.stringify({
  success: true,
  id: "obj_1",
  object: "customer",
  data: { reference: "PAY-0000000000", status: "pending", checkout_request_id: "ws_CO_1" },
});
let payments = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(RESPONSE.replace("0000000000", String(++payments).padStart(10, "0")));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
