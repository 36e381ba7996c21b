// After the outcome: takes the customer back to the merchant in a moment, and copies references.
"use strict";
(() => {
  const AFTER_MS = 1500;
  const form = document.getElementById("return");
  // Somebody who came back with the back button wants to read this page, not to be sent away again.
  const returned = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  let timer = 0;
  const stay = () => {
    clearTimeout(timer);
    form?.querySelector(".aside")?.remove();
  };
  if (form && "atOnce" in form.dataset && !returned) timer = setTimeout(() => form.requestSubmit(), AFTER_MS);
  else stay();
  addEventListener("pagehide", () => clearTimeout(timer));

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      stay();
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.done;
    });
  }
})();
