// Choices as cards that are pressed. Until the form wakes, and without script, a field that is sent is a menu.

import { type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { FormChoice, FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { Opened, Single } from "../form/control";
import { controlId, controlOf, groupsOf, Message } from "../form/fields";
import type { Filling } from "../form/use-form";

interface Props {
  form: SiteForm;
  filling: Filling;
  field: FormControl;
  onChoose: (value: string) => void;
  /** What leads on from a choice that shows something, below that. */
  next: ReactNode;
}

interface CardProps {
  choice: FormChoice;
  isChosen: boolean;
  isAwake: boolean;
  onChoose: (event: MouseEvent) => void;
  next: ReactNode;
}

function ButtonCard({ choice, isChosen, isAwake, onChoose, next }: CardProps): ReactNode {
  const { icon, label, text } = choice;
  return (
    <div className="form-steps__choice" data-chosen={isChosen ? "" : undefined}>
      <button
        className={isChosen ? "form__card form__card--pressed form__card--chosen" : "form__card form__card--pressed"}
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
      >
        {icon !== null && <Icon svg={icon} />}
        <span className="form__card-words">
          <span className="form__card-title">{label}</span>
          {text !== null && <span className="form__card-text">{text}</span>}
        </span>
      </button>
      {isAwake && <Opened choice={choice} isChosen={isChosen} />}
      {isChosen && next}
    </div>
  );
}

export function Buttons({ form, filling, field, onChoose, next }: Props): ReactNode {
  const { values, errors, isAwake } = filling.state;
  const { name, unsent, label, choicesBy } = field;
  const given = values[name];
  const all = groupsOf(form.fields, field, null);
  // What it depends on may have no control without script, and then it is not asked for.
  const by = form.fields.find((other) => other.name === choicesBy?.field);
  const menu = { ...field, look: null, required: field.required && !by?.unsent };
  const register = (control: string): { name: string } => ({ name: control });
  const isOffered = isAwake || choicesBy === null;
  const offered = isAwake ? groupsOf(form.fields, field, values) : all;
  // The choice that a link leads to comes first, with what it opens, and stays there. The build has no URL.
  const [linked] = useState(() => (typeof location === "undefined" ? "" : location.hash.slice(1)));
  const isLinked = ({ anchors }: FormChoice): boolean => isAwake && anchors.includes(linked);
  const choices = offered.flatMap((group) => group.choices);
  const inOrder = [...choices.filter(isLinked), ...choices.filter((choice) => !isLinked(choice))];
  /** The card that was pressed, and where it was in the viewport. */
  const pressed = useRef<{ card: Element; top: number } | null>(null);
  const press = (choice: FormChoice, event: MouseEvent): void => {
    const card = event.currentTarget;
    if (isAwake && choice.preview !== null) pressed.current = { card, top: card.getBoundingClientRect().top };
    onChoose(choice.value);
  };
  // What another card had opened goes, and the card stays where it was pressed. What it opens comes into sight.
  useLayoutEffect(() => {
    if (given === undefined || pressed.current === null) return;
    const { card, top } = pressed.current;
    pressed.current = null;
    scrollBy({ top: card.getBoundingClientRect().top - top, behavior: "instant" });
    void card.parentElement?.scrollIntoView({ block: "nearest" });
  }, [given]);
  return (
    <>
      {!isAwake && !unsent && (
        <div className="form-steps__menu">
          <Single
            form={form}
            field={menu}
            error={undefined}
            values={undefined}
            groups={all}
            isAwake={false}
            register={register}
          />
        </div>
      )}
      {isOffered && (
        // biome-ignore lint/a11y/useSemanticElements: a legend would repeat the heading of the step.
        <div className="form-steps__buttons" role="group" aria-label={label} id={controlId(form, name)} tabIndex={-1}>
          {inOrder.map((choice) => (
            <ButtonCard
              choice={choice}
              isChosen={given?.includes(choice.value) === true}
              isAwake={isAwake}
              onChoose={(event) => press(choice, event)}
              next={next}
              key={choice.value}
            />
          ))}
        </div>
      )}
      {isAwake && <Message name={controlOf(field)} error={errors[name]} />}
    </>
  );
}
