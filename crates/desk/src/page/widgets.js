// The fields of forms that Decap CMS lacks: a text that completes what the site has, a picture with the point that crops
// keep, and such a point alone.

/** @typedef {import("./decap").Child} Child */
/** @typedef {import("./decap").Picture} PictureValue */
/** @typedef {{ target: { value: string, checked: boolean } }} Change */

/**
 * Values are plain, or those of the library that Decap keeps its entries in.
 * @template Value
 * @param {Value | { toJS(): Value } | undefined} value
 * @returns {Value | undefined}
 */
const plain = (value) => /** @type {any} */ (value)?.toJS?.() ?? value;

/** Where arrow keys move a point, as a share of the picture. */
const STEP = 0.02;
/** @type {Record<string, [number, number]>} */
const MOVES = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** @param {number} value */
const share = (value) => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;

/**
 * @param {import("./decap").Cms} CMS
 * @param {import("./decap").Config} config
 * @param {import("./decap").Sitegen} sitegen
 * @param {import("./words.js").Words} words
 */
export function registerWidgets(CMS, { public_folder: uploads }, { lists, preview, base_path: basePath }, words) {
  const { h } = window;
  /** @type {import("./decap").CreateClass<import("./decap").WidgetProps<string | boolean>>} */
  const createText = window.createClass;
  /** @type {import("./decap").CreateClass<import("./decap").WidgetProps<number[]>>} */
  const createPoint = window.createClass;
  /** @type {import("./decap").CreateClass<import("./decap").WidgetProps<PictureValue>>} */
  const createPicture = window.createClass;

  /**
   * An input that completes the entries of a list, of which any other text is accepted.
   * @param {string} id
   * @param {string} list
   * @param {unknown} value
   * @param {(text: string) => void} onChange
   * @param {string} [className]
   * @param {{ type?: string, placeholder?: string }} [input]
   */
  const suggested = (id, list, value, onChange, className, { type = "text", placeholder } = {}) => [
    h("input", {
      key: "input",
      id,
      className,
      type,
      placeholder,
      list: `${id}-list`,
      autoComplete: "off",
      value: value === undefined || value === null ? "" : String(value),
      onChange: (/** @type {Change} */ event) => onChange(event.target.value),
    }),
    h(
      "datalist",
      { key: "list", id: `${id}-list` },
      (lists[list] ?? []).map((option) => h("option", { key: option, value: option })),
    ),
  ];

  const Suggest = createText({
    /** @param {string} text */
    change(text) {
      const { field, onChange } = this.props;
      const isSwitch = field.get("scalar") && ["true", "false"].includes(text);
      onChange(isSwitch ? text === "true" : text);
    },
    render() {
      const { forID, field, value } = this.props;
      const input = { type: field.get("input"), placeholder: field.get("placeholder") };
      return h("div", {}, suggested(forID, field.get("list"), value, this.change, "sitegen-suggest", input));
    },
  });

  const Point = createPoint({
    /**
     * @param {number} at
     * @param {string} text
     */
    change(at, text) {
      const point = [...(plain(this.props.value) ?? [0.5, 0.5])];
      point[at] = share(Number(text));
      this.props.onChange(point);
    },
    render() {
      const point = plain(this.props.value);
      /**
       * @param {number} at
       * @param {string} label
       * @param {string} [id]
       */
      const part = (at, label, id) =>
        h(
          "label",
          { key: at },
          label,
          h("input", {
            id,
            type: "number",
            min: 0,
            max: 1,
            step: 0.01,
            value: point?.[at] ?? "",
            onChange: (/** @type {Change} */ event) => this.change(at, event.target.value),
          }),
        );
      const remove = h(
        "button",
        { key: "remove", type: "button", className: "sitegen-button", onClick: () => this.props.onChange(undefined) },
        words.noPoint,
      );
      return h(
        "div",
        { className: "sitegen-picture" },
        part(0, words.across, this.props.forID),
        part(1, words.down),
        point ? remove : null,
      );
    },
  });

  const Picture = createPicture({
    // Decap draws a field again if its value changes, unless the field says otherwise: a chosen picture is no value yet.
    shouldComponentUpdate: () => true,
    componentDidUpdate() {
      const { mediaPaths, forID, onRemoveInsertedMedia } = this.props;
      const chosen = mediaPaths?.get(forID);
      if (!chosen) return;
      onRemoveInsertedMedia(forID);
      this.change({ src: Array.isArray(chosen) ? chosen[0] : chosen, focus: undefined });
    },
    /** @returns {PictureValue} */
    value() {
      return plain(this.props.value) ?? {};
    },
    /** @param {PictureValue} part */
    change(part) {
      const { src, alt, ...rest } = { ...this.value(), ...part };
      /** @param {[string, unknown]} entry */
      const said = ([, item]) => item !== undefined && item !== "" && item !== false;
      const value = Object.fromEntries(Object.entries({ src, alt, ...rest }).filter(said));
      this.props.onChange(Object.keys(value).length > 0 ? value : undefined);
    },
    choose() {
      const { forID, field, onOpenMediaLibrary } = this.props;
      onOpenMediaLibrary({ controlID: forID, forImage: true, value: "", allowMultiple: false, field });
    },
    /** @param {MouseEvent & { currentTarget: HTMLElement }} event */
    point(event) {
      // A click of the keyboard has no place.
      if (event.detail === 0) return;
      const box = event.currentTarget.getBoundingClientRect();
      this.change({
        focus: [share((event.clientX - box.left) / box.width), share((event.clientY - box.top) / box.height)],
      });
    },
    /** @param {KeyboardEvent} event */
    move(event) {
      const move = MOVES[event.key];
      if (!move) return;
      event.preventDefault();
      const [x, y] = this.value().focus ?? [0.5, 0.5];
      this.change({ focus: [share(x + move[0]), share(y + move[1])] });
    },
    /**
     * Where a picture is: one that was just chosen is not in its folder yet.
     * @param {string} src
     */
    address(src) {
      const { entry, field, getAsset } = this.props;
      if (src.startsWith(`${uploads}/`)) return getAsset(src, field)?.toString();
      const query = new URLSearchParams({ src, beside: entry?.get("path") ?? "" });
      return preview ? `${basePath}/admin/picture?${query}` : undefined;
    },
    /** @param {PictureValue} value */
    sight({ src = "", focus }) {
      const address = this.address(src);
      if (!address) return null;
      return h(
        "button",
        {
          type: "button",
          className: "sitegen-sight",
          "aria-label": words.point,
          title: words.point,
          "data-point": focus ? "" : undefined,
          style: focus && { "--x": `${focus[0] * 100}%`, "--y": `${focus[1] * 100}%` },
          onClick: this.point,
          onKeyDown: this.move,
        },
        h("img", { src: address, alt: "" }),
      );
    },
    render() {
      const { forID } = this.props;
      const value = this.value();
      /**
       * @param {string} label
       * @param {() => void} onClick
       */
      const button = (label, onClick) => h("button", { type: "button", className: "sitegen-button", onClick }, label);
      return h(
        "div",
        { className: "sitegen-picture" },
        value.src ? this.sight(value) : null,
        h(
          "label",
          {},
          words.picture,
          suggested(forID, "pictures", value.src, (src) => this.change({ src, focus: undefined })),
        ),
        h(
          "div",
          { className: "sitegen-row" },
          button(words.choose, this.choose),
          value.focus ? button(words.noPoint, () => this.change({ focus: undefined })) : null,
        ),
        h(
          "label",
          {},
          words.alt,
          h("input", {
            type: "text",
            value: value.alt ?? "",
            onChange: (/** @type {Change} */ event) => this.change({ alt: event.target.value }),
          }),
        ),
        h(
          "label",
          { className: "sitegen-switch" },
          h("input", {
            type: "checkbox",
            checked: value.decorative ?? false,
            onChange: (/** @type {Change} */ event) => this.change({ decorative: event.target.checked }),
          }),
          words.decorative,
        ),
      );
    },
  });

  const Nothing = createText({ render: () => null });
  CMS.registerWidget("sitegen-suggest", Suggest, Nothing);
  CMS.registerWidget("sitegen-point", Point, Nothing);
  CMS.registerWidget("sitegen-picture", Picture, Nothing);
}
