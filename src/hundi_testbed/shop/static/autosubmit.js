// Passes the customer on to the payment page; without JavaScript the button does.
// A page that comes back from the browser's history stays, so that "back" is not a trap.
window.addEventListener("pageshow", (event) => {
  const [visit] = performance.getEntriesByType("navigation");
  if (!event.persisted && visit?.type !== "back_forward") {
    document.getElementById("payment").submit();
  }
});
