// Takes the customer on to another site's page, by its form or its link; without scripts a refresh or a press does.
"use strict";
(() => {
  const way = document.getElementById("onward");
  // Somebody who came back with the back button is not sent there again.
  const returned = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (returned) return;
  if (way instanceof HTMLFormElement) way.requestSubmit();
  else location.replace(way.href);
})();
