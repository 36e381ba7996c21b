// Opens the payment page over a shop's own page, in a frame, and tells the shop how it ended. Served by the gateway.
//
// The shop's page has the payment form that its server made, and:
//   <script src="https://PAY.EXAMPLE/pay/v4/hundi.js" defer></script>
//   Hundi.pay(document.querySelector("#pay"), { onResult: (result) => …, onClose: () => … });
//
// A result is news and no proof: the shop's server verifies. Where a frame cannot work, the form is sent as without this.
"use strict";
window.Hundi = (() => {
  const HOME = new URL(document.currentScript.src).origin;
  const OPENS_MS_MAX = 10000;
  const NAME = "hundi-payment";
  // On phones UPI apps are opened by links, which browsers follow from a whole page only.
  const isPhone = () => matchMedia("(max-width: 759px), (pointer: coarse)").matches;

  const styled = (made, style) => {
    // One by one: a shop's content policy may forbid style attributes, and allows this.
    for (const [name, value] of Object.entries(style)) made.style[name] = value;
    return made;
  };

  const dialogOf = () => {
    const dialog = styled(document.createElement("dialog"), {
      inlineSize: "min(980px, 96vw)",
      blockSize: "min(820px, 96vh)",
      maxInlineSize: "none",
      maxBlockSize: "none",
      padding: "0",
      border: "0",
      borderRadius: "12px",
      overflow: "hidden",
      background: "Canvas",
    });
    dialog.setAttribute("aria-label", "Payment");
    const close = styled(document.createElement("button"), {
      position: "absolute",
      insetBlockStart: "4px",
      insetInlineEnd: "4px",
      inlineSize: "48px",
      blockSize: "48px",
      border: "1px solid GrayText",
      borderRadius: "10px",
      background: "Canvas",
      color: "CanvasText",
      font: "28px system-ui",
      cursor: "pointer",
    });
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", "Close the payment");
    close.addEventListener("click", () => dialog.close());
    const frame = styled(document.createElement("iframe"), { inlineSize: "100%", blockSize: "100%", border: "0" });
    frame.name = NAME;
    frame.title = "Payment page";
    dialog.append(frame, close);
    return { dialog, frame };
  };

  // Sends the signed return to the shop's own address, as the payment page does when it has the whole window.
  const comeBack = (back) => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = back.action;
    for (const [name, value] of back.fields) {
      const input = document.createElement("input");
      input.type = "hidden";
      input.name = name;
      input.value = value;
      form.append(input);
    }
    document.body.append(form);
    form.submit();
  };

  const pay = (form, { onResult, onClose } = {}) => {
    if (isPhone() || typeof HTMLDialogElement === "undefined") {
      form.removeAttribute("target");
      HTMLFormElement.prototype.submit.call(form);
      return;
    }
    const { dialog, frame } = dialogOf();
    let result;
    const whole = setTimeout(() => {
      // Nobody answered from the frame: this shop is not registered for frames, or something holds them back.
      stop();
      form.removeAttribute("target");
      HTMLFormElement.prototype.submit.call(form);
    }, OPENS_MS_MAX);
    const heard = (event) => {
      if (event.origin !== HOME || event.source !== frame.contentWindow || typeof event.data !== "object") return;
      if (event.data.type === "hundi.open") clearTimeout(whole);
      if (event.data.type === "hundi.close") dialog.close();
      if (event.data.type === "hundi.result") {
        clearTimeout(whole);
        result = event.data;
        if (onResult) onResult(result);
      }
      if (event.data.type === "hundi.back") {
        stop();
        comeBack(event.data.form);
      }
    };
    const stop = () => {
      clearTimeout(whole);
      removeEventListener("message", heard);
      dialog.remove();
    };
    dialog.addEventListener("close", () => {
      stop();
      if (onClose) onClose(result);
    });
    addEventListener("message", heard);
    document.body.append(dialog);
    dialog.showModal();
    form.target = NAME;
    HTMLFormElement.prototype.submit.call(form);
  };

  return { pay };
})();
