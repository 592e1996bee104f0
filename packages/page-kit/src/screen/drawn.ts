import { type Html, html } from "../Html.js"

/** An icon of 24 by 24. It stands beside words, so screen readers skip it. */
export const drawn = (shape: Html, flips = false): Html =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"${flips && html` class="flip"`}>${shape}</svg>`
