// When an island wakes, by the word that its element carries in `when`.

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
