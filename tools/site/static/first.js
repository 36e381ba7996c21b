// Runs before anything is drawn: the reader's colours, and that there are scripts.
"use strict";

document.documentElement.classList.add("scripted");
try {
  const scheme = localStorage.getItem("hundi-docs-scheme");
  if (scheme) document.documentElement.dataset.scheme = scheme;
} catch {
  // A browser that keeps nothing follows the system.
}
