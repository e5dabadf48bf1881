// Suggestions while typing, as an ARIA combobox with a list. Without this script the form is simply submitted.
{
  const WAIT = 120;

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const attach = (input, number) => {
    const list = element("div", { role: "listbox", id: `suggestions-${number}`, class: "suggestions", hidden: "" });
    const status = element("span", { class: "hidden", role: "status", "aria-live": "polite" });
    input.after(list, status);
    for (const [key, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
    })) input.setAttribute(key, value);
    list.setAttribute("aria-label", input.labels?.[0]?.textContent ?? input.placeholder);
    let options = [];
    let current = -1;
    let timer = 0;
    let asked = 0;

    const close = () => {
      list.hidden = true;
      current = -1;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };

    const choose = (place) => {
      options.forEach((option, at) => option.setAttribute("aria-selected", String(at === place)));
      current = place;
      if (place < 0) input.removeAttribute("aria-activedescendant");
      else {
        input.setAttribute("aria-activedescendant", options[place].id);
        options[place].scrollIntoView({ block: "nearest" });
      }
    };

    const show = (groups) => {
      options = [];
      list.replaceChildren();
      for (const group of groups) {
        const heading = `suggestions-${number}-${group.kind}`;
        const box = element("div", { role: "group", "aria-labelledby": heading });
        box.append(element("div", { class: "group", id: heading }, group.label));
        for (const item of group.items) {
          const remark = [item.dates, item.count > 1 ? item.count : ""].filter(Boolean).join(" · ");
          const option = element(
            "div",
            { role: "option", id: `suggestions-${number}-${options.length}`, "aria-selected": "false", "data-url": item.url },
            element("span", { dir: "auto" }, item.label.replaceAll(/\s*--\s*/g, "\u00a0— ")),
            element("span", { class: "remark" }, remark),
          );
          option.addEventListener("mousedown", (event) => {
            event.preventDefault();
            location.assign(item.url);
          });
          options.push(option);
          box.append(option);
        }
        list.append(box);
      }
      status.textContent = options.length ? String(options.length) : "";
      list.hidden = options.length === 0;
      input.setAttribute("aria-expanded", String(options.length > 0));
      choose(-1);
    };

    const ask = async () => {
      const text = input.value.trim();
      const mine = ++asked;
      if (text.length < 2) return close();
      try {
        const answer = await fetch(`${input.dataset.suggest}?q=${encodeURIComponent(text)}`);
        if (!answer.ok) return close();
        const found = await answer.json();
        if (mine === asked && document.activeElement === input) show(found.groups);
      } catch {
        close();
      }
    };

    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, WAIT);
    });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        if (list.hidden) return void ask();
        event.preventDefault();
        const step = event.key === "ArrowDown" ? 1 : -1;
        const count = options.length;
        choose(((current + step + 1 + count + 1) % (count + 1)) - 1);
      } else if (event.key === "Enter" && !list.hidden && current >= 0) {
        event.preventDefault();
        location.assign(options[current].dataset.url);
      }
    });
  };

  document.querySelectorAll("input[data-suggest]").forEach(attach);
}

// The way back from a publication to the results, and to those before and after it. The results are remembered in this
// window only, so that the addresses of publications stay the same. Of a work any publication leads back, and the best one
// is before and after others. Without this script the browser leads back.
{
  const KEY = "results";
  const hits = document.querySelector("ol.hits");
  if (hits) {
    const href = (selector) => document.querySelector(selector)?.getAttribute("href") ?? "";
    const remembered = {
      here: location.pathname + location.search,
      pages: [...hits.children].map((hit) =>
        [hit.dataset.page, ...[...hit.querySelectorAll("h2 a, .shelf a")].map((link) => link.getAttribute("href"))]),
      before: href(".pager [rel=prev]"),
      after: href(".pager [rel=next]"),
    };
    try {
      sessionStorage.setItem(KEY, JSON.stringify(remembered));
    } catch {
      // a window that stores nothing has no way back but its own
    }
  }
  const way = document.querySelector("nav.from-results");
  if (way) {
    let found = null;
    try {
      found = JSON.parse(sessionStorage.getItem(KEY));
    } catch {
      found = null;
    }
    const place = found ? found.pages.findIndex((links) => links.includes(way.dataset.page)) : -1;
    if (place >= 0) {
      const addresses = {
        back: found.here,
        previous: found.pages[place - 1]?.[0] ?? found.before,
        next: found.pages[place + 1]?.[0] ?? found.after,
      };
      for (const link of way.querySelectorAll("a")) {
        const address = addresses[link.dataset.to];
        if (address) link.href = address;
        else link.parentElement.hidden = true;
      }
      way.hidden = false;
    }
  }
}
