// Prints the page by its button, which is hidden where no script runs: there the browser's own menu prints.
"use strict";

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
