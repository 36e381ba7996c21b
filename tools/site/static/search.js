// Search: the index is fetched when somebody types for the first time, and looked through in the browser.
"use strict";

const SHOWN_MAX = 20;
const AROUND = 70;
const box = document.querySelector(".search");
const query = document.getElementById("query");
const found = document.getElementById("found");
const count = document.getElementById("count");
const list = found.querySelector("ol");
let index;

// Sections as [address, title, page's title, text], and the same in small letters to look through.
async function load() {
  const reply = await fetch(box.dataset.index);
  if (!reply.ok) throw new Error(reply.status);
  const unpacked = reply.body.pipeThrough(new DecompressionStream("gzip"));
  const sections = await new Response(unpacked).json();
  return sections.map(([address, title, page, text]) => ({
    address, title, page, text, titleLow: title.toLowerCase(), pageLow: page.toLowerCase(), textLow: text.toLowerCase(),
  }));
}

// Where a word that begins with these letters stands, from a place on, or -1.
function at(text, letters, from = 0) {
  for (let place = text.indexOf(letters, from); place >= 0; place = text.indexOf(letters, place + 1)) {
    if (place === 0 || !/[\p{L}\p{N}]/u.test(text[place - 1])) return place;
  }
  return -1;
}

function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const inTitle = at(section.titleLow, word);
    const inPage = at(section.pageLow, word);
    const inText = at(section.textLow, word);
    if (inTitle < 0 && inPage < 0 && inText < 0) return 0;
    sum += (inTitle === 0 ? 12 : inTitle > 0 ? 8 : 0) + (inPage === 0 ? 6 : inPage > 0 ? 4 : 0) + (inText >= 0 ? 2 : 0);
  }
  if (section.titleLow === words.join(" ")) sum += 12;
  if (words.length > 1 && section.textLow.includes(words.join(" "))) sum += 6;
  return sum;
}

function marked(element, text, words) {
  const low = text.toLowerCase();
  let from = 0;
  while (from < text.length) {
    const places = words.map((word) => [at(low, word, from), word]).filter(([place]) => place >= 0);
    if (!places.length) break;
    const [place, word] = places.reduce((one, other) => (other[0] < one[0] ? other : one));
    const mark = document.createElement("mark");
    mark.textContent = text.slice(place, place + word.length);
    element.append(text.slice(from, place), mark);
    from = place + word.length;
  }
  element.append(text.slice(from));
}

function excerpt({ text, textLow }, words) {
  const place = Math.min(...words.map((word) => at(textLow, word)).filter((each) => each >= 0));
  if (!Number.isFinite(place)) return text.slice(0, 2 * AROUND);
  const from = Math.max(0, place - AROUND);
  return (from ? "… " : "") + text.slice(from, place + AROUND) + (place + AROUND < text.length ? " …" : "");
}

function shown(section, words) {
  const link = document.createElement("a");
  link.href = box.dataset.root.replace(/\/?$/, "/") + section.address;
  const title = document.createElement("b");
  marked(title, section.title, words);
  const page = document.createElement("small");
  page.textContent = section.page === section.title ? "" : section.page;
  const text = document.createElement("small");
  marked(text, excerpt(section, words), words);
  link.append(title, page, text);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function show(words) {
  const hits = index.map((section) => [score(section, words), section]).filter(([points]) => points);
  hits.sort(([one], [other]) => other - one);
  list.replaceChildren(...hits.slice(0, SHOWN_MAX).map(([, section]) => shown(section, words)));
  const more = hits.length > SHOWN_MAX ? `, the best ${SHOWN_MAX} of them are shown` : "";
  count.textContent = hits.length ? `${hits.length} ${hits.length === 1 ? "place" : "places"}${more}` : "Nothing has all of these words.";
}

async function search() {
  const words = query.value.toLowerCase().match(/[\p{L}\p{N}]+(?:[_./-][\p{L}\p{N}]+)*/gu) ?? [];
  found.hidden = words.length === 0;
  if (found.hidden) return;
  if (!index) {
    count.textContent = "Loading the index …";
    try {
      index = await (search.loading ??= load());
    } catch {
      search.loading = undefined;
      count.textContent = "The index cannot be loaded. Try again.";
      return;
    }
    return search();
  }
  show(words);
}

function close() {
  found.hidden = true;
}

query.addEventListener("input", search);
query.addEventListener("focus", () => { if (index) search(); });
box.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
box.addEventListener("keydown", (event) => {
  const stops = [query, ...list.querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") {
    query.focus(); // which shows what was found before
    close();
  } else if (step && !found.hidden) {
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, stops.indexOf(document.activeElement) + step))].focus();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  query.focus();
});
document.addEventListener("click", (event) => { if (!box.contains(event.target)) close(); });
box.addEventListener("focusout", (event) => { if (event.relatedTarget && !box.contains(event.relatedTarget)) close(); });
