// What a designer would send back, as far as it can be measured: texts and controls that are cut
// off, lie on each other, or make the page scroll sideways. Gives a list of sentences.
() => {
  const faults = [];
  const root = document.documentElement;
  const width = root.clientWidth;
  if (root.scrollWidth > width) faults.push(`the page is ${root.scrollWidth} wide, not ${width}`);

  const ancestors = function* (element) {
    for (let e = element; e; e = e.parentElement) yield e;
  };
  const isOnlyHeard = (element) =>
    [...ancestors(element)].some((e) => getComputedStyle(e).clipPath === "inset(50%)");
  // A bar at the edge of the window lies on what scrolls below it.
  const isBar = (element) =>
    [...ancestors(element)].some((e) => ["sticky", "fixed"].includes(getComputedStyle(e).position));
  // Code and tables of guides scroll by themselves, and so does a long menu.
  const scrolls = (element) => element.closest(".guide :is(pre, .wide), .menu-wide");
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const named = (element) => {
    const text = (element.value ?? element.textContent ?? "").trim().replace(/\s+/g, " ");
    return `<${element.localName} ${element.id || element.getAttribute("class") || ""}> "${text.slice(0, 40)}"`;
  };

  // Boxes that hide or scroll what does not fit. An e-mail that is too long ends in "…".
  for (const e of document.querySelectorAll("body *")) {
    const style = getComputedStyle(e);
    const hides = style.overflowX !== "visible" || style.overflowY !== "visible";
    if (!hides || style.display === "inline" || style.textOverflow === "ellipsis") continue;
    if (e.localName === "input" || e.localName === "select" || e instanceof SVGElement) continue;
    if (!isSeen(e) || isOnlyHeard(e) || scrolls(e)) continue;
    if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
      faults.push(`${named(e)} does not fit into its box`);
  }

  // An ellipsis that stands for the whole text names nothing.
  for (const e of document.querySelectorAll("a:not(.mark)"))
    if (isSeen(e) && !isOnlyHeard(e) && e.textContent.trim().length > 4 && e.getBoundingClientRect().width < 24)
      faults.push(`${named(e)} has no room`);

  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.data.trim() || !isSeen(element) || isOnlyHeard(element)) continue;
    if (element.closest("option, title, desc, meter, script")) continue;
    // Of a text that ends in "…" only what lies within its box is drawn.
    const shortened = [...ancestors(element)].find((e) => getComputedStyle(e).textOverflow === "ellipsis");
    const drawn = shortened?.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const left = Math.max(line.left, drawn?.left ?? line.left), right = Math.min(line.right, drawn?.right ?? line.right);
      const rect = new DOMRect(left, line.top, right - left, line.height);
      if (right - left > 0.5 && line.bottom <= (drawn?.bottom ?? Infinity) + 1) boxes.push({ element, rect, node });
    }
    // Commands and tokens may be broken anywhere, as in a terminal; words that fit a line may not.
    if (element.closest("code, .who-email")) continue;
    for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N},.]+/gu)) {
      // A long run without a blank, or an amount of nine digits, may be longer than a column.
      const run = node.data.slice(0, index).match(/\S*$/)[0] + node.data.slice(index).match(/^\S+/)[0];
      if (run.length > 18 || /^[\d,.]{12,}$/.test(word)) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top)));
      if (lines.size > 1) faults.push(`"${word}" is broken in ${named(element)}`);
    }
  }
  for (const element of document.querySelectorAll("a, button, input, select, summary, meter"))
    if (isSeen(element) && !isOnlyHeard(element))
      for (const rect of element.getClientRects()) boxes.push({ element, rect, node: element });

  for (const { element, rect } of boxes) {
    if (getComputedStyle(element).textOverflow === "ellipsis" || scrolls(element)) continue;
    if (rect.left < -0.5 || rect.right > width + 0.5) faults.push(`${named(element)} leaves the page`);
    const frame = element.closest(".button, .badge, .panel, .card");
    const edge = frame?.getBoundingClientRect();
    if (edge && (rect.left < edge.left - 0.5 || rect.right > edge.right + 0.5 || rect.bottom > edge.bottom + 1))
      faults.push(`${named(element)} leaves its frame ${named(frame)}`);
  }

  // The lines of one text may touch, and what is inside a control lies on it.
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length; j++) {
      const [a, b] = [boxes[i], boxes[j]];
      const x = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const y = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      // First what is quickly seen of thousands of pairs.
      if (x <= 1 || y <= 4) continue;
      if (a.node === b.node || a.element.contains(b.element) || b.element.contains(a.element)) continue;
      if (isBar(a.element) === isBar(b.element)) faults.push(`${named(a.element)} lies on ${named(b.element)}`);
    }
  return [...new Set(faults)];
}
