const PIN_DIGITS = 4;

const digitsOf = (text: string) => text.replace(/\D/g, "").slice(0, PIN_DIGITS);

/** A PIN takes digits only, from the keyboard too. */
export function acceptOnlyDigits(): void {
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== "pin") return;
    const digits = digitsOf(target.value);
    if (digits !== target.value) target.value = digits;
  });
}

/** Types a key of the drawn PIN pad. */
export function typePinKey(key: HTMLButtonElement): void {
  const field = key.form?.elements.namedItem("pin");
  if (!(field instanceof HTMLInputElement)) return;
  const digit = key.dataset.key ?? "";
  field.value = digit === "back" ? field.value.slice(0, -1) : digitsOf(field.value + digit);
}
