// What is wrong with a form in steps: a list that leads to each error, and a panel if it could not be sent.

import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { SiteForm } from "../../generated/wire";
import { Trouble } from "../../lib/trouble";
import { controlId, plainLabel, TOKEN } from "../form/names";
import type { Filling } from "../form/use-form";

interface Props {
  form: SiteForm;
  filling: Filling;
}

/** What leads to a field with an error: the message if it has words of its own, and else the field's name. */
const linkOf = ({ form, filling: { listed } }: Props, name: string): string => {
  const field = form.fields.find((field) => field.name === name);
  const isOwn = field !== undefined && (field.error !== null || field.mistakes !== undefined);
  const label = (field && plainLabel(field.label)) ?? (name === TOKEN ? form.messages.captchaTitle : undefined);
  return (isOwn ? listed[name] : label) ?? listed[name] ?? "";
};

export function Wrong(props: Props): ReactNode {
  const { form, filling } = props;
  return (
    <>
      <p>{form.messages.fixErrors}</p>
      <ul>
        {Object.keys(filling.listed).map((name) => (
          <li key={name}>
            <a
              href={`#${controlId(form, name)}`}
              onClick={(event) => {
                // Following the link would replace the fragment, which may name a choice.
                event.preventDefault();
                document.getElementById(controlId(form, name))?.focus();
              }}
            >
              {linkOf(props, name)}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

interface FailureProps extends Props {
  message: string;
  submit: RefObject<HTMLDivElement | null>;
}

export function Failure({ form: { id, messages }, filling, message, submit }: FailureProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  // The panel stands below the buttons, where it moves none of them, but it may be outside the viewport.
  useEffect(() => {
    // In some browsers it returns a promise.
    void place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <Trouble id={`${id}-why`} place={place} level="h3" heading={messages.submissionFailed} message={message}>
      <div className="actions">
        <button
          className="button button--primary"
          type="button"
          onClick={() => {
            // The panel goes, and the focus with it.
            submit.current?.querySelector<HTMLElement>("[type=submit]")?.focus();
            filling.show({});
          }}
        >
          {messages.tryAgain}
        </button>
        <button className="button button--secondary" type="button" onClick={filling.restart}>
          {messages.startOver}
        </button>
      </div>
    </Trouble>
  );
}
