// The captcha of `sitegen serve`, in place of the provider's: defines the same interface as the scripts of reCAPTCHA, hCaptcha
// and Turnstile, whose `language` is an option of the widget.
// Its widget is a checkbox, so that it can be used by keyboard and read aloud like one.
(() => {
  const own = new URL(document.currentScript.src);
  const query = own.searchParams;
  const tokens = new URL("token", own);
  const words = {
    en: { label: "I'm not a robot", note: "Stand-in captcha for the preview", failed: "Couldn’t get a token" },
    es: { label: "No soy un robot", note: "Captcha de prueba de la vista previa", failed: "No se obtuvo un token" },
  };
  const wordsOf = (language) => words[(language || "en").slice(0, 2)] || words.en;
  const lives = 120000;
  const widgets = [];

  const find = (id) => {
    const widget = widgets[id === undefined ? 0 : id];
    if (!widget) throw new Error(`reCAPTCHA client element has been removed: ${id}`);
    return widget;
  };
  const call = (callback, ...values) => {
    const named = typeof callback === "string" ? window[callback] : callback;
    if (typeof named === "function") named(...values);
  };

  const reset = (widget) => {
    clearTimeout(widget.timer);
    widget.turn += 1;
    widget.token = "";
    widget.box.checked = false;
    widget.box.ariaDisabled = null;
    widget.note.textContent = widget.say.note;
  };

  const solve = async (widget) => {
    const turn = widget.turn;
    // The attribute `disabled` would take the focus away.
    widget.box.ariaDisabled = "true";
    try {
      const answer = await fetch(tokens, { method: "POST" });
      const { token } = await answer.json();
      if (turn !== widget.turn) return;
      widget.token = token;
      widget.timer = setTimeout(() => {
        reset(widget);
        call(widget.options["expired-callback"]);
      }, lives);
      call(widget.options.callback, token);
    } catch {
      if (turn !== widget.turn) return;
      reset(widget);
      widget.note.textContent = widget.say.failed;
      call(widget.options["error-callback"]);
    }
  };

  const render = (container, options = {}) => {
    const place = typeof container === "string" ? document.getElementById(container) : container;
    if (!place) throw new Error("reCAPTCHA placeholder element must be an element or id");
    if (place.firstChild) throw new Error("reCAPTCHA has already been rendered in this element");
    const say = wordsOf(query.get("hl") || options.language);
    const dark = options.theme === "dark";
    const label = document.createElement("label");
    const box = document.createElement("input");
    const text = document.createElement("span");
    const note = document.createElement("small");
    box.type = "checkbox";
    text.textContent = say.label;
    Object.assign(label.style, {
      display: "grid",
      gridTemplateColumns: "auto 1fr",
      gap: "2px 14px",
      alignItems: "center",
      boxSizing: "border-box",
      width: "304px",
      maxWidth: "100%",
      minHeight: "78px",
      padding: "10px 14px",
      border: dark ? "1px solid #525252" : "1px solid #d3d3d3",
      borderRadius: "3px",
      background: dark ? "#222" : "#f9f9f9",
      color: dark ? "#fff" : "#222",
      font: "14px/1.3 sans-serif",
      cursor: "pointer",
    });
    Object.assign(box.style, { gridRow: "1 / 3", width: "28px", height: "28px", margin: "0" });
    Object.assign(note.style, { color: dark ? "#ccc" : "#555", fontSize: "11px" });
    label.append(box, text, note);
    place.append(label);
    const widget = { options, say, box, note, token: "", timer: 0, turn: 0 };
    reset(widget);
    box.addEventListener("click", (event) => {
      if (box.ariaDisabled === "true") event.preventDefault();
    });
    box.addEventListener("change", () => {
      if (box.checked) solve(widget);
    });
    return widgets.push(widget) - 1;
  };

  const provider = {
    ready: (callback) => queueMicrotask(callback),
    render,
    reset: (id) => reset(find(id)),
    getResponse: (id) => find(id).token,
    execute: (id) => {
      const widget = find(id);
      widget.box.checked = true;
      return solve(widget);
    },
  };
  Object.assign(window, { grecaptcha: provider, hcaptcha: provider, turnstile: provider });
  if (query.get("render") !== "explicit") {
    for (const place of document.querySelectorAll(".g-recaptcha")) render(place, { ...place.dataset });
  }
  const onload = query.get("onload");
  if (onload) queueMicrotask(() => call(onload));
})();
