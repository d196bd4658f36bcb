const placeIn = (form: HTMLFormElement) => form.querySelector<HTMLElement>("[data-error]");

/** Shows in a form why it was rejected, and leads to the field. Returns false if it has no place for it. */
export function showFormError(form: HTMLFormElement, error: string): boolean {
  const place = placeIn(form);
  if (place === null) return false;
  clearFormError(form);
  place.textContent = error;
  const field = fieldOf(form, error);
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
  return true;
}

/** The field that the error names, or else the only one. */
function fieldOf(form: HTMLFormElement, error: string): HTMLElement | undefined {
  const fields = [...form.querySelectorAll<HTMLInputElement>("input:not([type=hidden])")];
  const named = fields.find(({ name }) => new RegExp(`\\b${name}\\b`).test(error));
  return named ?? (fields.length === 1 ? fields[0] : undefined);
}

export function clearFormError(form: HTMLFormElement): void {
  const place = placeIn(form);
  if (place !== null) place.textContent = "";
  for (const field of form.querySelectorAll("[aria-invalid]"))
    field.removeAttribute("aria-invalid");
}

/** What is being corrected is no longer wrong. */
export function clearErrorsOnInput(): void {
  document.addEventListener("input", ({ target }) => {
    if (target instanceof Element) {
      const form = target.closest("form");
      if (form !== null) clearFormError(form);
    }
  });
}
