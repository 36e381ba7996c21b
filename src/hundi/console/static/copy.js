// Puts a button beside each result that copies it, and one that prints beside what is to be kept; without scripts the text
// is there to be marked.
"use strict";

for (const shown of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button plain";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(shown.innerText);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      button.textContent = "Marked: press Ctrl-C";
    }
  });
  shown.after(button);
  if (shown.classList.contains("codes")) {
    const printing = document.createElement("button");
    printing.type = "button";
    printing.className = "button plain";
    printing.textContent = "Print";
    printing.addEventListener("click", () => print());
    button.after(printing);
  }
}
