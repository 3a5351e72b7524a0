// An island: React renders it when the site is built, and hydrates it in the browser from the same props.

import { useId, useState } from "react";

/** What a template gives it. `sitegen check` compares the values with this type. */
export interface Props {
  /** What is counted. */
  label: string;
  /** The price of one. */
  price: number;
  /** Shown before the sum. */
  currency: string;
}

export default function Island({ label, price, currency }: Props) {
  const id = useId();
  const [count, setCount] = useState(1);
  return (
    <div className="NAME">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={1}
        value={count}
        onChange={(event) => setCount(Math.max(1, event.target.valueAsNumber || 1))}
      />
      <output htmlFor={id}>{`${currency} ${count * price}`}</output>
    </div>
  );
}
