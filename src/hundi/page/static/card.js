// Helps while a card is typed: groups the digits, names the scheme, says under a field what is wrong once it is left.
"use strict";
(() => {
  const form = document.getElementById("card");
  const { ranges, words } = JSON.parse(form.dataset.rules);
  const scheme = form.querySelector(".scheme");
  const GROUPS = { "American Express": [4, 6, 5], "Diners Club": [4, 6, 4] };
  const digits = (text) => text.replace(/[^0-9]/g, "");

  const known = (number) => {
    const found = ranges.find(([first, last]) => {
      const start = number.slice(0, first.length);
      return start.length === first.length && first <= start && start <= last;
    });
    return found && { name: found[2], lengths: found[3], cvv: found[4] };
  };

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

  const problems = {
    number: (text) => {
      const number = text.replace(/[ -]/g, "");
      const card = known(number);
      if (!number) return "number_missing";
      if (!/^[0-9]+$/.test(number)) return "number_not_digits";
      if (number.length < 12 || number.length > 19) return "number_length";
      if (!card) return "number_unknown_scheme";
      if (!card.lengths.includes(number.length)) return "number_length";
      return luhn(number) ? "" : "number_check_digit";
    },
    expiry: (text) => {
      if (!text.trim()) return "expiry_missing";
      const parts = text.replace(/[ -]/g, "").match(/^(0[1-9]|1[0-2])\/?([0-9]{2}|[0-9]{4})$/);
      if (!parts) return "expiry_unreadable";
      const year = Number(parts[2]) + (parts[2].length === 2 ? 2000 : 0);
      return new Date(year, Number(parts[1]), 1) <= new Date() ? "expiry_past" : "";
    },
    cvv: (text) => {
      if (!text) return "cvv_missing";
      const card = known(digits(form.number.value));
      const right = card ? text.length === card.cvv : text.length === 3 || text.length === 4;
      return right && /^[0-9]+$/.test(text) ? "" : "cvv_length";
    },
    holder: () => "",
  };

  const judge = (input) => {
    const problem = problems[input.name](input.value);
    document.getElementById(`${input.name}-error`).textContent = problem && words[problem];
    if (problem) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    return !problem;
  };

  // The caret stays behind the digit it was behind, wherever the grouping puts that digit.
  const keepCaret = (input, text) => {
    const before = digits(input.value.slice(0, input.selectionStart)).length;
    input.value = text;
    let caret = 0;
    for (let seen = 0; seen < before && caret < text.length; caret += 1) if (/[0-9]/.test(text[caret])) seen += 1;
    input.setSelectionRange(caret, caret);
  };

  form.number.addEventListener("input", () => {
    const number = digits(form.number.value);
    const card = known(number);
    scheme.value = card ? card.name : "";
    form.cvv.maxLength = card ? card.cvv : 4;
    keepCaret(form.number, grouped(number, card && card.name));
  });
  form.expiry.addEventListener("input", (event) => {
    const typed = digits(form.expiry.value).slice(0, 6);
    if (event.inputType?.startsWith("delete")) return;
    keepCaret(form.expiry, typed.length < 2 ? typed : `${typed.slice(0, 2)} / ${typed.slice(2)}`);
    if (typed.length === 2) form.expiry.setSelectionRange(5, 5);
  });
  for (const input of form.querySelectorAll("input")) {
    input.addEventListener("blur", () => input.value && judge(input));
    input.addEventListener("input", () => input.hasAttribute("aria-invalid") && judge(input));
  }
  form.addEventListener(
    "submit",
    (event) => {
      const wrong = [...form.querySelectorAll("input")].filter((input) => !judge(input));
      if (wrong.length) {
        event.preventDefault();
        wrong[0].focus();
      }
    },
    true,
  );
})();
