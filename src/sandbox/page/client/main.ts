// The page's script. It adds comfort to a page that works without it: it follows what happens, sends
// forms without leaving the page, shows in a form what is wrong with it, counts down, copies, and types
// on the drawn PIN pad.
import { handleClicks } from "./clicks.ts";
import { followChanges } from "./connection.ts";
import { startCountdowns } from "./countdown.ts";
import { interceptForms } from "./forms.ts";
import { refresh } from "./refresh.ts";

document.documentElement.classList.add("js");
startCountdowns();
interceptForms();
handleClicks();
addEventListener("popstate", () => void refresh());
followChanges();
