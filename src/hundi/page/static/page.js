// Watches the payment for an open page: asks where it stands, shows what is left of a QR, and keeps a form from going twice.
"use strict";
(() => {
  // Questions come ever slower: each is answered at the bank's pace, and most outcomes come soon.
  const POLL_MS = 700;
  const POLL_MS_MAX = 5000;
  const SLOWER_BY = 30;
  const APP_OPENS_MS = 2500;
  const WARNED_MS = 120000;
  const TYPED_LATELY_MS = 300000;
  const ENDING_MS = 60000;
  const SENDING_MS_MAX = 30000;
  const sheet = document.querySelector("[data-status]");
  let started = Date.now();
  let timer = 0;
  // While a form is on its way this page stays: going elsewhere would cancel it, and its answer is the way to the bank.
  let sending = false;

  const typing = () =>
    [...document.querySelectorAll(".field input")].some((input) => input.value !== input.defaultValue) ||
    [...document.querySelectorAll(".row input")].some((input) => input.checked !== input.defaultChecked);

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
      timer = setTimeout(ask, Math.min(POLL_MS_MAX, POLL_MS + (Date.now() - started) / SLOWER_BY));
    }
  };

  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    timer = 0;
    // Who comes back was perhaps in their banking app: the outcome is near.
    started = Date.now();
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

  // The session ends while nobody acts: whoever reads gets a warning and a button, whoever types gets the time by itself.
  const late = document.querySelector("[data-closes-s]");
  if (late) {
    let closes = Date.now() + Number(late.dataset.closesS) * 1000;
    let typed = 0;
    let asked = false;
    addEventListener("input", () => (typed = Date.now()));
    const extend = async () => {
      asked = true;
      const answer = await fetch(late.action, { method: "POST", redirect: "manual" }).catch(() => undefined);
      if (answer?.type !== "opaqueredirect") return;
      const now = await fetch(sheet.dataset.status, { cache: "no-store" }).then((each) => each.json());
      closes = Date.now() + now.left_s * 1000;
      asked = now.left_s * 1000 < WARNED_MS;
      document.querySelector("[data-until]").textContent = now.until;
    };
    const watch = () => {
      const left = Math.max(0, closes - Date.now());
      late.hidden = left > WARNED_MS;
      const seconds = Math.floor(left / 1000);
      late.querySelector("[data-closing]").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      if (left < WARNED_MS && !asked && typing() && Date.now() - typed < TYPED_LATELY_MS) extend();
      if (left > 0) setTimeout(watch, 1000);
    };
    watch();
  }

  // A link to an app that is not there does nothing at all: then the page says so, and shows the code.
  for (const link of document.querySelectorAll("[data-app]")) {
    link.addEventListener("click", () => {
      setTimeout(() => {
        if (document.hidden || !document.hasFocus()) return;
        document.querySelector("[data-no-app]").hidden = false;
        document.querySelector("[data-qr]").open = true;
      }, APP_OPENS_MS);
    });
  }

  // The acquirer makes the QR when it is wanted: whoever opens the row asks for it.
  for (const row of document.querySelectorAll("[data-asks]")) {
    row.querySelector("summary").addEventListener("click", () => row.open || row.querySelector("form").requestSubmit());
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
