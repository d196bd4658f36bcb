import { describeShop } from "../../suites/shop.ts";

const args = ["examples/fastify/server.ts"];
describeShop("Fastify", () => ({ args }), { endsWith: 0 });
