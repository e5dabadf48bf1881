// The review page: each verdict has a key. Without a script the buttons do the same.
{
  document.addEventListener("keydown", (event) => {
    if (event.repeat) return; // a key that is held down answers one pair, not those after it
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const button = document.querySelector(`.review button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (button && !button.disabled) {
      event.preventDefault();
      button.click();
    }
  });
}
