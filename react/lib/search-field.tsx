// A search field with a label and a clear button. Its styles are in `templates/components/search-field/`.

import magnifyingGlass from "@phosphor-icons/core/assets/regular/magnifying-glass.svg";
import x from "@phosphor-icons/core/assets/regular/x.svg";
import { type ReactNode, type RefObject, useId } from "react";
import { Icon } from "./icon";

interface Props {
  field: RefObject<HTMLInputElement | null>;
  value: string;
  label: string;
  placeholder: string;
  /** Label of the clear button. */
  clear: string;
  onType: (text: string) => void;
  /** Called when the clear button or Escape is pressed. */
  onClear: () => void;
}

export function SearchField({ field, value, label, placeholder, clear, onType, onClear }: Props): ReactNode {
  const id = useId();
  return (
    <div className="search-field">
      <label className="search-field__label" htmlFor={id}>
        {label}
      </label>
      <div className="search-field__box">
        <Icon svg={magnifyingGlass} />
        <input
          className="search-field__input"
          id={id}
          ref={field}
          type="text"
          inputMode="search"
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={value}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && value !== "") onClear();
          }}
        />
        {value !== "" && (
          <button className="search-field__clear" type="button" onClick={onClear}>
            <Icon svg={x} />
            {clear}
          </button>
        )}
      </div>
    </div>
  );
}
