// Shows the page of a file beside its form as it is being typed: the page itself, so what is seen is what is published.
// Nothing is saved for it.

const STYLE = `html, body, body > div { height: 100%; margin: 0; }
.page { display: flex; flex-direction: column; height: 100vh; font: 14px/1.4 system-ui, sans-serif; }
.page p { margin: 0; padding: .5rem 1rem; background: #0e1412; color: #f3f5f5; }
.page p[data-refused] { background: #7a1f16; }
.page iframe { flex: 1; width: 100%; border: 0; }`;

/** Milliseconds without a key after which the page is asked for. */
const PAUSE = 120;
/** The name of a file that is not there yet. */
const NEW = "new-draft";

/**
 * Puts a page in the place of the one that a frame shows, without loading it again: it stays where it was scrolled to.
 * @param {HTMLIFrameElement} frame
 * @param {string} html
 */
function put(frame, html) {
  const shown = frame.contentDocument;
  const view = frame.contentWindow;
  if (!shown?.body || !view) return;
  const next = new DOMParser().parseFromString(html, "text/html");
  for (const { name, value } of next.documentElement.attributes) shown.documentElement.setAttribute(name, value);
  const known = new Set([...shown.querySelectorAll("link[rel=stylesheet]")].map((sheet) => sheet.getAttribute("href")));
  for (const sheet of next.querySelectorAll("link[rel=stylesheet]")) {
    if (!known.has(sheet.getAttribute("href"))) shown.head.append(shown.importNode(sheet, true));
  }
  const { scrollX, scrollY } = view;
  shown.title = next.title;
  shown.body.replaceWith(shown.importNode(next.body, true));
  view.scrollTo(scrollX, scrollY);
}

/**
 * @param {import("./decap").Cms} CMS
 * @param {import("./decap").Config} config
 * @param {import("./decap").Sitegen} sitegen
 * @param {import("./words.js").Words} words
 * @param {Map<string, import("./decap").Format>} formats By name.
 */
export function registerPreview(CMS, { collections }, sitegen, words, formats) {
  const { h } = window;
  /** @type {import("./decap").CreateClass<{ entry: import("./decap").Entry }>} */
  const createClass = window.createClass;
  let addresses = sitegen.addresses;

  /** Asks where the pages are now, after a file was added. */
  async function ask() {
    const answer = await fetch("addresses.json").catch(() => null);
    if (answer?.ok) addresses = await answer.json();
  }

  /**
   * The page beside the forms of a collection.
   * @param {import("./decap").Collection} collection
   */
  const pageOf = ({ folder, extension, path: pattern = "{{slug}}", format }) =>
    createClass({
      /** @type {ReturnType<typeof setInterval> | undefined} */
      timer: undefined,
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      pause: undefined,
      /** The values that the form began with, and those that were asked for last. */
      first: "",
      asked: "",
      /** @type {AbortController | undefined} */
      request: undefined,
      /** The page that is being typed, its address, and why there is none. */
      html: "",
      address: "",
      refused: "",
      /** @type {HTMLIFrameElement | null} */
      frame: null,
      componentDidMount() {
        this.first = this.raw();
        this.asked = this.first;
        // A page that was just saved is there when it has been built.
        this.timer = setInterval(() => this.look(), 2000);
        if (this.props.entry.get("newRecord")) this.typed();
      },
      componentDidUpdate() {
        if (this.raw() !== this.asked) this.typed();
      },
      componentWillUnmount() {
        clearInterval(this.timer);
        clearTimeout(this.pause);
        this.request?.abort();
      },
      async look() {
        if (addresses[this.path()]) return;
        await ask();
        if (addresses[this.path()]) this.forceUpdate();
      },
      /** The values as they are sent to save them. */
      raw() {
        const values = this.props.entry.get("data")?.toJS() ?? {};
        return formats.get(format)?.toFile(values) ?? "";
      },
      /** The file; for a new one, a file that could be it. */
      path() {
        const known = this.props.entry.get("path");
        return known || (folder ? `${folder}/${pattern.replace("{{slug}}", NEW)}.${extension}` : "");
      },
      typed() {
        clearTimeout(this.pause);
        this.pause = setTimeout(() => this.draft(), PAUSE);
      },
      async draft() {
        const raw = this.raw();
        this.asked = raw;
        this.request?.abort();
        const request = new AbortController();
        this.request = request;
        const body = JSON.stringify({ path: this.path(), raw });
        const headers = { "Content-Type": "application/json" };
        try {
          const answer = await fetch("draft", { method: "POST", headers, body, signal: request.signal });
          const { address, html, error } = await answer.json();
          // The form is that of the file, so its name tells nothing.
          this.refused = (error ?? "").replace(`${this.path()}: `, "");
          if (html) [this.html, this.address] = [html, address];
        } catch {
          // A later key has asked again, or the server was stopped.
          return;
        }
        this.show();
        this.forceUpdate();
      },
      /** The address of the frame; a page that is not built yet is put in the place of the home page. */
      home() {
        const known = addresses[this.path()];
        return known || this.address ? sitegen.base_path + (known ?? "/") : undefined;
      },
      show() {
        const { frame } = this;
        if (this.html && frame && frame.contentWindow?.location.pathname === this.home()) put(frame, this.html);
      },
      render() {
        const src = this.home();
        const isNew = this.props.entry.get("newRecord");
        const shown =
          this.html && this.asked !== this.first ? words.typed : src ? words.saved : isNew ? words.newPage : words.noPage;
        const keep = (/** @type {HTMLIFrameElement | null} */ frame) => {
          this.frame = frame;
        };
        const title = this.address || src;
        const frame = src && h("iframe", { key: src, src, title, ref: keep, onLoad: () => this.show() });
        const note = h("p", { role: "status", "data-refused": this.refused ? "" : undefined }, this.refused || shown);
        return h("div", { className: "page" }, note, frame);
      },
    });

  CMS.registerPreviewStyle(STYLE, { raw: true });
  for (const collection of collections) {
    const names = collection.files?.map((file) => file.name) ?? [collection.name];
    for (const name of names) CMS.registerPreviewTemplate(name, pageOf(collection));
  }
}
