// On a narrow screen the viewer has no place for its menu and for what it tries requests with:
// there it is a list of operations to open and read.
const viewer = document.querySelector("rapi-doc");
const isWide = matchMedia("(min-width: 60rem)").matches;
viewer.setAttribute("render-style", isWide ? "focused" : "view");
viewer.setAttribute("allow-try", isWide);
