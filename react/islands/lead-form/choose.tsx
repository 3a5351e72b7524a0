// The first two steps: the kind of request, and the service with its preview.

import check from "@phosphor-icons/core/assets/fill/check-circle-fill.svg";
import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import type { ReactNode } from "react";
import type { LeadService } from "../../generated/wire";
import { Anchor } from "../../lib/anchor";
import { Icon } from "../../lib/icon";
import { fill } from "../../lib/words";
import { useShared } from "./context";
import { chosen, picked } from "./state";
import { Actions, Step } from "./step";

interface CardProps {
  icon: string;
  title: string;
  text: string;
  isChosen: boolean;
  /** The step is completed, so the card is disabled and shows whether it was chosen. */
  isDone: boolean;
  onChoose: () => void;
}

function Card({ icon, title, text, isChosen, isDone, onChoose }: CardProps): ReactNode {
  const { messages } = useShared().form;
  return (
    <button
      className={isChosen ? "lead-card lead-card--chosen" : "lead-card"}
      type="button"
      disabled={isDone}
      aria-pressed={isDone ? undefined : isChosen}
      onClick={onChoose}
    >
      <Icon svg={icon} />
      <span className="lead-card__words">
        <span className="lead-card__title">{title}</span>
        <span className="lead-card__text">{text}</span>
      </span>
      {isChosen && isDone && (
        <span className="lead-card__check">
          <Icon svg={check} />
          <span className="visually-hidden">{messages.stepDone}</span>
        </span>
      )}
    </button>
  );
}

export function ChoiceStep(): ReactNode {
  const { form, state, dispatch } = useShared();
  return (
    <Step number={1} name="choice">
      <div className="lead-form__cards">
        {form.choices.map(({ id, icon, title, text }) => (
          <Card
            key={id}
            icon={icon}
            title={title}
            text={text}
            isChosen={id === state.choice}
            isDone={state.step > 1}
            onChoose={() => dispatch({ type: "chose", choice: id })}
          />
        ))}
      </div>
    </Step>
  );
}

export function ServiceStep(): ReactNode {
  const { form, state, dispatch } = useShared();
  const { choices, messages } = form;
  const isDone = state.step > 2;
  const service = picked(choices, state);
  const all = chosen(choices, state)?.services ?? [];
  const shown = isDone ? all.filter(({ id }) => id === state.service) : all;
  return (
    <Step number={2} name="service">
      <div className="lead-form__cards lead-form__cards--services">
        {shown.map(({ id, icon, title, request }) => (
          <Card
            key={id}
            icon={icon}
            title={title}
            text={request}
            isChosen={id === state.service}
            isDone={isDone}
            onChoose={() => dispatch({ type: "picked", service: id })}
          />
        ))}
      </div>
      {!isDone && (
        <>
          <div role="status">{service && <Preview service={service} />}</div>
          <Actions>
            {service && (
              <button className="button button--primary" type="button" onClick={() => dispatch({ type: "continued" })}>
                {messages.continueAction}
                <Icon svg={arrowRight} isArrow />
              </button>
            )}
          </Actions>
        </>
      )}
    </Step>
  );
}

function Preview({ service: { title, description, details } }: { service: LeadService }): ReactNode {
  const { messages } = useShared().form;
  return (
    <div className="lead-form__preview">
      <p className="lead-form__recommend">{fill(messages.weRecommend, { service: title })}</p>
      <p>{description}</p>
      {details && (
        <Anchor className="action" link={details}>
          <span className="action__label">{messages.viewMoreDetails}</span>
          <Icon svg={arrowRight} isArrow />
        </Anchor>
      )}
    </div>
  );
}
