// Values that all parts of an island share, without passing them through every component.

import { createContext, type Provider, useContext } from "react";

/** A component that provides values to all components below it, and the hook with which these read them. */
export function sharedValues<Values>(): [Provider<Values | null>, () => Values] {
  const Context = createContext<Values | null>(null);
  const useValues = (): Values => {
    const values = useContext(Context);
    if (!values) throw new Error("there are no shared values around this component");
    return values;
  };
  return [Context.Provider, useValues];
}
