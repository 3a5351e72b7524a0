// A form of the site in steps. Without script all steps are on one page, as groups of fields, and the form is sent as it is.
// With script one step is shown at a time; the fields of the others are hidden, and keep what was entered.

import arrowRight from "@phosphor-icons/core/assets/regular/arrow-right.svg";
import { type ReactNode, useRef } from "react";
import type { FormControl, SiteForm } from "../../generated/wire";
import { Icon } from "../../lib/icon";
import { Progress } from "../../lib/progress";
import { fill } from "../../lib/words";
import { TOKEN } from "../form/fields";
import { Consents, Controls, Frame, Missing, Submit, Summary, Trap } from "../form/parts";
import { Buttons } from "./buttons";
import { hasPreview, type Stepping, useSteps } from "./use-steps";

interface Props {
  form: SiteForm;
  stepping: Stepping;
  /** What leads on. */
  next: ReactNode;
}

/** The fields of the step that is shown whose choices are pressed. */
const pressed = (form: SiteForm, at: number): FormControl[] =>
  form.fields.filter(({ name, look }) => look === "buttons" && form.steps[at]?.fields.includes(name));

/** Whether the buttons of the step are below the choice that was made, which is all that the step asks. */
const isBelowChoice = (form: SiteForm, at: number): boolean =>
  form.steps[at]?.fields.length === 1 && pressed(form, at).some(hasPreview);

/** The button that goes back a step, in all but the first. */
function Back({ form, stepping: { filling, later, number } }: Pick<Props, "form" | "stepping">): ReactNode {
  const { part } = later;
  if (!part || number <= 1) return null;
  return (
    <button
      className="button button--secondary"
      type="button"
      aria-disabled={filling.state.phase === "sending" || undefined}
      onClick={() => filling.change(part.back(form))}
    >
      {form.messages.back}
    </button>
  );
}

/** The fields of a step. A note stands above those of which one is enough, and names them; otherwise at the end of the step. */
function Fields({ form, stepping, next, at }: Props & { at: number }): ReactNode {
  const { filling, later, press } = stepping;
  const { fields = [], note } = form.steps[at] ?? {};
  const parts = { form, filling };
  const noteId = `${form.id}-note-${at + 1}`;
  const one = note === undefined ? undefined : form.requireOneOf.find((all) => all.every((name) => fields.includes(name)));
  const shown = filling.shown.filter(({ name }) => fields.includes(name));
  const ofOne = shown.filter(({ name }) => one?.includes(name));
  const noteText = note !== undefined && (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site.
    <div className="form-steps__note" id={noteId} dangerouslySetInnerHTML={{ __html: note }} />
  );
  const isCurrent = at === stepping.at;
  const isEnd = at === form.steps.length - 1;
  const below = filling.state.isAwake && isCurrent && isBelowChoice(form, at) && (
    <div className="form-steps__actions">
      <Back form={form} stepping={stepping} />
      {next}
    </div>
  );
  return (
    <>
      <div className="form-steps__fields">
        {shown.map((field) =>
          field.look === "buttons" ? (
            <Buttons key={field.name} {...parts} field={field} onChoose={(value) => press(field, value)} next={below} />
          ) : field === ofOne[0] ? (
            // biome-ignore lint/a11y/useSemanticElements: the note is longer than a legend, and stands above both.
            <div className="form-steps__one" role="group" aria-labelledby={noteId} key={field.name}>
              {noteText}
              <Controls {...parts} names={ofOne.map(({ name }) => name)} />
            </div>
          ) : (
            !ofOne.includes(field) && <Controls key={field.name} {...parts} names={[field.name]} />
          ),
        )}
      </div>
      {isEnd && <Consents {...parts} />}
      {later.part && isEnd && isCurrent && <later.part.FormCaptcha {...parts} />}
      {ofOne.length === 0 && noteText}
    </>
  );
}

function Step(props: Props & { at: number }): ReactNode {
  const { form, stepping, at } = props;
  const { filling, order, heading } = stepping;
  const { title, text = "" } = form.steps[at] ?? {};
  const isCurrent = at === stepping.at;
  const { isAwake } = filling.state;
  const textId = text === "" ? undefined : `${form.id}-step-${at + 1}`;
  const count = { current: String(order.indexOf(at) + 1), total: String(order.length) };
  return (
    <fieldset
      className="form-steps__step"
      aria-describedby={textId}
      hidden={isAwake && !isCurrent}
      // The form scrolls there: past the steps that are done, if they are shown.
      data-place={form.summary.length > 0 ? "" : undefined}
    >
      <legend className="form-steps__head">
        <span className="form-steps__count">{fill(form.messages.stepOf, count)}</span>{" "}
        <h2 className="form-steps__title" ref={isCurrent ? heading : undefined} tabIndex={-1}>
          {title}
        </h2>
      </legend>
      {textId !== undefined && (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the build makes this HTML from Markdown of the site.
        <div className="form-steps__text" id={textId} dangerouslySetInnerHTML={{ __html: text }} />
      )}
      {isAwake && isCurrent && <Summary form={form} filling={filling} />}
      <Fields {...props} />
    </fieldset>
  );
}

/** The buttons below a step, and what says why one of them waits. */
function Actions({ form, stepping, next }: Props): ReactNode {
  const { filling, later, order, at, number } = stepping;
  const { isAwake, values, errors, token } = filling.state;
  const place = useRef<HTMLDivElement>(null);
  const isLast = number === order.length;
  const failure = isAwake ? errors[""] : undefined;
  const isUnsolved = form.captcha !== null && token === "";
  const isWaiting = isAwake && (failure !== undefined || isUnsolved);
  const isCaptchaAsked = isWaiting && isUnsolved && failure === undefined && errors[TOKEN] === undefined;
  // A button leads on itself, or once its choice is made.
  const leadsOn = pressed(form, at).every((field) => hasPreview(field) && values[field.name] !== undefined);
  const isBelow = isAwake && leadsOn && isBelowChoice(form, at);
  const why = `${form.id}-why`;
  return (
    <>
      <div className="form-steps__actions" ref={place}>
        {!isBelow && <Back form={form} stepping={stepping} />}
        {isAwake && isLast && (
          <p className="form-steps__why" id={failure === undefined ? why : undefined}>
            {isCaptchaAsked && (form.errors.captcha_required ?? form.messages.captchaTitle)}
          </p>
        )}
        {(isAwake ? !isLast && leadsOn && !isBelow : pressed(form, at).length === 0) && next}
        <Submit
          form={form}
          filling={filling}
          className=" form-steps__submit"
          isHidden={isAwake && !isLast}
          isWaiting={isWaiting}
          why={isWaiting ? why : undefined}
        />
      </div>
      {later.part && failure !== undefined && isLast && (
        <later.part.Failure
          form={form}
          message={failure}
          submit={place}
          onRetry={() => later.part && filling.change(later.part.cleared)}
          onRestart={filling.restart}
        />
      )}
    </>
  );
}

export default function SteppedForm(props: SiteForm): ReactNode {
  const stepping = useSteps(props);
  const { filling, later, order, number, proceed, submit } = stepping;
  const { isAwake, phase, values, round } = filling.state;
  const next = (
    <button className="button button--primary form-steps__next" type="button" onClick={proceed}>
      {props.messages.continueAction}
      <Icon svg={arrowRight} isArrow />
    </button>
  );
  const parts = { form: props, stepping, next };
  return (
    <Frame form={props} filling={filling} onSubmit={submit}>
      {/* Outside of what begins anew when the form is emptied: it knows which step was shown before. */}
      {later.part && <later.part.Journey {...later.part.journeyOf(props, stepping)} />}
      <div className="form-steps" data-steps={isAwake ? "shown" : ""} data-stuck={later.isMissing ? "" : undefined} key={round}>
        <Progress labels={order.map((step) => props.steps[step]?.label ?? "")} step={number} messages={props.messages} />
        {later.part && props.summary.length > 0 && number > 1 && (
          <later.part.Summary
            form={props}
            shown={filling.shown}
            values={values}
            done={order.slice(0, number - 1)}
            onChange={(step) => later.part && phase !== "sending" && filling.change(later.part.went(step))}
          />
        )}
        {props.steps.map(({ fields }, at) => (
          <Step key={fields.join()} {...parts} at={at} />
        ))}
        <Trap form={props} />
        {later.isMissing && <Missing form={props} onRetry={later.retry} />}
        <Actions {...parts} />
      </div>
    </Frame>
  );
}
