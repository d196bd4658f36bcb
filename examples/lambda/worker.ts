// The process that stays, a container or a server: it works off what the function has stored.
import { receiver } from "./receiver.ts";

await receiver.start();

process.once("SIGTERM", () => receiver.stop());
