// Values that all parts of a list of posts share.

import { createContext, useContext } from "react";
import type { BlogExplorer } from "../../generated/wire";

export type Shared = Pick<BlogExplorer, "base" | "team" | "dates" | "messages">;

const Context = createContext<Shared | null>(null);

export const SharedValues = Context.Provider;

export const useShared = (): Shared => {
  const shared = useContext(Context);
  if (!shared) throw new Error("there are no shared values around this component");
  return shared;
};
