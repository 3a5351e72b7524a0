// A search: its landmark, a field with a label, and a clear button. Its styles are in
// `templates/components/search-field/`.

import magnifyingGlass from "@phosphor-icons/core/assets/regular/magnifying-glass.svg";
import x from "@phosphor-icons/core/assets/regular/x.svg";
import { type ReactNode, type RefObject, useId, useRef } from "react";
import { Icon } from "./icon";

interface Props {
  /** For callers that move the focus into the field. */
  field?: RefObject<HTMLInputElement | null>;
  value: string;
  label: string;
  placeholder: string;
  /** Label of the clear button. */
  clear: string;
  className?: string;
  onType: (text: string) => void;
  /** Called when the visitor clears the field. Without it, the field is emptied as if by typing. */
  onClear?: () => void;
  onSubmit?: () => void;
  children?: ReactNode;
}

export function SearchField(props: Props): ReactNode {
  const { value, label, placeholder, clear, className, onType, onClear, onSubmit, children } = props;
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const field = props.field ?? own;
  const empty = (): void => {
    if (onClear) onClear();
    else onType("");
    field.current?.focus();
  };
  return (
    <search className={className}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
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
                if (event.key === "Escape" && value !== "") empty();
              }}
            />
            {value !== "" && (
              <button className="search-field__clear" type="button" onClick={empty}>
                <Icon svg={x} />
                {clear}
              </button>
            )}
          </div>
        </div>
        {children}
      </form>
    </search>
  );
}
