// What all pages have: the choice of a language is stored for pages that no server chooses (sites of files).
"use strict";
document.addEventListener("click", (event) => {
  const link = event.target.closest("nav.languages a");
  if (link) document.cookie = `lang=${link.hreflang}; path=/; max-age=31536000; samesite=lax`;
});
// Buttons that copy a text; without a clipboard they stay hidden.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent;
    button.setAttribute("aria-live", "polite");
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.done;
      setTimeout(() => (button.textContent = label), 2000);
    });
  }
}
// A reference states the day on which an address was read: that is today.
for (const cited of document.querySelectorAll(".citations dd span")) {
  const today = new Date().toLocaleDateString("ru-RU");
  cited.textContent = cited.textContent.replace(/(дата обращения: )[\d.]*\d/, `$1${today}`);
}
