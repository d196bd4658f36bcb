// A shop that is closed.
import { createServer } from "node:http";

createServer((_, response) => response.writeHead(503).end()).listen(Number(process.env.PORT));
