// Passkeys: hands the page's question to the browser, and the browser's answer to the form. Without it the button stays hidden.
"use strict";

const bytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), each => each.charCodeAt(0));
const text = buffer =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

function question(form) {
  const asked = JSON.parse(form.dataset.options);
  asked.challenge = bytes(asked.challenge);
  if (asked.user) asked.user.id = bytes(asked.user.id);
  for (const list of [asked.excludeCredentials, asked.allowCredentials])
    for (const each of list || []) each.id = bytes(each.id);
  return asked;
}

function answer(credential) {
  const given = credential.response;
  const response = { clientDataJSON: text(given.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"])
    if (given[name]) response[name] = text(given[name]);
  return JSON.stringify({
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    clientExtensionResults: {},
    response,
  });
}

const form = document.querySelector("form[data-options]");
if (form && window.PublicKeyCredential) {
  form.hidden = false;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const fault = form.querySelector("[role=alert]");
    fault.textContent = "";
    try {
      const publicKey = question(form);
      const made = form.dataset.makes
        ? await navigator.credentials.create({ publicKey })
        : await navigator.credentials.get({ publicKey });
      form.elements.credential.value = answer(made);
      form.submit();
    } catch {
      fault.textContent = "The browser gave no passkey. Try again, or sign in with your password.";
    }
  });
}
