// On a narrow screen the viewer has no room for its menu and for trying requests: there it is a list
// of operations to open and read.
const viewer = document.querySelector("rapi-doc");
const isWide = matchMedia("(min-width: 60rem)").matches;
viewer.setAttribute("render-style", isWide ? "focused" : "view");
viewer.setAttribute("allow-try", isWide);

// The colours of the frame: without them the viewer is grey in the dark.
const dark = matchMedia("(prefers-color-scheme: dark)");
const colors = { "bg-color": "--page", "text-color": "--text", "primary-color": "--accent" };
function setColors() {
  viewer.setAttribute("theme", dark.matches ? "dark" : "light");
  const style = getComputedStyle(document.documentElement);
  for (const [name, variable] of Object.entries(colors))
    viewer.setAttribute(name, style.getPropertyValue(variable).trim());
}
dark.addEventListener("change", setColors);
setColors();

// Its menu is a landmark in a landmark, and neither has a name.
viewer.addEventListener("spec-loaded", async () => {
  await viewer.updateComplete;
  const parts = { "section-navbar": "Reference", "section-navbar-scroll": "Operations" };
  for (const [part, name] of Object.entries(parts))
    viewer.shadowRoot.querySelector(`nav[part=${part}]`)?.setAttribute("aria-label", name);
});

// The samples name this host in place of the description's example.
const EXAMPLE = "https://finance.example.org";
const description = fetch(viewer.dataset.description).then((response) => response.text());
Promise.all([description, customElements.whenDefined("rapi-doc")]).then(([text]) => {
  viewer.loadSpec(JSON.parse(text.replaceAll(EXAMPLE, location.origin)));
});

const form = document.querySelector("#try");
if (form) {
  const [token, question, target] = ["#token", "#question", "#target"].map((id) => form.querySelector(id));
  const line = document.querySelector("#line"), answer = document.querySelector("#answer");
  const showLine = () => {
    line.textContent = `curl -H "Authorization: Bearer $TOKEN" "${location.origin}${target.value}"`;
  };
  showLine();
  question.addEventListener("change", () => {
    target.value = question.value;
    showLine();
  });
  target.addEventListener("input", showLine);
  // The requests below take the same token.
  token.addEventListener("change", () => viewer.setApiKey("personalToken", token.value));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.hidden = false;
    answer.textContent = "…";
    const url = new URL(target.value, location.origin);
    if (url.origin !== location.origin) {
      answer.textContent = "The request must begin with /v1/api/.";
      return;
    }
    try {
      const headers = { Authorization: `Bearer ${token.value}` };
      const response = await fetch(url, { headers, credentials: "omit" });
      const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
      // Numbers stay as they are written.
      const text = await response.text();
      answer.textContent = `${response.status}\n${isJson ? text.replaceAll("},{", "},\n{") : text}`;
    } catch {
      answer.textContent = "The service cannot be reached. Please try again.";
    }
  });
}
