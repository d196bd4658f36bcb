import { killSuite } from "../../../suites/inbox-kills.ts";

killSuite("sqlite", (path) => `${path}.db`);
