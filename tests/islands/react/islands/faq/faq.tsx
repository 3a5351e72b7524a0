// A component that exercises the island engine: state, forms, ids and deliberate errors. It replaces the site's own
// `faq`, because the names of islands are compiled into sitegen.

import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Faq as Props } from "../../generated/wire";

export default function Trial({ name, items }: Props): ReactNode {
  const [count, setCount] = useState(0);
  const [text, setText] = useState("");
  const [ticked, setTicked] = useState(false);
  const [choice, setChoice] = useState("one");
  const [way, setWay] = useState("by road");
  const [sent, setSent] = useState("");
  const [key, setKey] = useState("");
  const id = useId();

  if (name === "throws") throw new TypeError("this component throws on purpose");
  if (name === "exits") process.exit(3);
  const place = name === "mismatch" && typeof document !== "undefined" ? "browser" : "build";

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSent(`${text}/${ticked}/${choice}/${way}`);
  };

  return (
    <form id={`form-${name}`} onSubmit={submit} onKeyDown={(event) => event.key === "ArrowDown" && setKey(event.key)}>
      <p>{place}</p>
      {items.map(({ question }) => (
        <p key={question}>{question}</p>
      ))}
      <img src="/picture.png" alt="" />
      <label htmlFor={id}>text</label>
      <input id={id} className="text" value={text} onChange={(event) => setText(event.target.value)} />
      <input className="tick" type="checkbox" checked={ticked} onChange={(event) => setTicked(event.target.checked)} />
      <select className="choice" value={choice} onChange={(event) => setChoice(event.target.value)}>
        <option>one</option>
        <option>two</option>
      </select>
      {["by road", "by sea", "by air"].map((own) => (
        <label key={own}>
          <input type="radio" name={`${id}-way`} value={own} checked={way === own} onChange={() => setWay(own)} />
          {own}
        </label>
      ))}
      <button className="count" type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <button className="send">send</button>
      <output className="typed">{text}</output>
      <output className="sent">{sent}</output>
      <output className="key">{key}</output>
      <a href="/plain.txt">a file</a>
    </form>
  );
}
