// Starts Decap CMS with the configuration of this site: formats that read and write its files, fields that complete what
// the site has, and the page of a file beside its form.

import { toFile, toForm } from "./convert.js";
import { registerPreview } from "./preview.js";
import { registerWidgets } from "./widgets.js";

const wait = document.getElementById("sitegen-wait");
const fail = (message) => {
  wait.setAttribute("role", "alert");
  wait.textContent = message;
};

/** The configuration: `config` for Decap, `sitegen` for this page. */
async function load() {
  const answer = await fetch("config.json");
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** Runs the script of Decap. If it cannot be had, the answer of the server says why. */
function run(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = path;
    script.addEventListener("load", resolve);
    script.addEventListener("error", async () => {
      const answer = await fetch(path).catch(() => null);
      reject(new Error(answer && !answer.ok ? await answer.text() : `${path} could not be loaded`));
    });
    document.head.append(script);
  });
}

/** Puts the forms of section kinds where fields name them, which are in the file once, and the day where it is the default. */
function completed(value, types) {
  if (Array.isArray(value)) return value.map((item) => completed(item, types));
  if (typeof value !== "object" || value === null) return value;
  const part = ([key, item]) => {
    if (key === "types" && typeof item === "string") return [key, types[item]];
    if (key === "default" && item === "today") return [key, today()];
    return [key, completed(item, types)];
  };
  return Object.fromEntries(Object.entries(value).map(part));
}

/** The day here, such as `2025-03-31`. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** How a collection reads and writes its files. The preview sends and takes JSON. */
async function formats({ preview, formats: all }) {
  const file = preview ? null : await import("./yaml-file.js");
  return all.map(({ name, extension, kind, rules }) => ({
    name,
    extension,
    format: {
      fromFile: (text) => toForm(file ? file.read(text, kind) : JSON.parse(text || "{}"), kind, rules),
      toFile: (values, order) => {
        const own = toFile(ordered(values, order), kind, rules);
        return file ? file.write(own, kind) : JSON.stringify(own);
      },
    },
  }));
}

/** Values in the order of the fields: a form has those first that have a default. */
function ordered(values, names = []) {
  const rank = (name) => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.fromEntries(Object.entries(values).sort(([one], [other]) => rank(one) - rank(other)));
}

/** Shows what the server refused until it is read: the notices of Decap vanish by themselves. */
function showRefusals(address, words) {
  const original = window.fetch;
  window.fetch = async (resource, options) => {
    const answer = await original(resource, options);
    if (!answer.ok && options?.method === "POST" && new URL(resource, location.href).pathname === address) {
      const asked = JSON.parse(options.body ?? "{}");
      if (asked.action?.startsWith("persist") || asked.action?.startsWith("delete")) {
        const { error } = await answer
          .clone()
          .json()
          .catch(() => ({ error: answer.statusText }));
        show(error, words);
      }
    }
    return answer;
  };
}

function show(message, words) {
  const dialog = document.createElement("dialog");
  dialog.className = "sitegen-message";
  const heading = document.createElement("h2");
  heading.textContent = words.refused;
  heading.id = "sitegen-refused";
  const text = document.createElement("p");
  text.textContent = message;
  const button = document.createElement("button");
  button.textContent = words.close;
  button.addEventListener("click", () => dialog.close());
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(heading, text, button);
  document.body.append(dialog);
  dialog.showModal();
}

const WORDS = {
  en: {
    refused: "Nothing was saved",
    close: "Close",
    picture: "Picture",
    choose: "Choose or upload a picture",
    alt: "What it shows",
    decorative: "Adds nothing to the text",
    point: "The point that stays in sight where the picture is cropped: click it, or use the arrow keys",
    noPoint: "Remove the point",
    saved: "The page as it was saved. Save to see your changes.",
    noPage: "No page shows this file, or it is not built yet.",
    newPage: "The page appears here after you save.",
    across: "From the left, 0 to 1",
    down: "From the top, 0 to 1",
  },
  es: {
    refused: "No se guardó nada",
    close: "Cerrar",
    picture: "Imagen",
    choose: "Elegir o subir una imagen",
    alt: "Qué muestra",
    decorative: "No agrega nada al texto",
    point: "El punto que sigue a la vista cuando la imagen se recorta: haz clic en él o usa las flechas",
    noPoint: "Quitar el punto",
    saved: "La página como se guardó. Guarda para ver tus cambios.",
    noPage: "Ninguna página muestra este archivo, o aún no se ha construido.",
    newPage: "La página aparece aquí después de guardar.",
    across: "Desde la izquierda, de 0 a 1",
    down: "Desde arriba, de 0 a 1",
  },
};

try {
  const { config, sitegen } = await load();
  const words = WORDS[config.locale] ?? WORDS.en;
  document.documentElement.lang = config.locale;
  window.CMS_MANUAL_INIT = true;
  await run("decap/decap-cms.js");
  const { CMS } = window;
  for (const { name, extension, format } of await formats(sitegen)) CMS.registerCustomFormat(name, extension, format);
  registerWidgets(CMS, config, sitegen, words);
  if (sitegen.preview) {
    registerPreview(CMS, config, sitegen, words);
    showRefusals(config.backend.proxy_url, words);
  }
  const own = completed(config, sitegen.types);
  if (sitegen.preview) own.site_url = location.origin + sitegen.base_path;
  wait.remove();
  CMS.init({ config: own });
} catch (error) {
  fail(error.message);
}
