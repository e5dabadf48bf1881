// Marked publications: remembered in this browser, and listed at an address that names them all. Without this script the
// boxes of one page are sent to the list by a form.
{
  const KEY = "marked";
  const MOST = 200;
  const link = document.querySelector("a[data-list]");

  const read = () => {
    try {
      const ids = JSON.parse(localStorage.getItem(KEY));
      return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
    } catch {
      return [];
    }
  };
  const address = (ids) => `${link.getAttribute("href").split("?")[0]}?${new URLSearchParams(ids.map((id) => ["id", id]))}`;

  const show = () => {
    const ids = read();
    link.parentElement.hidden = ids.length === 0;
    link.querySelector("span").textContent = ids.length;
    link.href = address(ids);
    for (const box of document.querySelectorAll("input[data-mark]")) box.checked = ids.includes(box.value);
  };

  const mark = (id, isMarked) => {
    const others = read().filter((other) => other !== id);
    try {
      localStorage.setItem(KEY, JSON.stringify(isMarked ? [...others, id].slice(-MOST) : others));
    } catch {
      return; // a browser that stores nothing has the form
    }
    show();
  };

  if (link) {
    document.addEventListener("change", (event) => {
      if (event.target.matches("input[data-mark]")) mark(event.target.value, event.target.checked);
    });
    document.addEventListener("click", (event) => {
      const removing = event.target.closest("a[data-unmark]");
      if (removing) mark(removing.dataset.unmark, false);
    });
    document.addEventListener("submit", (event) => {
      const ids = read();
      if (!event.target.matches("form.marked") || ids.length === 0) return;
      event.preventDefault();
      location.assign(address(ids));
    });
    addEventListener("pageshow", show);
    show();
    if (document.querySelector("[data-empty-list]") && read().length) location.replace(address(read()));
  }
}
