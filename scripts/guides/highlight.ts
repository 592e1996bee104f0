import { createCssVariablesTheme, createHighlighter } from "shiki"

const theme = createCssVariablesTheme({ name: "surety", variablePrefix: "--", variableDefaults: {}, fontStyle: false })
const languages = [
  "bash",
  "json",
  "typescript",
  "javascript",
  "python",
  "php",
  "go",
  "java",
  "http",
  "sql",
  "xml"
] as const

const names: Readonly<Record<string, string>> = {
  sh: "bash",
  ts: "typescript",
  js: "javascript",
  mts: "typescript",
  html: "xml"
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/gu, (character) => escapes[character] ?? character)

/**
 * Returns the CSS class for a colour of the theme, or `undefined` for plain text. A style attribute would need a weaker
 * content security policy.
 */
const classOf = (colour: string | undefined): string | undefined => {
  const token = /--token-([a-z-]+)/u.exec(colour ?? "")?.[1]
  return token === undefined ? undefined : `k-${token}`
}

/** Highlights code as HTML, with classes instead of inline styles. Code in an unknown language is only escaped. */
export type Highlight = (code: string, language: string) => string

export const makeHighlight = async (): Promise<Highlight> => {
  const highlighter = await createHighlighter({ themes: [theme], langs: [...languages] })
  return (code, language) => {
    const lang = names[language] ?? language
    const known = languages.find((each) => each === lang)
    if (known === undefined) return escapeHtml(code)
    const lines = highlighter.codeToTokensBase(code.trimEnd(), { lang: known, theme })
    return lines
      .map((line) => {
        const runs: Array<{ readonly kind: string | undefined; text: string }> = []
        for (const { color, content } of line) {
          const kind = classOf(color)
          const last = runs.at(-1)
          // White space looks the same in every colour, so it joins the preceding run.
          if (last !== undefined && (last.kind === kind || content.trim() === "")) last.text += content
          else runs.push({ kind, text: content })
        }
        return runs
          .map(({ kind, text }) =>
            kind === undefined ? escapeHtml(text) : `<span class="${kind}">${escapeHtml(text)}</span>`
          )
          .join("")
      })
      .join("\n")
  }
}
