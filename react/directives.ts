// The directives that decide when an island hydrates, by the value of its `when` attribute.

import { idle } from "./directives/idle";
import { interaction } from "./directives/interaction";
import { load } from "./directives/load";
import { media } from "./directives/media";
import { visible } from "./directives/visible";

export const directives: Record<string, (root: HTMLElement, hydrate: () => void) => void> = {
  idle,
  interaction,
  load,
  media,
  visible,
};
