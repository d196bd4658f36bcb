import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";

/** What a server on this machine says to these bytes, to the end of the connection. */
export async function say(port: number, ...parts: string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.setEncoding("latin1").on("data", (data) => {
    heard += data;
  });
  socket.on("error", () => {});
  for (const part of parts) {
    socket.write(part);
    await setImmediate();
  }
  await new Promise((resolve) => socket.once("close", resolve));
  return heard;
}
