// Takes the customer on to an acquirer's page that wants a form; without scripts the button does.
"use strict";
(() => {
  const form = document.getElementById("onward");
  // Somebody who came back with the back button is not sent there again.
  const returned = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (!returned) form.requestSubmit();
})();
