// What all pages have: the choice of a language is stored for pages that no server chooses (sites of files).
"use strict";
document.addEventListener("click", (event) => {
  const link = event.target.closest("nav.languages a");
  if (link) document.cookie = `lang=${link.hreflang}; path=/; max-age=31536000; samesite=lax`;
});
