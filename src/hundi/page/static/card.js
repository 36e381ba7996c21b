// Helps in forms: groups a card's digits, names its scheme, says under a field what is wrong, and searches a list of banks.
"use strict";
(() => {
  const GROUPS = { "American Express": [4, 6, 5], "Diners Club": [4, 6, 4] };
  const digits = (text) => text.replace(/[^0-9]/g, "");

  const luhn = (number) => {
    let total = 0;
    for (let place = 0; place < number.length; place += 1) {
      const digit = Number(number[number.length - 1 - place]);
      total += place % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
    }
    return total % 10 === 0;
  };

  const grouped = (number, name) => {
    const parts = [];
    let rest = number;
    for (const size of GROUPS[name] ?? [4, 4, 4, 4, 4]) {
      if (rest) parts.push(rest.slice(0, size));
      rest = rest.slice(size);
    }
    return parts.join(" ") + rest;
  };

  // The caret stays behind the digit it was behind, wherever the grouping puts that digit.
  const keepCaret = (input, text) => {
    const before = digits(input.value.slice(0, input.selectionStart)).length;
    input.value = text;
    let caret = 0;
    for (let seen = 0; seen < before && caret < text.length; caret += 1) if (/[0-9]/.test(text[caret])) seen += 1;
    input.setSelectionRange(caret, caret);
  };

  const helpWithCard = (form) => {
    const { ranges, words } = JSON.parse(form.dataset.rules);
    const { number, expiry, cvv, holder } = form.elements;
    const scheme = form.querySelector(".scheme");

    const known = (typed) => {
      const found = ranges.find(([first, last]) => {
        const start = typed.slice(0, first.length);
        return start.length === first.length && first <= start && start <= last;
      });
      return found && { name: found[2], lengths: found[3], cvv: found[4] };
    };

    const problems = {
      number: (text) => {
        const typed = text.replace(/[ -]/g, "");
        const card = known(typed);
        if (!typed) return "number_missing";
        if (!/^[0-9]+$/.test(typed)) return "number_not_digits";
        if (typed.length < 12 || typed.length > 19) return "number_length";
        if (!card) return "number_unknown_scheme";
        if (!card.lengths.includes(typed.length)) return "number_length";
        return luhn(typed) ? "" : "number_check_digit";
      },
      expiry: (text) => {
        if (!text.trim()) return "expiry_missing";
        const parts = text.replace(/[ -]/g, "").match(/^(0?[1-9]|1[0-2])\/?([0-9]{2}|[0-9]{4})$/);
        if (!parts) return "expiry_unreadable";
        const year = Number(parts[2]) + (parts[2].length === 2 ? 2000 : 0);
        return new Date(year, Number(parts[1]), 1) <= new Date() ? "expiry_past" : "";
      },
      cvv: (text) => {
        if (!text) return "cvv_missing";
        const card = known(digits(number.value));
        const right = card ? text.length === card.cvv : text.length === 3 || text.length === 4;
        return right && /^[0-9]+$/.test(text) ? "" : "cvv_length";
      },
      holder: () => "",
    };

    const judge = (input) => {
      const problem = problems[input.name](input.value);
      document.getElementById(`${input.id}-error`).textContent = problem && words[problem];
      if (problem) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      return !problem;
    };

    number.addEventListener("input", () => {
      const typed = digits(number.value);
      const card = known(typed);
      scheme.value = card ? card.name : "";
      cvv.maxLength = card ? card.cvv : 4;
      keepCaret(number, grouped(typed, card && card.name));
    });
    expiry.addEventListener("input", (event) => {
      if (event.inputType?.startsWith("delete")) return;
      // No month begins with 2 to 9: 829 is August 2029.
      const typed = digits(expiry.value).replace(/^([2-9])/, "0$1").slice(0, 6);
      keepCaret(expiry, typed.length < 2 ? typed : `${typed.slice(0, 2)} / ${typed.slice(2)}`);
      if (expiry.selectionStart < expiry.value.length || typed.length === 2) {
        expiry.setSelectionRange(expiry.value.length, expiry.value.length);
      }
    });
    // A press on a button judges every field: an error that is shown under the press would push the button away from it.
    let pressed = false;
    form.addEventListener("pointerdown", (event) => (pressed = Boolean(event.target.closest("button"))));
    for (const input of [number, expiry, cvv, holder]) {
      input.addEventListener("focus", () => (pressed = false));
      input.addEventListener("blur", () => input.value && !pressed && judge(input));
      input.addEventListener("input", () => input.hasAttribute("aria-invalid") && judge(input));
    }
    return () => [number, expiry, cvv, holder].filter((input) => !judge(input));
  };

  // A choice that was forgotten is said before anything is sent: what was typed beside it stays.
  const helpWithChoice = (form) => {
    const choices = [...form.querySelectorAll("input[type=radio]")];
    const error = form.querySelector("[data-missing]");
    for (const choice of choices) choice.addEventListener("change", () => (error.textContent = ""));
    return () => {
      if (choices.some((choice) => choice.checked)) return [];
      error.textContent = error.dataset.missing;
      return choices.filter((choice) => choice.checkVisibility()).slice(0, 1);
    };
  };

  const helpToSearch = (input) => {
    const fieldset = input.closest("fieldset");
    const none = fieldset.querySelector("[data-none]");
    const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    input.addEventListener("input", () => {
      let found = 0;
      for (const group of fieldset.querySelectorAll(".group")) {
        let here = 0;
        for (const row of group.querySelectorAll(".row")) {
          const fits = plain(row.textContent).includes(plain(input.value));
          row.hidden = !fits;
          here += fits;
        }
        group.hidden = here === 0;
        found += here;
      }
      none.textContent = found ? "" : input.dataset.search;
    });
    // Enter would send the form.
    input.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  };

  for (const input of document.querySelectorAll("[data-search]")) helpToSearch(input);
  for (const form of document.querySelectorAll("[data-rules], [data-choice]")) {
    const checks = [];
    if ("choice" in form.dataset) checks.push(helpWithChoice(form));
    if ("rules" in form.dataset) checks.push(helpWithCard(form));
    const look = (event) => {
      const wrong = checks.flatMap((check) => check());
      const missing = form.querySelector("[data-missing]")?.textContent;
      if (!wrong.length && !missing) return;
      event.preventDefault();
      wrong[0]?.focus();
    };
    form.addEventListener("submit", look, true);
  }
})();
