// A form of the site in steps. Without script all steps are on one page, as groups of fields, and the form is sent as it is.
// With script one step is shown at a time; the fields of the others are hidden, and keep what was entered.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import { type ReactNode, type SyntheticEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { Progress } from "../../lib/progress";
import { fill } from "../../lib/words";
import { controlOf, TOKEN } from "../form/names";
import { Consents, Controls, Frame, Missing, Submit, Summary, Trap } from "../form/parts";
import type { Store } from "../form/store";
import { useSiteForm } from "../form/use-form";
import { asleepOf } from "./asleep";
import { Buttons } from "./buttons";
import { allowed, delayOf, errorsOf, stepOf, stepsFor } from "./steps";

/** Whether something is shown once a choice is made. */
const hasPreview = ({ choices }: FormControl): boolean => choices.some(({ preview }) => preview !== null);

/** What later steps show, and the store of the form while it is awake. */
type Later = Omit<typeof import("./later"), "storeOf"> & { store: Store };

const loadLater = async (props: SiteForm, asleep: ReturnType<typeof asleepOf>): Promise<Later> => {
  const { storeOf, ...parts } = await import("./later");
  const store = storeOf(props);
  for (const [control, values] of asleep.chosen) store.set(control, values);
  return { ...parts, store };
};

export default function SteppedForm(props: SiteForm): ReactNode {
  const { steps, messages, id } = props;
  const [asked, goTo] = useState(0);
  const [later, setLater] = useState<Later | null>(null);
  /** Whether what later steps show could not be loaded. */
  const [isStuck, setStuck] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // Until react-hook-form is there, the controls of the form are its store.
  const [asleep] = useState(() => asleepOf(() => document.querySelector<HTMLFormElement>(`form#${id}`)));
  const store = later?.store ?? asleep;
  const actions = useRef<HTMLDivElement>(null);
  /** Called once the controls are those of the other store: the form is filled in after that. */
  const connected = useRef<() => void>(null);
  const load = (): void => {
    setStuck(false);
    loadLater(props, asleep).then(setLater, () => setStuck(true));
  };
  useEffect(() => {
    if (later !== null) connected.current?.();
  }, [later]);
  const filling = useSiteForm(props, store, {
    at: asked,
    goTo,
    stepOf: (name) => stepOf(props, name),
    allowed: (step, given, wrong) => allowed(props, step, given, wrong),
    load: () => {
      load();
      return new Promise((resolve) => {
        connected.current = resolve;
      });
    },
    isOwnEntry: () => later !== null && later.entryStep(id) !== null,
    writeEntry: () => later?.writeEntry(id, number),
  });
  const { values, errors, isHydrated, isBusy, isDone } = filling;
  const order = isHydrated ? stepsFor(props, values) : steps.map((_, at) => at);
  // What was answered in an earlier step may leave nothing to show in this one.
  const shownFor = (asked: number): number => order.filter((step) => step <= asked).at(-1) ?? order[0] ?? 0;
  const at = shownFor(asked);
  const number = order.indexOf(at) + 1;
  const isLast = number === order.length;

  /** The step that the visitor gets for an entry of the history, from 0. */
  const reached = (entry: number): number => {
    const given = filling.read();
    return allowed(props, stepsFor(props, given)[entry - 1] ?? 0, given, filling.wrongOf(given));
  };
  const journey = {
    history: {
      name: id,
      // After success, Back leaves the page instead of returning to what has been sent.
      step: isDone ? 1 : number,
      isReady: isHydrated,
      isMove: (entry: number) => !isBusy && !isDone && reached(entry) !== at,
      onWent: (entry: number) => {
        filling.show({});
        goTo(reached(entry));
      },
      settlesFor: filling.linked,
    },
    focus: {
      step: number,
      linked: filling.linked,
      isReady: isHydrated,
      isLed: Object.keys(errors).length > 0,
      heading,
      delay: delayOf(props, number),
    },
  };

  /** The step that the visitor wanted to go on from before the form was ready. */
  const left = useRef<number | null>(null);
  const proceed = (): void => {
    if (!isHydrated) {
      left.current = at;
      return;
    }
    const given = filling.read();
    const wrong = errorsOf(props, at, filling.wrongOf(given));
    filling.show(wrong);
    const next = stepsFor(props, given).find((step) => step > at);
    if (Object.keys(wrong).length === 0 && next !== undefined) goTo(next);
  };
  const wake = useEffectEvent((): void => {
    // A draft may have led to another step.
    if (left.current === at) proceed();
    left.current = null;
  });
  useEffect(() => {
    if (isHydrated) wake();
  }, [isHydrated]);
  const backTo = (step: number): void => {
    if (isBusy) return;
    filling.show({});
    goTo(step);
  };
  /** A button makes a choice, and forgets those that it offered before. */
  const press = (field: FormControl, value: string): void => {
    store.set(controlOf(field), [value]);
    for (const other of props.fields) if (other.choicesBy?.field === field.name) store.set(controlOf(other), []);
    filling.change();
    // Where nothing is to be read, it leads on.
    if (!hasPreview(field)) proceed();
  };
  /** One step back from where the form then is: the button may be pressed twice before it is shown. */
  const back = (): void => {
    if (isBusy) return;
    filling.show({});
    goTo((asked) => order.filter((step) => step < shownFor(asked)).at(-1) ?? asked);
  };
  const submit = (event: SyntheticEvent): void => {
    if (isLast) {
      filling.submit(event);
      return;
    }
    // The Enter key sends a form; here it leads to the next step.
    event.preventDefault();
    proceed();
  };

  const parts = { form: props, filling };
  const failure = isHydrated ? errors[""] : undefined;
  const isWrong = Object.keys(filling.listed).length > 0;
  const pressed = props.fields.filter(({ name, look }) => look === "buttons" && steps[at]?.fields.includes(name));
  // A button leads on itself, or once its choice is made.
  const leadsOn = pressed.every((field) => hasPreview(field) && values[field.name] !== undefined);
  const isUnsolved = props.captcha !== null && filling.token === "";
  const isWaiting = isHydrated && (failure !== undefined || isUnsolved);
  const why = isWaiting && isUnsolved && failure === undefined && errors[TOKEN] === undefined;
  const next = (
    <button className="button button--primary form-steps__next" type="button" onClick={proceed}>
      {messages.continueAction}
      <Icon svg={arrowRight} isArrow />
    </button>
  );
  /** Whether the button that leads on stands below the choice that was made, which is all that the step asks. */
  const isBelowChoice = pressed.length === 1 && pressed.every(hasPreview) && steps[at]?.fields.length === 1;
  return (
    <Frame {...parts} onSubmit={submit} summary={isHydrated ? null : undefined}>
      {/* Outside of what begins anew when the form is emptied: it knows which step was shown before. */}
      {later && <later.Journey {...journey} />}
      <div
        className="form-steps"
        data-steps={isHydrated ? "shown" : ""}
        data-stuck={isStuck ? "" : undefined}
        key={filling.again}
      >
        <Progress labels={order.map((step) => steps[step]?.label ?? "")} step={number} messages={messages} />
        {later && props.summary.length > 0 && number > 1 && (
          <later.Summary form={props} shown={filling.shown} values={values} done={order.slice(0, number - 1)} onChange={backTo} />
        )}
        {steps.map(({ fields, title, text, note }, step) => {
          const isCurrent = step === at;
          const end = step === steps.length - 1;
          const noteId = `${id}-note-${step + 1}`;
          // The note stands above the fields of which one is enough, and names them.
          const one =
            note === undefined ? undefined : props.requireOneOf.find((all) => all.every((name) => fields.includes(name)));
          const shown = filling.shown.filter(({ name }) => fields.includes(name));
          const ofOne = shown.filter(({ name }) => one?.includes(name));
          const noteText = note !== undefined && (
            // biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site.
            <div className="form-steps__note" id={noteId} dangerouslySetInnerHTML={{ __html: note }} />
          );
          return (
            <fieldset
              className="form-steps__step"
              aria-describedby={text === "" ? undefined : `${id}-step-${step + 1}`}
              hidden={isHydrated && !isCurrent}
              // The form scrolls there: past the steps that are done, if they are shown.
              data-place={props.summary.length > 0 ? "" : undefined}
              key={fields.join()}
            >
              <legend className="form-steps__head">
                <span className="form-steps__count">
                  {fill(messages.stepOf, { current: String(order.indexOf(step) + 1), total: String(order.length) })}
                </span>{" "}
                <h2 className="form-steps__title" ref={isCurrent ? heading : undefined} tabIndex={-1}>
                  {title}
                </h2>
              </legend>
              {text !== "" && (
                // biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site.
                <div className="form-steps__text" id={`${id}-step-${step + 1}`} dangerouslySetInnerHTML={{ __html: text }} />
              )}
              {/* Beside the fields that it names: the top of the form may be far above them. */}
              {isHydrated && isCurrent && <Summary>{later && isWrong ? <later.Wrong {...parts} /> : undefined}</Summary>}
              <div className="form-steps__fields">
                {shown.map((field) =>
                  field.look === "buttons" ? (
                    <Buttons
                      {...parts}
                      field={field}
                      onChoose={(value) => press(field, value)}
                      next={isBelowChoice && isHydrated && next}
                      key={field.name}
                    />
                  ) : field === ofOne[0] ? (
                    // biome-ignore lint/a11y/useSemanticElements: the note is longer than a legend, and stands above both.
                    <div className="form-steps__one" role="group" aria-labelledby={noteId} key={field.name}>
                      {noteText}
                      <Controls {...parts} names={ofOne.map(({ name }) => name)} />
                    </div>
                  ) : (
                    !ofOne.includes(field) && <Controls {...parts} names={[field.name]} key={field.name} />
                  ),
                )}
              </div>
              {end && <Consents {...parts} />}
              {later && end && isCurrent && <later.FormCaptcha {...parts} />}
              {ofOne.length === 0 && noteText}
            </fieldset>
          );
        })}
        <Trap form={props} />
        {isStuck && <Missing form={props} onRetry={load} />}
        <div className="form-steps__actions" ref={actions}>
          {number > 1 && (
            <button className="button button--secondary" type="button" aria-disabled={isBusy || undefined} onClick={back}>
              {messages.back}
            </button>
          )}
          {(isHydrated ? !isLast && leadsOn && !isBelowChoice : pressed.length === 0) && next}
          <Submit
            {...parts}
            className=" form-steps__submit"
            isHidden={isHydrated && !isLast}
            isWaiting={isWaiting}
            why={isWaiting ? `${id}-why` : undefined}
          />
          {isHydrated && isLast && (
            <p className="form-steps__why" id={failure === undefined ? `${id}-why` : undefined}>
              {why && (props.errors.captcha_required ?? messages.captchaTitle)}
            </p>
          )}
        </div>
        {later && failure !== undefined && isLast && <later.Failure {...parts} message={failure} submit={actions} />}
      </div>
    </Frame>
  );
}
