// The page's script. It adds comfort to a page that works without it: it follows what happens, sends
// forms without leaving the page, says in a form what is wrong with it, counts down, copies, and types
// on the drawn PIN pad.
import { handleClicks } from "./clicks.ts";
import { followChanges } from "./connection.ts";
import { startCountdowns } from "./countdown.ts";
import { expireFirstFlash } from "./flash.ts";
import { clearErrorsOnInput } from "./form-error.ts";
import { interceptForms } from "./forms.ts";
import { scrollToChosenPhone } from "./phones.ts";
import { acceptOnlyDigits } from "./pin.ts";
import { refresh } from "./refresh.ts";

document.documentElement.classList.add("js");
expireFirstFlash();
startCountdowns();
interceptForms();
clearErrorsOnInput();
handleClicks();
acceptOnlyDigits();
scrollToChosenPhone();
addEventListener("popstate", () => void refresh());
followChanges();
