"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, words, settings = {}) => Object.assign(document.createElement(name), { textContent: words }, settings);
  for (const part of all(".needs-script")) part.hidden = false;

  // One tip for everything that has words of its own.
  const tip = $("tip");
  let walked = null; // the mark that a walk with the keys stands on
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
  addEventListener("scroll", () => { if (walked) showTip(walked); else hideTip(); }, { passive: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") { walked = null; hideTip(); } });

  // A chart is one stop of the Tab key; the arrow keys walk its marks from left to right.
  for (const chart of all("[data-walk]")) {
    let at = -1;
    const marks = () => all(chart.dataset.walk, chart)
      .map((mark) => [mark, mark.getBoundingClientRect()])
      .sort(([, a], [, b]) => a.left - b.left || a.top - b.top).map(([mark]) => mark);
    const leave = () => { for (const mark of all(".here", chart)) mark.classList.remove("here"); walked = null; };
    const show = (found) => { leave(); walked = found[at]; walked.classList.add("here"); showTip(walked); };
    chart.addEventListener("focus", () => {
      if (!chart.matches(":focus-visible")) return;
      const found = marks();
      if (found.length) { at = 0; show(found); }
    });
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const found = marks();
      if (step && found.length) {
        event.preventDefault();
        at = (Math.max(at, step > 0 ? -1 : 0) + step + found.length) % found.length;
        show(found);
      } else if (event.key === "Enter" && found[at] && found[at].dataset.label) {
        choose(Number(found[at].dataset.label));
      }
    });
    chart.addEventListener("blur", () => { leave(); hideTip(); at = -1; });
  }

  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "string" ? a.localeCompare(b) : a - b;
  };
  const number = (value) => (value === null ? "–" : Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))));
  const signed = (value) => (value === null ? "" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3));

  // A table of many rows: only those in sight are there. One stop of the Tab key, arrow keys inside.
  const ROOM = 12;
  const longTable = (id, { keys, texts, row, enter, search, found, sortBy, down }) => {
    const table = $(id), body = table.tBodies[0], frame = table.closest(".scroll");
    const heads = all("thead button", table);
    let order = texts.map((_, place) => place), size = 0, at = -1, column = sortBy, falling = down;
    let wholly = false;
    const space = (count) => {
      const line = make("tr", "", { className: "space", hidden: !count });
      line.append(make("td", "", { colSpan: heads.length }));
      line.firstChild.style.height = count * size + "px";
      return line;
    };
    const draw = () => {
      const every = wholly || order.length <= 4 * ROOM || !size;
      const first = every ? 0 : Math.max(0, Math.min(Math.floor(frame.scrollTop / size), order.length) - ROOM);
      const seen = every ? (size ? order.length : Math.min(order.length, 4 * ROOM)) : Math.ceil(frame.clientHeight / size) + 2 * ROOM;
      const last = Math.min(order.length, first + seen);
      const lines = order.slice(first, last).map((place, offset) => {
        const line = row(place);
        line.classList.toggle("here", first + offset === at);
        return line;
      });
      body.replaceChildren(space(first), ...lines, space(order.length - last));
    };
    const measure = () => {
      const line = body.querySelector("tr:not(.space)");
      size = line ? line.getBoundingClientRect().height : 0;
    };
    const arrange = () => {
      const wanted = $(search) ? $(search).value.trim().toLowerCase() : "";
      order = texts.map((_, place) => place).filter((place) => texts[place].toLowerCase().includes(wanted));
      const values = keys[column];
      order.sort((a, b) => (values[a] === null || values[b] === null ? compare(values[a], values[b]) : (falling ? -1 : 1) * compare(values[a], values[b])));
      $(found).textContent = wanted ? `${order.length} of ${texts.length}` : "";
      at = -1;
      frame.scrollTop = 0;
      draw();
    };
    const sort = (next) => {
      falling = column === next ? !falling : false;
      column = next;
      heads.forEach((button, place) => {
        const head = button.closest("th");
        if (place === column) head.setAttribute("aria-sort", falling ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
      });
      arrange();
    };
    heads.forEach((button, place) => button.addEventListener("click", () => sort(place)));
    if ($(search)) $(search).addEventListener("input", arrange);
    frame.addEventListener("scroll", draw, { passive: true });
    frame.addEventListener("keydown", (event) => {
      if (event.target !== frame) return;
      const page = Math.max(1, Math.floor(frame.clientHeight / (size || 1)) - 2);
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
      if (step !== undefined && order.length) {
        event.preventDefault();
        at = Math.min(order.length - 1, Math.max(0, at < 0 ? 0 : at + step));
        const head = table.tHead.getBoundingClientRect().height;
        if (at * size < frame.scrollTop) frame.scrollTop = at * size;
        if ((at + 1) * size + head > frame.scrollTop + frame.clientHeight) frame.scrollTop = (at + 1) * size + head - frame.clientHeight;
        draw();
      } else if (event.key === "Enter" && at >= 0 && enter) {
        enter(order[at]);
      } else if (event.key === "s") {
        sort((column + 1) % heads.length);
      }
    });
    frame.addEventListener("blur", () => { at = -1; for (const line of all("tr.here", table)) line.classList.remove("here"); });
    addEventListener("beforeprint", () => { wholly = true; draw(); });
    addEventListener("afterprint", () => { wholly = false; draw(); });
    matchMedia("print").addEventListener("change", (event) => { wholly = event.matches; draw(); });
    draw();
    measure();
    draw();
    return { draw, arrange, rows: () => order };
  };

  // The table of labels.
  const labels = data.labels, names = labels.label;
  const SVG = "http://www.w3.org/2000/svg", types = ["safe", "borderline", "rare", "outlier"];
  let chosenLabel = data.chosen;
  const bar = (place) => {
    if (labels.safe[place] === null) return make("span", "one class only", { className: "quiet" });
    const drawn = document.createElementNS(SVG, "svg");
    const words = types.map((kind) => `${kind} ${Math.round(100 * labels[kind][place])} %`).join(", ");
    for (const [key, value] of Object.entries({ viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", class: "bar", "aria-label": words, "data-tip": words })) drawn.setAttribute(key, value);
    let start = 0;
    types.forEach((kind, n) => {
      const width = 100 * labels[kind][place];
      if (width) {
        const part = document.createElementNS(SVG, "rect");
        for (const [key, value] of Object.entries({ class: "t" + n, x: start, y: 0, width: Math.max(width - 0.6, 0.4), height: 10 })) part.setAttribute(key, value);
        drawn.append(part);
      }
      start += width;
    });
    return drawn;
  };
  const cell = (words, numeric = true) => make("td", words, { className: numeric ? "number" : "" });
  const labelRow = (place) => {
    const line = make("tr", ""), head = make("th", "", { scope: "row" }), drawn = cell("", false);
    line.dataset.label = labels.index[place];
    line.classList.toggle("chosen", labels.index[place] === chosenLabel);
    head.append(make("button", names[place], { type: "button", tabIndex: -1, className: "pick", dir: "auto", title: "Show on the map" }));
    drawn.append(bar(place));
    line.append(head, cell(number(labels.count[place])), cell(number(labels.local_imbalance[place])), drawn, cell(number(labels.irlbl[place])), cell(number(labels.imr[place])));
    return line;
  };
  // A section that is folded opens when one goes there.
  const unfold = (id) => { const folded = $(id)?.querySelector("details.whole"); if (folded) folded.open = true; };
  const goTo = (id) => { unfold(id); $(id).scrollIntoView(); };
  const labelTable = longTable("label-table", {
    keys: data.columns.map((key) => labels[key]), texts: names, row: labelRow, search: "search", found: "found", sortBy: 1, down: false,
    enter: (place) => { choose(labels.index[place]); goTo("samples-map"); $("choose-label").focus({ preventScroll: true }); },
  });

  // The map: a label colors the samples, a sampler lies on top.
  const points = all("#samples > use"), overlays = all(".overlay");
  const select = $("choose-label"), samplers = $("choose-sampler"), words = $("map-words");
  const color = (label) => {
    for (const point of points) { point.setAttribute("href", "#mark4"); point.setAttribute("class", "t4"); }
    const front = document.createDocumentFragment();
    data.types[label].forEach((places, kind) => {
      for (const place of places) {
        points[place].setAttribute("href", "#mark" + kind);
        points[place].setAttribute("class", "t" + kind);
        front.append(points[place]);
      }
    });
    $("samples").append(front);
  };
  const describeMap = (label) => {
    const counts = data.types[label].map((places, kind) => `${places.length} ${types[kind]}`).join(", ");
    const overlay = data.overlays.find((one) => one.sampler === samplers.value);
    const did = [];
    if (overlay && overlay.n_added) did.push(`adds ${overlay.n_added} samples (+), ${overlay.minority[label].length} of those shown of this label’s rarer class (bold)`);
    if (overlay && overlay.n_repeated) did.push(`repeats ${overlay.n_repeated} samples (○)`);
    if (overlay && overlay.n_removed) did.push(`removes ${overlay.n_removed} samples (×)`);
    const what = overlay ? ` ${overlay.title} ${did.join(", ") || "changes nothing here"}.` : "";
    words.textContent = `Of this label’s rarer class: ${counts}.${what}`;
  };
  const showExamples = (label) => {
    const list = $("examples"), of = data.examples[label];
    list.replaceChildren(...types.flatMap((kind, n) => [make("dt", kind), make("dd", of[n].length ? of[n].join(", ") + (of[n].length === data.most_examples ? ", …" : "") : "none")]));
  };
  const draw = () => {
    const label = chosenLabel = Number(select.value);
    color(label);
    for (const group of overlays) {
      group.toggleAttribute("hidden", group.dataset.sampler !== samplers.value);
      const overlay = data.overlays.find((one) => one.sampler === group.dataset.sampler);
      const carriers = new Set(overlay.minority[label]);
      all(".added", group).forEach((mark, place) => mark.classList.toggle("carrier", carriers.has(place)));
    }
    for (const mark of all("[data-label]")) mark.classList.toggle("chosen", Number(mark.dataset.label) === label);
    describeMap(label);
    showExamples(label);
    showPartners(label);
  };
  const choose = (label) => {
    if (![...select.options].some((option) => Number(option.value) === label)) return;
    select.value = label;
    draw();
  };

  // Whom a label comes with.
  const partners = $("choose-partner");
  const showPartners = (label) => {
    partners.value = label;
    const place = labels.index.indexOf(label), body = $("partner-table").tBodies[0];
    body.replaceChildren(...data.partners[label].map(([other, count]) => {
      const line = make("tr", "");
      line.append(make("th", data.names[other], { scope: "row", dir: "auto" }), cell(number(count)), cell(Math.round((100 * count) / labels.count[place]) + " %"));
      return line;
    }));
  };
  partners.append(...[...select.options].map((option) => option.cloneNode(true)));
  const finder = (input, list, change) => $(input).addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    const option = wanted && [...list.options].find((one) => one.textContent.toLowerCase().includes(wanted));
    if (option) { list.value = option.value; change(); }
  });
  finder("find-label", select, draw);
  finder("find-partner", partners, () => showPartners(Number(partners.value)));
  partners.addEventListener("change", () => showPartners(Number(partners.value)));
  select.addEventListener("change", draw);
  samplers.addEventListener("change", draw);
  document.addEventListener("click", (event) => {
    const mark = event.target.closest("circle[data-label]");
    const pick = event.target.closest(".pick"), link = event.target.closest("a[href^='#']");
    if (link) unfold(link.hash.slice(1));
    if (mark) choose(Number(mark.dataset.label));
    if (pick) { choose(Number(pick.closest("tr").dataset.label)); goTo("samples-map"); }
  });
  draw();

  // Gains: one method at a time, on two charts and in a table.
  const methods = $("choose-method"), tables = { "label-table": labelTable };
  if (methods) {
    const of = () => data.gains[methods.value];
    const gainRow = (place) => {
      const found = of(), line = make("tr", "");
      const interval = found.low[place] === null ? "" : `${signed(found.low[place])} to ${signed(found.high[place])}`;
      line.append(make("th", data.names[place], { scope: "row", dir: "auto" }), cell(number(data.positives[place])), cell(signed(found.gain[place])), cell(interval), cell(data.verdicts[found.verdict[place]], false));
      return line;
    };
    const keys = () => [data.names, data.positives, of().gain, of().low, of().verdict];
    const live = new Proxy([], { get: (_, key) => keys()[key] });
    tables["gains-table"] = longTable("gains-table", { keys: live, texts: data.names, row: gainRow, search: "search-gains", found: "found-gains", sortBy: 2, down: true });
    const show = () => {
      for (const group of all(".gains")) group.toggleAttribute("hidden", group.dataset.method !== methods.value);
      tables["gains-table"].arrange();
    };
    methods.addEventListener("change", show);
    show();
  }

  // Tables to copy and download, whole, also where only some rows are drawn.
  const linesOf = (id) => {
    const table = $(id), text = (one) => one.textContent.trim().replace(/\s+/g, " ");
    const heads = table.tHead ? [...table.tHead.rows[0].cells].map(text) : null;
    if (id === "label-table") {
      const rows = labelTable.rows().map((place) => ["label", "count", "local_imbalance", ...types, "irlbl", "imr"].map((key) => labels[key][place]));
      return [["label", "samples", "local imbalance", ...types, "IRLbl", "ImR"], ...rows];
    }
    if (id === "gains-table") {
      const found = data.gains[methods.value];
      return [["label", "samples", "gain", "low", "high", "verdict"], ...tables[id].rows().map((place) => [data.names[place], data.positives[place], found.gain[place], found.low[place], found.high[place], data.verdicts[found.verdict[place]]])];
    }
    const rows = [...table.tBodies[0].rows].map((line) => [...line.cells].map(text));
    return heads ? [heads, ...rows] : rows;
  };
  const quoted = (value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  // A spreadsheet takes what begins so for a formula.
  const safe = (value) => (typeof value === "string" && /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? "'" + value : String(value ?? ""));
  const csv = (id) => linesOf(id).map((line) => line.map((value) => quoted(safe(value))).join(",")).join("\n") + "\n";
  const tabbed = (id) => linesOf(id).map((line) => line.map((value) => String(value ?? "").replace(/[\t\n\r]/g, " ")).join("\t")).join("\n") + "\n";
  const say = (button, what) => { button.parentElement.querySelector("[role=status]").textContent = what; };
  for (const button of all("[data-copy]")) button.addEventListener("click", () => {
    const text = tabbed(button.dataset.copy);
    const old = () => {
      const area = make("textarea", text);
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      button.focus();
      say(button, done ? "copied" : "the browser does not allow it");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say(button, "copied"), old); else old();
  });
  for (const button of all("[data-save]")) button.addEventListener("click", () => {
    const link = make("a", "", { href: URL.createObjectURL(new Blob([csv(button.dataset.save)], { type: "text/csv" })), download: button.dataset.name + ".csv" });
    link.click();
    URL.revokeObjectURL(link.href);
    say(button, "saved");
  });
})();
