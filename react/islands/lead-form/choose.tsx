// The first two steps: the kind of request, and the service with its preview.

import check from "@phosphor-icons/core/assets/fill/check-circle-fill.svg";
import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import type { Dispatch, ReactNode } from "react";
import type { LeadChoice, LeadService } from "../../generated/wire";
import { Anchor } from "../../lib/anchor";
import { Icon } from "../../lib/icon";
import { fill } from "../../lib/words";
import type { Action, State } from "./state";
import { chosen, picked } from "./state";
import { Head, type StepProps } from "./step";

interface CardProps {
  icon: string;
  title: string;
  text: string;
  isChosen: boolean;
  /** The step is completed, so the card is disabled and shows whether it was chosen. */
  isDone: boolean;
  done: string;
  onChoose: () => void;
}

function Card({ icon, title, text, isChosen, isDone, done, onChoose }: CardProps): ReactNode {
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
          <span className="visually-hidden">{done}</span>
        </span>
      )}
    </button>
  );
}

interface ChoiceProps extends StepProps {
  choices: LeadChoice[];
  state: State;
  dispatch: Dispatch<Action>;
}

export function ChoiceStep({ choices, state, dispatch, words, messages, heading }: ChoiceProps): ReactNode {
  const isDone = state.step > 1;
  return (
    <section className={isDone ? "lead-form__step lead-form__step--done" : "lead-form__step"} aria-labelledby="lead-step-1">
      <Head words={words} number={1} isDone={isDone} messages={messages} heading={heading} />
      <div className="lead-form__cards">
        {choices.map(({ id, icon, title, text }) => (
          <Card
            key={id}
            icon={icon}
            title={title}
            text={text}
            isChosen={id === state.choice}
            isDone={isDone}
            done={messages.stepDone}
            onChoose={() => dispatch({ type: "chose", choice: id })}
          />
        ))}
      </div>
    </section>
  );
}

interface ServiceProps extends ChoiceProps {
  onBack: () => void;
}

export function ServiceStep({ choices, state, dispatch, words, messages, heading, onBack }: ServiceProps): ReactNode {
  const isDone = state.step > 2;
  const service = picked(choices, state);
  const all = chosen(choices, state)?.services ?? [];
  const shown = isDone ? all.filter(({ id }) => id === state.service) : all;
  return (
    <section className={isDone ? "lead-form__step lead-form__step--done" : "lead-form__step"} aria-labelledby="lead-step-2">
      <Head words={words} number={2} isDone={isDone} messages={messages} heading={heading} />
      <div className="lead-form__cards lead-form__cards--services">
        {shown.map(({ id, icon, title, request }) => (
          <Card
            key={id}
            icon={icon}
            title={title}
            text={request}
            isChosen={id === state.service}
            isDone={isDone}
            done={messages.stepDone}
            onChoose={() => dispatch({ type: "picked", service: id })}
          />
        ))}
      </div>
      {!isDone && (
        <>
          <div role="status">{service && <Preview service={service} messages={messages} />}</div>
          <div className="lead-form__actions">
            <button className="button button--secondary" type="button" onClick={onBack}>
              {messages.back}
            </button>
            {service && (
              <button className="button button--primary" type="button" onClick={() => dispatch({ type: "continued" })}>
                {messages.continueAction}
                <Icon svg={arrowRight} />
              </button>
            )}
          </div>
        </>
      )}
    </section>
  );
}

function Preview({ service, messages }: { service: LeadService; messages: StepProps["messages"] }): ReactNode {
  return (
    <div className="lead-form__preview">
      <p className="lead-form__recommend">{fill(messages.weRecommend, { service: service.title })}</p>
      <p>{service.description}</p>
      {service.details && (
        <Anchor className="action" link={service.details}>
          <span className="action__label">{messages.viewMoreDetails}</span>
          <Icon svg={arrowRight} />
        </Anchor>
      )}
    </div>
  );
}
