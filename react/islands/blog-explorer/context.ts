// Values that all parts of a list of posts share.

import type { BlogExplorer } from "../../generated/wire";
import { sharedValues } from "../../lib/shared-values";

export type Shared = Pick<BlogExplorer, "base" | "team" | "dates" | "messages">;

export const [SharedValues, useShared] = sharedValues<Shared>();
