// The words of the forms that this program adds to those of Decap, by language.

/** @typedef {typeof WORDS.en} Words */

export const WORDS = {
  en: {
    refused: "Nothing was saved",
    close: "Close",
    picture: "Image",
    choose: "Choose or upload an image",
    alt: "What it shows",
    decorative: "Adds nothing to the text",
    point: "The point that stays visible when the image is cropped. Click to set it, or use the arrow keys",
    noPoint: "Remove the point",
    saved: "The page as saved.",
    typed: "The page as you type it. Nothing is saved yet.",
    noPage: "No page shows this file, or the page isn't built yet.",
    newPage: "The page appears here as soon as it has text.",
    list: "All content",
    across: "From the left, 0 to 1",
    down: "From the top, 0 to 1",
    conflict:
      "`{name}` was changed in {path} while the form was open: the file now has `{value}`. Copy your text, reload the form, and enter it again.",
    gone: "{path} was moved or deleted while the form was open. Copy your text, and enter it in a new file.",
    exists: "There is already a file {path}. Choose another name.",
    stopped:
      "The preview isn't responding. Start it again in the terminal, open the URL that it prints in another tab, then publish again here. Everything you've typed stays in this form.",
    restarted:
      "The preview was restarted, and doesn't know this browser yet. Open the URL that it printed in the terminal in another tab, then publish again here. Everything you've typed stays in this form.",
    misread:
      "Your changes to {path} can't be merged with other people's in the form. Copy your text, and make the change in the file.",
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
    saved: "La página como se guardó.",
    typed: "La página como la escribes. Aún no se ha guardado nada.",
    noPage: "Ninguna página muestra este archivo, o aún no se ha construido.",
    newPage: "La página aparece aquí en cuanto tenga sus textos.",
    list: "Todo el contenido",
    across: "Desde la izquierda, de 0 a 1",
    down: "Desde arriba, de 0 a 1",
    conflict:
      "`{name}` cambió en {path} mientras el formulario estaba abierto: ahora el archivo tiene `{value}`. Copia tu texto, vuelve a cargar el formulario e introdúcelo de nuevo.",
    gone: "{path} se movió o se borró mientras el formulario estaba abierto. Copia tu texto e introdúcelo en un archivo nuevo.",
    exists: "Ya hay un archivo {path}. Elige otro nombre.",
    stopped:
      "La vista previa no responde. Iníciala de nuevo en la terminal, abre en otra pestaña la dirección que muestra y publica de nuevo aquí: lo que has escrito sigue en este formulario.",
    restarted:
      "La vista previa se inició de nuevo y aún no conoce este navegador. Abre en otra pestaña la dirección que mostró en la terminal y publica de nuevo aquí: lo que has escrito sigue en este formulario.",
    misread: "Tus cambios en {path} no se pueden sumar a los de otros en el formulario. Copia tu texto y cámbialo en el archivo.",
  },
};

/**
 * Replaces placeholders such as `{path}`.
 * @param {string} text
 * @param {Record<string, string>} values
 */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
