// A list that renews itself: asks for its own page every few seconds, and puts the list of the answer in place of its own.
"use strict";

const RESTS_AFTER_MS = 600000; // A page that nobody touches must not keep its session alive.

const live = document.querySelector("[data-live]");
const state = document.querySelector("[data-live-state]");
const button = document.querySelector("[data-live-pause]");
if (live && state && button) {
  const every = Number(live.dataset.live);
  let paused = false;
  let touched = Date.now();
  const running = `Renews itself every ${every} seconds.`;

  const set = on => {
    paused = !on;
    button.textContent = on ? "Pause" : "Continue";
    state.textContent = on ? running : "Paused.";
  };

  const renew = async () => {
    if (paused || document.hidden) return;
    if (Date.now() - touched > RESTS_AFTER_MS) return set(false);
    let told = running;
    try {
      const answer = await fetch(location.href, { redirect: "error" });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
      if (!answer.ok || !found) throw new Error("no list");
      if (found.innerHTML !== live.innerHTML) {
        const at = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
        live.replaceChildren(...found.childNodes);
        if (at) live.querySelector(`[href="${CSS.escape(at)}"]`)?.focus();
        told = `${running} New at ${new Date().toLocaleTimeString()}.`;
        state.textContent = told;
      } else if (state.textContent.startsWith("No answer")) state.textContent = told;
    } catch {
      state.textContent = "No answer: press Reload. You may have to sign in again.";
    }
  };

  for (const each of ["pointerdown", "keydown", "scroll"]) addEventListener(each, () => { touched = Date.now(); }, { passive: true });
  button.addEventListener("click", () => set(paused));
  button.hidden = false;
  set(true);
  setInterval(renew, every * 1000);
}
