// Shows what the shop has heard meanwhile: asks for the order again until no more news is expected.
"use strict";

const EVERY_MS = 3000;
const main = document.querySelector("main");

const ask = async () => {
  let expected = true;
  try {
    const answer = await fetch(location.href, { redirect: "error" });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    const heard = found.querySelector("main");
    if (answer.ok && heard) {
      expected = found.querySelector("[data-news]") !== null;
      if (heard.innerHTML !== main.innerHTML) main.replaceChildren(...heard.childNodes);
    }
  } catch {
    // The shop does not answer at the moment: what is shown stays true.
  }
  if (expected) setTimeout(ask, EVERY_MS);
};

setTimeout(ask, EVERY_MS);
