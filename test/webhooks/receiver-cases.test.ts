import { testAdapter } from "../conformance/webhook-adapter-suite.ts";

testAdapter({
  name: "receiver.handle",
  isCalledWith: "any headers",
  mount: (receiver) => ({
    deliver: ({ method = "POST", headers = {}, body = new Uint8Array() }) =>
      receiver.handle({ method, headers, body }),
  }),
});
