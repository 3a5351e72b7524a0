(() => {
  const page = document;
  const key = "color-scheme";
  const show = (scheme) => {
    if (scheme) page.documentElement.dataset.scheme = scheme;
    else delete page.documentElement.dataset.scheme;
  };
  let chosen = "";
  try {
    chosen = /^(light|dark)$/.exec(localStorage.getItem(key))?.[0] ?? "";
  } catch {}
  show(chosen);
  addEventListener("DOMContentLoaded", () => {
    const input = page.querySelector(`input[name=${key}][value="${chosen}"]`);
    if (input) input.checked = true;
  });
  addEventListener("change", ({ target }) => {
    if (target.name !== key) return;
    show(target.value);
    try {
      if (target.value) localStorage.setItem(key, target.value);
      else localStorage.removeItem(key);
    } catch {}
  });
})();
