// Copies what stands beside a button, and says so on it.
"use strict";
(() => {
  for (const each of document.querySelectorAll("[data-copy]")) {
    each.addEventListener("click", async () => {
      await navigator.clipboard.writeText(each.dataset.copy);
      each.textContent = each.dataset.done;
    });
  }
})();
