"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // One tip for everything that has words of its own.
  const tip = $("tip");
  const showTip = (target) => {
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    const box = target.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(box.left + box.width / 2 - own.width / 2, 6), innerWidth - own.width - 6);
    const above = box.top - own.height - 8;
    tip.style.left = left + "px";
    tip.style.top = (above > 4 ? above : box.bottom + 8) + "px";
  };
  const hideTip = () => { tip.hidden = true; };
  document.addEventListener("pointerover", (event) => {
    const target = event.target.closest("[data-tip]");
    if (target) showTip(target); else hideTip();
  });
  addEventListener("scroll", hideTip, { passive: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

  // A chart is one stop of the Tab key; the arrow keys walk its marks from left to right.
  for (const chart of all("[data-walk]")) {
    let at = -1;
    const marks = () => all(chart.dataset.walk, chart)
      .map((mark) => [mark, mark.getBoundingClientRect()])
      .sort(([, a], [, b]) => a.left - b.left || a.top - b.top).map(([mark]) => mark);
    const leave = () => { for (const mark of all(".here", chart)) mark.classList.remove("here"); };
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const found = marks();
      if (step && found.length) {
        event.preventDefault();
        leave();
        at = (Math.max(at, step > 0 ? -1 : 0) + step + found.length) % found.length;
        found[at].classList.add("here");
        showTip(found[at]);
      } else if (event.key === "Enter" && found[at] && found[at].dataset.label) {
        choose(Number(found[at].dataset.label));
      }
    });
    chart.addEventListener("blur", () => { leave(); hideTip(); at = -1; });
  }

  // The table of labels: sort by a column, search by name.
  const table = $("label-table"), body = table.tBodies[0], rows = [...body.rows];
  const heads = all("thead button", table);
  const valueOf = (row, column) => JSON.parse(row.dataset.values)[column];
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "string" ? a.localeCompare(b) : a - b;
  };
  heads.forEach((button, column) => button.addEventListener("click", () => {
    const head = button.closest("th");
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.closest("th").removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => [valueOf(row, column), row]);
    keyed.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : (down ? -1 : 1) * compare(a, b)));
    body.append(...keyed.map(([, row]) => row));
  }));
  $("search").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    $("found").textContent = wanted ? `${shown} of ${rows.length}` : "";
  });

  // The map: a label colours the samples, a sampler lies on top.
  const points = all("#rows > use"), overlays = all(".overlay");
  const select = $("choose-label"), samplers = $("choose-sampler"), words = $("map-words");
  const kinds = ["safe", "borderline", "rare", "outlier"];
  const colour = (label) => {
    for (const point of points) { point.setAttribute("href", "#mark4"); point.setAttribute("class", "t4"); }
    const front = document.createDocumentFragment();
    data.types[label].forEach((places, kind) => {
      for (const place of places) {
        points[place].setAttribute("href", "#mark" + kind);
        points[place].setAttribute("class", "t" + kind);
        front.append(points[place]);
      }
    });
    $("rows").append(front);
  };
  const describeMap = (label) => {
    const counts = data.types[label].map((places, kind) => `${places.length} ${kinds[kind]}`).join(", ");
    const overlay = data.overlays.find((one) => one.sampler === samplers.value);
    const did = [];
    if (overlay && overlay.n_added) did.push(`adds ${overlay.n_added} samples (+), ${overlay.minority[label].length} of those shown of this label’s rarer class (bold)`);
    if (overlay && overlay.n_repeated) did.push(`repeats ${overlay.n_repeated} samples (○)`);
    if (overlay && overlay.n_removed) did.push(`removes ${overlay.n_removed} samples (×)`);
    const what = overlay ? ` ${overlay.title} ${did.join(", ") || "changes nothing here"}.` : "";
    words.textContent = `Of this label’s rarer class: ${counts}.${what}`;
  };
  const draw = () => {
    const label = Number(select.value);
    colour(label);
    for (const group of overlays) {
      group.toggleAttribute("hidden", group.dataset.sampler !== samplers.value);
      const overlay = data.overlays.find((one) => one.sampler === group.dataset.sampler);
      const carriers = new Set(overlay.minority[label]);
      all(".added", group).forEach((mark, place) => mark.classList.toggle("carrier", carriers.has(place)));
    }
    for (const mark of all("[data-label]")) mark.classList.toggle("chosen", Number(mark.dataset.label) === label);
    describeMap(label);
  };
  const choose = (label) => {
    if (![...select.options].some((option) => Number(option.value) === label)) return;
    select.value = label;
    draw();
  };
  select.addEventListener("change", draw);
  samplers.addEventListener("change", draw);
  document.addEventListener("click", (event) => {
    const mark = event.target.closest("circle[data-label]");
    const pick = event.target.closest(".pick");
    if (mark) choose(Number(mark.dataset.label));
    if (pick) { choose(Number(pick.closest("tr").dataset.label)); $("rows-map").scrollIntoView(); }
  });
  draw();

  // Gains: one method at a time.
  const methods = $("choose-method");
  if (methods) {
    const show = () => {
      for (const group of all(".gains")) group.toggleAttribute("hidden", group.dataset.method !== methods.value);
    };
    methods.addEventListener("change", show);
    show();
  }
})();
