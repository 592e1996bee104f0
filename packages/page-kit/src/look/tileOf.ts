import { tiles } from "./Palette.js"

/** Always the same number for the same text. */
const numberOf = (text: string): number =>
  [...text].reduce((sum, { length }, index) => sum + length * (text.charCodeAt(index) + index), 0)

/** The ground that an id picks, as the number of its class `t0`, `t1`, …: the same on every page. */
export const tileOf = (id: string): number => numberOf(id) % tiles.length
