/** Markup that is safe to send: literals from the code, with all other values escaped. */
export class Html {
  // Private, so that TypeScript rejects look-alike objects, which would pass unescaped.
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** A value in markup. Strings and numbers are escaped, `undefined` and `false` omitted. */
export type HtmlValue = Html | string | number | undefined | false | ReadonlyArray<HtmlValue>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeText = (text: string): string => text.replace(/[&<>"']/gu, (character) => entities[character] ?? "")

const markupOf = (value: HtmlValue): string => {
  if (value === undefined || value === false) return ""
  if (value instanceof Html) return value.toString()
  if (typeof value === "object") return value.map(markupOf).join("")
  return escapeText(String(value))
}

/**
 * Builds markup from literals and values. Strings and numbers are escaped for element text and for quoted attributes.
 * They are not safe in unquoted attributes, scripts or styles, or at the start of a url.
 */
export const html = (literals: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html =>
  new Html(literals.map((literal, index) => literal + markupOf(values[index])).join(""))

/**
 * Builds an icon on a 24 by 24 grid. It is hidden from screen readers, because it accompanies text. With `flips`, the
 * styles may mirror it in right-to-left text.
 */
export const drawn = (shape: Html, flips = false): Html =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"${flips && html` class="flip"`}>${shape}</svg>`
