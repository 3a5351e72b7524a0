// Adds a button to each block of code of the page, which copies its text. Without script there is none.

import { useEffect } from "react";

interface Props {
  /** What the button says. */
  label: string;
  /** What it says once the text is copied. */
  done: string;
}

export default function Island({ label, done }: Props) {
  useEffect(() => {
    const buttons: HTMLButtonElement[] = [];
    for (const block of document.querySelectorAll<HTMLPreElement>(".manual__text pre")) {
      const button = document.createElement("button");
      const text = block.textContent ?? "";
      button.type = "button";
      button.className = "manual__copy";
      button.textContent = label;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(text);
        button.textContent = done;
        setTimeout(() => {
          button.textContent = label;
        }, 2000);
      });
      block.append(button);
      buttons.push(button);
    }
    return () => {
      for (const button of buttons) button.remove();
    };
  }, [label, done]);
  return null;
}
