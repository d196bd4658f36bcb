import { describeShop } from "../../suites/shop.ts";

const args = ["examples/express/server.ts"];
describeShop("Express", () => ({ args }), { endsWith: 0, withLease: true });
