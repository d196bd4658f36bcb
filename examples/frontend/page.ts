// The page: asks the shop to start the payment, then follows it by a route of the shop. It has no key.
import { followPayment } from "malipo/status";

const form = document.querySelector<HTMLFormElement>("#checkout") as HTMLFormElement;
const button = form.querySelector("button") as HTMLButtonElement;
const news = document.querySelector<HTMLElement>("#news") as HTMLElement;

function say(text: string, kind = "plain"): void {
  news.textContent = text;
  news.dataset.kind = kind;
}

async function follow(order: string): Promise<void> {
  say("Look at your phone and enter your PIN.");
  const { status, user_message = "it did not go through" } = await followPayment(
    `/orders/${order}/payment`,
  );
  if (status === "completed") return say("Paid. Thank you!", "good");
  say(`Not paid: ${user_message}. You can try again.`, "bad");
  button.disabled = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  say("Asking your phone …");
  const fields = new FormData(form) as unknown as Iterable<[string, string]>;
  const body = new URLSearchParams([...fields]);
  try {
    const started = await fetch("/pay", { method: "POST", body });
    if (started.ok) return await follow(String(body.get("order")));
    const { problem } = await started.json();
    say(problem, "bad");
    button.disabled = started.status === 502;
  } catch {
    say("We do not know the result. Please do not pay again; write to us.", "bad");
  }
});
