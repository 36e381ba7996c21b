// In a frame over a shop's page: tells that page that it opened and how it ended, and takes the whole window for banks.
"use strict";
(() => {
  if (window.top === window) return;
  const sheet = document.querySelector("[data-frames]");
  const above = location.ancestorOrigins;
  const shops = sheet.dataset.frames.split(" ").filter((each) => !above || each === above[0]);
  const tell = (message) => {
    for (const each of shops) parent.postMessage(message, each);
  };
  tell({ type: "hundi.open" });
  // Banks' pages refuse to be framed, so whatever may lead to one takes the whole window: the press on it allows that.
  for (const form of document.forms) {
    if (/\/(card|saved|emi|bank|wallet|later|mandate)$/.test(new URL(form.action).pathname)) form.target = "_top";
  }
  // The frame has the keyboard: Escape closes the page over the shop, unless it empties a search first.
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || (event.target.type === "search" && event.target.value)) return;
    tell({ type: "hundi.close" });
  });
  const outcome = document.querySelector(".outcome");
  if (outcome && sheet.dataset.screen === "result") {
    tell({ type: "hundi.result", state: outcome.classList[1], order: sheet.dataset.order });
  }
  // The shop's page sends the signed return itself: a frame may not send its shop elsewhere.
  const back = document.getElementById("return");
  back?.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = [...new FormData(back)].map(([name, value]) => [name, String(value)]);
    tell({ type: "hundi.back", form: { action: back.action, fields } });
  });
})();
