// The page: asks the shop to start the payment, then follows it with a public key, which can only
// read.
import { Gateway, PaymentPendingError } from "malipo";

interface Shop {
  readonly publicKey: string;
  readonly baseUrl: string;
}

const form = document.querySelector<HTMLFormElement>("#checkout") as HTMLFormElement;
const button = form.querySelector("button") as HTMLButtonElement;
const news = document.querySelector<HTMLElement>("#news") as HTMLElement;

function say(text: string, kind = "plain"): void {
  news.textContent = text;
  news.dataset.kind = kind;
}

async function follow({ publicKey, baseUrl }: Shop, reference: string): Promise<void> {
  const gateway = new Gateway({ apiKey: publicKey, baseUrl });
  try {
    const payment = await gateway.payments.waitFor(reference);
    if (payment.status === "completed") return say("Paid. Thank you!", "good");
    say(`Not paid: ${payment.user_message ?? "it did not go through"}. You can try again.`, "bad");
    button.disabled = false;
  } catch (error) {
    if (!(error instanceof PaymentPendingError)) throw error;
    // Not a failure: a customer who pays again now may pay twice.
    say("We have no result yet. Please do not pay again; we will write to you.");
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  say("Asking your phone …");
  try {
    const started = await fetch("/pay", { method: "POST", body: new FormData(form) });
    const { reference, problem, shop } = await started.json();
    if (reference !== undefined) {
      say("Look at your phone and enter your PIN.");
      return await follow(shop, reference);
    }
    say(problem, "bad");
    button.disabled = !started.ok && started.status === 502;
  } catch {
    say("We do not know the result. Please do not pay again; write to us.", "bad");
  }
});
