// Shows the page of a file beside its form, as it was saved: the page itself, so what is seen is what is published.

const STYLE = `html, body, body > div { height: 100%; margin: 0; }
.page { display: flex; flex-direction: column; height: 100vh; font: 14px/1.4 system-ui, sans-serif; }
.page p { margin: 0; padding: .5rem 1rem; background: #0e1412; color: #f3f5f5; }
.page iframe { flex: 1; width: 100%; border: 0; }`;

/**
 * @param {import("./decap").Cms} CMS
 * @param {import("./decap").Config} config
 * @param {import("./decap").Sitegen} sitegen
 * @param {import("./words.js").Words} words
 */
export function registerPreview(CMS, { collections }, sitegen, words) {
  const { h } = window;
  /** @type {import("./decap").CreateClass<{ entry: import("./decap").Entry }>} */
  const createClass = window.createClass;
  let addresses = sitegen.addresses;

  /** Asks where the pages are now, after a file was added. */
  async function ask() {
    const answer = await fetch("addresses.json").catch(() => null);
    if (answer?.ok) addresses = await answer.json();
  }

  const Page = createClass({
    /** @type {ReturnType<typeof setInterval> | undefined} */
    timer: undefined,
    componentDidMount() {
      // A page that was just saved is there when it has been built.
      this.timer = setInterval(() => this.look(), 2000);
    },
    componentWillUnmount() {
      clearInterval(this.timer);
    },
    async look() {
      if (addresses[this.path()]) return;
      await ask();
      if (addresses[this.path()]) this.forceUpdate();
    },
    path() {
      return this.props.entry.get("path");
    },
    render() {
      const address = addresses[this.path()];
      const isNew = this.props.entry.get("newRecord");
      const note = address ? words.saved : isNew ? words.newPage : words.noPage;
      const frame = address && h("iframe", { src: sitegen.base_path + address, title: address });
      return h("div", { className: "page" }, h("p", {}, note), frame);
    },
  });

  CMS.registerPreviewStyle(STYLE, { raw: true });
  for (const collection of collections) {
    const names = collection.files?.map((file) => file.name) ?? [collection.name];
    for (const name of names) CMS.registerPreviewTemplate(name, Page);
  }
}
