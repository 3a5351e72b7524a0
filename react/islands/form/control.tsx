// A field of a form with its label, hint and message, connected for screen readers.

import { Fragment, type ReactNode } from "react";
import type { FormChoice, FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { bound, controlId, controlOf, type groupsOf, isConditional, Message, plainLabel } from "./fields";
import type { Registered } from "./store";

interface Props {
  form: SiteForm;
  field: FormControl;
  error: string | undefined;
  /** What is entered; undefined if nothing is. */
  values: string[] | undefined;
  /** What can be chosen, by the answers that offer it. */
  groups: ReturnType<typeof groupsOf>;
  isAwake: boolean;
  /** With script it is hidden until the form wakes. */
  waits?: boolean;
  /** Connects a control with the store of the form. */
  register: (control: string) => Registered;
}

const KINDS: Partial<Record<FormControl["takes"], string>> = { email: "email", phone: "tel", date: "date", number: "number" };

export function Required({ form }: { form: SiteForm }): ReactNode {
  return (
    <>
      <span aria-hidden="true"> *</span>
      <span className="visually-hidden"> ({form.messages.requiredMark})</span>
    </>
  );
}

/** The name of a field. Screen readers do not read its mark. */
function Name({ form, field: { label, required } }: Pick<Props, "form" | "field">): ReactNode {
  const name = plainLabel(label);
  return (
    <>
      {name}
      {required ? <Required form={form} /> : name !== label && <span aria-hidden="true"> *</span>}
    </>
  );
}

/** The choices of a field, each with a control: boxes to tick, radio buttons, or cards. */
function Choices({ form, field, error, groups, values, isAwake, waits, register }: Props): ReactNode {
  const { name, hint, required, list, look } = field;
  // In steps, the store makes the first choice.
  const first = isAwake && form.steps.length > 0 ? undefined : field.default;
  const id = controlId(form, name);
  const isCards = look === "cards";
  const isWrong = error !== undefined;
  // What is required, or wrong, is the group, and not one of its buttons.
  const radios = list ? {} : { role: "radiogroup", "aria-required": required || undefined, "aria-invalid": isWrong || undefined };
  return (
    <fieldset
      className={isWrong ? "form__field form__field--wrong" : "form__field"}
      data-waits={waits ? "" : undefined}
      {...radios}
      aria-describedby={`${hint === null ? "" : `${id}-hint`} ${id}-error`.trim()}
    >
      <legend className="form__label">
        <Name form={form} field={field} />
      </legend>
      <Hint form={form} field={field} />
      <div className={isCards ? "form__cards" : "form__options"}>
        {groups.map(({ by, choices }, group) => {
          const options = choices.map((choice, at) => {
            const { value, label, text, icon } = choice;
            return (
              <Fragment key={value}>
                <label className={isCards ? "form__card" : "form__option"}>
                  <input
                    type={list ? "checkbox" : "radio"}
                    {...register(controlOf(field))}
                    value={value}
                    defaultChecked={value === first || undefined}
                    id={group === 0 && at === 0 ? id : undefined}
                    required={!list && required && !isConditional(field) ? true : undefined}
                  />
                  {icon !== null && <Icon svg={icon} />}
                  {text === null ? (
                    <span className={isCards ? "form__card-title" : undefined}>{label}</span>
                  ) : (
                    <span className="form__card-words">
                      <span className="form__card-title">{label}</span>
                      <span className="form__card-text">{text}</span>
                    </span>
                  )}
                </label>
                {isAwake && look !== null && <Opened choice={choice} isChosen={values?.includes(value) === true} />}
              </Fragment>
            );
          });
          if (by === null) return options;
          // The element stays when other groups go, and with it what was chosen.
          return (
            <fieldset className={isAwake ? "form__group" : "form__group form__group--named"} key={by}>
              <legend className={isAwake ? "visually-hidden" : "form__group-name"}>{by}</legend>
              {options}
            </fieldset>
          );
        })}
      </div>
      <Message id={`${id}-error`} name={controlOf(field)} error={error} />
    </fieldset>
  );
}

/** What the words say about a choice, as soon as it is made. Screen readers expect it before. */
export function Opened({ choice: { preview }, isChosen }: { choice: FormChoice; isChosen: boolean }): ReactNode {
  if (preview === null) return null;
  return (
    <div className="form__chosen" role="status">
      {isChosen && (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site.
        <div className="form__preview" dangerouslySetInnerHTML={{ __html: preview }} />
      )}
    </div>
  );
}

function Hint({ form, field: { name, hint } }: Pick<Props, "form" | "field">): ReactNode {
  if (hint === null) return null;
  return (
    <p className="form__hint" id={`${controlId(form, name)}-hint`}>
      {hint}
    </p>
  );
}

/** A field with what the words say about the choice that was made. */
export function Control(props: Props): ReactNode {
  const { field } = props;
  const isSpread = (field.list && field.takes !== "file") || field.look !== null;
  return (
    <>
      {isSpread ? <Choices {...props} /> : <Single {...props} />}
      {props.isAwake &&
        field.look === null &&
        field.choices.map((choice) => (
          <Opened choice={choice} isChosen={props.values?.includes(choice.value) === true} key={choice.value} />
        ))}
    </>
  );
}

export function Single({ form, field, error, groups, isAwake, waits, register }: Props): ReactNode {
  const { name, takes, hint, required, list, lines, most } = field;
  const id = controlId(form, name);
  const hintId = hint === null ? "" : `${id}-hint`;
  const attributes = {
    id,
    ...register(controlOf(field)),
    "aria-invalid": error !== undefined || undefined,
    "aria-describedby": `${hintId} ${id}-error`.trim(),
    // Without script all fields are shown, and only those that always are can be required.
    required: (required && !isConditional(field)) || undefined,
    "aria-required": (required && isConditional(field)) || undefined,
  };
  // A limit of the control would cut off what is pasted. With script, the visitor hears what is too long.
  const maxLength = isAwake ? undefined : most;
  const text = { className: "form__input", maxLength, dir: "auto" as const, autoComplete: field.autocomplete ?? undefined };
  const className = error === undefined ? "form__field" : "form__field form__field--wrong";
  const message = <Message id={`${id}-error`} name={controlOf(field)} error={error} />;
  if (takes === "flag") {
    return (
      <div className={className} data-waits={waits ? "" : undefined}>
        <label className="form__option">
          <input type="checkbox" value="true" {...attributes} />
          <span>
            <Name form={form} field={field} />
          </span>
        </label>
        <Hint form={form} field={field} />
        {message}
      </div>
    );
  }
  const control = (): ReactNode => {
    if (takes === "choice" || takes === "reference") {
      return (
        <select className="form__input" {...attributes} defaultValue={field.default ?? ""}>
          <option value="">{field.unchosen ?? "–"}</option>
          {groups.map(({ by, choices }) => {
            const options = choices.map(({ value, label }) => (
              <option value={field.labelled ? label : value} key={value}>
                {label}
              </option>
            ));
            return by === null ? (
              options
            ) : (
              <optgroup label={by} key={by}>
                {options}
              </optgroup>
            );
          })}
        </select>
      );
    }
    if (takes === "file") {
      return <input className="form__input" type="file" accept={field.accept ?? undefined} multiple={list} {...attributes} />;
    }
    if (lines !== null) return <textarea rows={lines} {...text} {...attributes} />;
    if (takes === "date" || takes === "number") {
      // The day of the visit is known to the browser only.
      const limit = (written: string | null): string | undefined =>
        written === "today" && !isAwake ? undefined : (bound(written, new Date()) ?? undefined);
      return <input className="form__input" type={KINDS[takes]} min={limit(field.min)} max={limit(field.max)} {...attributes} />;
    }
    const pattern = field.pattern ?? undefined;
    return <input type={KINDS[takes] ?? "text"} pattern={pattern} {...text} {...attributes} />;
  };
  return (
    <div className={className} data-waits={waits ? "" : undefined}>
      <label className="form__label" htmlFor={id}>
        <Name form={form} field={field} />
      </label>
      <Hint form={form} field={field} />
      {control()}
      {message}
    </div>
  );
}
