// After the outcome: takes the customer back to the merchant in a moment, unless they stay; prints.
"use strict";
(() => {
  const AFTER_S = 8;
  const form = document.getElementById("return");
  const said = form?.querySelector(".aside");
  const button = form?.querySelector("[data-stay]");
  // Somebody who came back with the back button wants to read this page, not to be sent away again.
  const returned = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  let timer = 0;
  const stay = () => {
    clearInterval(timer);
    if (button === document.activeElement) form.querySelector("button").focus();
    said?.remove();
    button?.remove();
  };
  if (form && "atOnce" in form.dataset && !returned) {
    let left = AFTER_S;
    // Counted for the eye alone: a screen reader would read each second out.
    const seconds = said.appendChild(document.createElement("span"));
    seconds.setAttribute("aria-hidden", "true");
    const tick = () => {
      seconds.textContent = ` ${left}`;
      if (left > 0) left -= 1;
      else {
        clearInterval(timer);
        form.requestSubmit();
      }
    };
    tick();
    timer = setInterval(tick, 1000);
  } else stay();
  button?.addEventListener("click", stay);
  document.querySelector("[data-pdf]")?.addEventListener("click", stay);
  addEventListener("pagehide", () => clearInterval(timer));

  for (const each of document.querySelectorAll("[data-copy]")) {
    each.addEventListener("click", stay);
  }
  for (const each of document.querySelectorAll("[data-receipt]")) {
    each.addEventListener("click", () => {
      stay();
      print();
    });
  }
})();
