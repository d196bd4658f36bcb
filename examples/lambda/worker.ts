// A process that keeps running, a container or a server: it processes what the function has stored.
import { receiver } from "./receiver.ts";

await receiver.start();

process.once("SIGTERM", () => receiver.stop());
