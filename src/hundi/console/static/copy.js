// Puts a button beside each result that copies it; without scripts the text is there to be marked.
"use strict";

for (const shown of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button plain";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(shown.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      button.textContent = "Marked: press Ctrl-C";
    }
  });
  shown.after(button);
}
