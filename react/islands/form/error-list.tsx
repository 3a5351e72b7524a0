// What is wrong with a form, as a list that leads to each error. It comes with the script that finds what is wrong (send.ts).

import type { ReactNode } from "react";
import type { SiteForm } from "../../generated/wire";
import { controlId, plainLabel } from "./fields";
import type { Errors, State } from "./state";

/** The fields to list: all of the last attempt as long as one of them is wrong, so that nothing moves while they are corrected. */
export const listedOf = ({ errors, attempt }: State): string[] => {
  const names = Object.keys(attempt).filter((name) => name !== "");
  return names.some((name) => errors[name] !== undefined) ? names : [];
};

/** What leads to a field with an error: the message if it has words of its own, and else the field's name. */
const linkOf = ({ fields }: SiteForm, name: string, errors: Errors): string | undefined => {
  const field = fields.find((field) => field.name === name);
  return field && field.error === null && !field.mistakes ? plainLabel(field.label) : errors[name];
};

export function ErrorList({ form, state }: { form: SiteForm; state: State }): ReactNode {
  return (
    <ul>
      {listedOf(state).map((name) => (
        <li key={name}>
          <a
            href={`#${controlId(form, name)}`}
            onClick={(event) => {
              // Following the link would replace the fragment, which may name a choice.
              event.preventDefault();
              document.getElementById(controlId(form, name))?.focus();
            }}
          >
            {linkOf(form, name, state.attempt)}
          </a>
        </li>
      ))}
    </ul>
  );
}
