// Choices as cards that are pressed. Until the form wakes, and without script, a field that is sent is a menu.

import type { ReactNode } from "react";
import type { FormChoice, FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { Preview, Single } from "../form/control";
import { controlId, controlOf, Message } from "../form/names";
import { groupsOf } from "../form/rules";
import type { Filling } from "../form/use-form";

interface CardProps {
  choice: FormChoice;
  isChosen: boolean;
  onChoose: () => void;
}

function ButtonCard({ choice: { icon, label, text }, isChosen, onChoose }: CardProps): ReactNode {
  return (
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
  );
}

interface Props {
  form: SiteForm;
  filling: Filling;
  field: FormControl;
  onChoose: (value: string) => void;
}

export function Buttons({ form, filling, field, onChoose }: Props): ReactNode {
  const { values, errors, isHydrated } = filling;
  const { name, unsent, label, choicesBy } = field;
  const given = values[name];
  const all = groupsOf(form.fields, field, null);
  const menu = { ...field, look: null };
  const register = (control: string): { name: string } => ({ name: control });
  const isOffered = isHydrated || choicesBy === null;
  const offered = isHydrated ? groupsOf(form.fields, field, values) : all;
  return (
    <>
      {!isHydrated && !unsent && (
        <div className="form-steps__menu">
          <Single
            form={form}
            field={menu}
            error={undefined}
            values={undefined}
            groups={all}
            isHydrated={false}
            register={register}
          />
        </div>
      )}
      {isOffered && (
        // biome-ignore lint/a11y/useSemanticElements: a legend would repeat the heading of the step.
        <div className="form-steps__buttons" role="group" aria-label={label} id={controlId(form, name)} tabIndex={-1}>
          {offered.flatMap(({ choices }) =>
            choices.map((choice) => (
              <ButtonCard
                choice={choice}
                isChosen={given?.includes(choice.value) === true}
                onChoose={() => onChoose(choice.value)}
                key={choice.value}
              />
            )),
          )}
        </div>
      )}
      {isHydrated && <Message name={controlOf(field)} error={errors[name]} />}
      {isHydrated && <Preview field={field} values={given} />}
    </>
  );
}
