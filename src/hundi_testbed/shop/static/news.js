// Keeps an open order page up to date: asks for the page again until the shop expects no more news of the order.
"use strict";

const EVERY_MS = 3000;
const FAILURES_MAX = 20;
let failures = 0;

// Changes what differs and leaves the rest in place: focus stays where it is, and a status that changes is read out.
const update = (shown, fresh) => {
  if (shown.isEqualNode(fresh)) return;
  if (shown.nodeName !== fresh.nodeName) return void shown.replaceWith(fresh);
  if (shown.nodeType !== Node.ELEMENT_NODE) return void (shown.nodeValue = fresh.nodeValue);
  for (const { name } of [...shown.attributes]) if (!fresh.hasAttribute(name)) shown.removeAttribute(name);
  for (const { name, value } of fresh.attributes) shown.setAttribute(name, value);
  const [before, after] = [[...shown.childNodes], [...fresh.childNodes]];
  after.forEach((each, place) => (place < before.length ? update(before[place], each) : shown.append(each)));
  before.slice(after.length).forEach(each => each.remove());
};

const ask = async () => {
  let expectsNews = false;
  try {
    const answer = await fetch(location.href, { redirect: "error", signal: AbortSignal.timeout(EVERY_MS) });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok) {
      document.title = fresh.title;
      update(document.querySelector("main"), fresh.querySelector("main"));
      expectsNews = fresh.querySelector("[data-news]") !== null;
    }
  } catch {
    expectsNews = ++failures < FAILURES_MAX;
  }
  if (expectsNews) setTimeout(ask, EVERY_MS);
};

setTimeout(ask, EVERY_MS);
