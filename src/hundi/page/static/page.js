// Watches the payment for an open page: asks where it stands, shows what is left of a QR, and keeps a form from going twice.
"use strict";
(() => {
  const POLL_MS = 700;
  const POLL_LATER_MS = 5000;
  const EAGER_FOR_MS = 120000;
  const ENDING_MS = 60000;
  const SENDING_MS_MAX = 30000;
  const sheet = document.querySelector("[data-status]");
  const started = Date.now();
  let timer = 0;
  // While a form is on its way this page stays: going elsewhere would cancel it, and its answer is the way to the bank.
  let sending = false;

  const typing = () => [...document.querySelectorAll(".field input")].some((input) => input.value !== input.defaultValue);

  // A page whose screen is another now is outdated; the same screen with news waits until nothing typed would be lost.
  const outdated = (now) =>
    now.screen !== sheet.dataset.screen || (String(now.revision) !== sheet.dataset.revision && !typing());

  const ask = async () => {
    timer = 0;
    try {
      const answer = await fetch(sheet.dataset.status, { cache: "no-store" });
      if (answer.ok && outdated(await answer.json()) && !sending) {
        location.replace(location.pathname);
        return;
      }
    } catch {
      // Offline for a moment: the next question may get through.
    }
    plan();
  };

  const plan = () => {
    if (timer === 0 && !document.hidden && !sending) {
      timer = setTimeout(ask, Date.now() - started < EAGER_FOR_MS ? POLL_MS : POLL_LATER_MS);
    }
  };

  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    timer = 0;
    if (!document.hidden && !sending) ask();
  });
  plan();

  // Counted from what the server says is left: the customer's clock may be wrong.
  for (const line of document.querySelectorAll("[data-left-s]")) {
    const until = Date.now() + Number(line.dataset.leftS) * 1000;
    const tick = () => {
      const left = Math.max(0, until - Date.now());
      const seconds = Math.floor(left / 1000);
      line.textContent = `${line.dataset.words} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      line.classList.toggle("ending", left < ENDING_MS);
      if (left > 0) setTimeout(tick, 1000);
      else if (!typing() && !sending) location.replace(location.pathname);
    };
    tick();
  }

  for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());

  // The server never charges twice; this only spares the customer a second press.
  for (const form of document.forms) {
    const button = form.querySelector("button");
    const again = () => {
      sending = false;
      button.removeAttribute("aria-disabled");
      plan();
    };
    form.addEventListener("submit", (event) => {
      if (button.getAttribute("aria-disabled") === "true") event.preventDefault();
      if (event.defaultPrevented) return;
      sending = true;
      button.setAttribute("aria-disabled", "true");
      setTimeout(again, SENDING_MS_MAX);
    });
    addEventListener("pageshow", again);
  }
})();
