// The page's own parts: menu, colours, languages as tabs, code that is copied and scrolled by keyboard.
"use strict";

const kept = {
  read(name) {
    try { return localStorage.getItem(`hundi-docs-${name}`); } catch { return null; }
  },
  write(name, value) {
    try { localStorage.setItem(`hundi-docs-${name}`, value); } catch { /* kept for this page only */ }
  },
};

function menu() {
  const button = document.getElementById("menu");
  const pages = document.getElementById("pages");
  button.addEventListener("click", () => {
    button.setAttribute("aria-expanded", pages.classList.toggle("open"));
  });
  pages.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !pages.classList.contains("open")) return;
    pages.classList.remove("open");
    button.setAttribute("aria-expanded", "false");
    button.focus();
  });
  const here = pages.querySelector("[aria-current]");
  if (here && pages.scrollHeight > pages.clientHeight) pages.scrollTop = here.offsetTop - pages.clientHeight / 2;
  const contents = document.querySelector(".toc");
  if (contents) contents.open = matchMedia("(min-width: 1320px)").matches;
}

function colours() {
  const chosen = document.getElementById("scheme");
  chosen.value = document.documentElement.dataset.scheme ?? "";
  chosen.addEventListener("change", () => {
    kept.write("scheme", chosen.value);
    if (chosen.value) document.documentElement.dataset.scheme = chosen.value;
    else delete document.documentElement.dataset.scheme;
  });
}

function choose(list, language) {
  const all = [...list.children];
  if (!all.some((tab) => tab.textContent === language)) return;
  for (const tab of all) {
    const selected = tab.textContent === language;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !selected;
  }
}

// One choice for every sample of the page, and of the pages after it.
function chooseAt(tab) {
  const before = tab.getBoundingClientRect().top;
  for (const list of document.querySelectorAll("[role=tablist]")) choose(list, tab.textContent);
  kept.write("language", tab.textContent);
  tab.focus({ preventScroll: true });
  scrollBy(0, tab.getBoundingClientRect().top - before);
}

const STEPS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

function tabs(set, number) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the sample");
  const labels = [...set.querySelectorAll(":scope > .language")];
  labels.forEach((label, at) => {
    const panel = label.nextElementSibling;
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.textContent = label.textContent;
    tab.id = `tab-${number}-${at}`;
    panel.id = `panel-${number}-${at}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", panel.id);
    tab.addEventListener("click", () => chooseAt(tab));
    label.remove();
    list.append(tab);
  });
  list.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = [...list.children];
    const at = all.indexOf(document.activeElement);
    const to = Number.isFinite(step) ? (at + step + all.length) % all.length : step < 0 ? 0 : all.length - 1;
    chooseAt(all[to]);
  });
  set.prepend(list);
  set.classList.add("tabs");
}

function samples() {
  document.querySelectorAll(".tabbed-set").forEach(tabs);
  const language = kept.read("language");
  for (const list of document.querySelectorAll("[role=tablist]")) {
    choose(list, list.firstChild.textContent);
    if (language) choose(list, language);
  }
}

function copying(block) {
  const code = block.querySelector("code");
  const kind = (block.className.match(/language-(\S+)/) ?? ["", "text"])[1];
  const tab = block.closest("[role=tabpanel]")?.getAttribute("aria-labelledby");
  const language = tab ? document.getElementById(tab).textContent : kind;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy this ${language} sample`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Marked: press Ctrl-C";
    }
    button.removeAttribute("aria-label");
    setTimeout(() => {
      button.textContent = "Copy";
      button.setAttribute("aria-label", `Copy this ${language} sample`);
    }, 4000);
  });
  block.append(button);
}

// What is wider than its room can be scrolled by keyboard; what fits is no stop on the way.
function scrolling() {
  const watched = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) {
        target.tabIndex = 0;
        target.setAttribute("role", "group");
        target.setAttribute("aria-label", target.matches("pre") ? "Sample, wider than the page" : "Table, wider than the page");
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
      }
    }
  });
  for (const each of document.querySelectorAll(".scroll, .highlight pre")) watched.observe(each);
}

menu();
colours();
samples();
document.querySelectorAll("article .highlight").forEach(copying);
scrolling();
