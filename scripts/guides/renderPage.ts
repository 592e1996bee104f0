import { Marked, type Tokens } from "marked"
import { escapeHtml, type Highlight } from "./highlight.ts"
import { anchorOf, type Page, resolveLink } from "./Pages.ts"
import { baseUrlMark, labels, type Sample, samplesOfBlock } from "./samples/samples.ts"

/** A heading below the page's title. If a page has at least two of depth 2 or 3, these form its table of contents. */
export interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

/** A searchable part of a page. */
export interface Section {
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

export interface RenderedPage {
  readonly title: string
  readonly description: string
  readonly body: string
  readonly headings: ReadonlyArray<Heading>
  readonly sections: ReadonlyArray<Section>
}

/**
 * The url of a server on the reader's machine, as written in the guides. Code blocks show the deployment's own base url
 * instead.
 */
const shownUrl = "http://127.0.0.1:3000"

const ownAddress = (code: string): string => code.replaceAll(shownUrl, baseUrlMark)

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/[*`]/gu, "")
    .replaceAll("\\|", "|")

const copyButton = '<button class="copy" type="button" hidden>Copy</button>'

const block = (title: string, kind: string, html: string): string =>
  `<figure class="code ${kind}"><figcaption><span>${escapeHtml(title)}</span>${copyButton}</figcaption><pre tabindex="0"><code>${html}</code></pre></figure>\n`

const answers: Readonly<Record<string, string>> = { answer: "Response", prints: "Output" }

/** Returns a code block's caption. `words` follow the language in the block's opening fence. */
const titleOf = (language: string, words: ReadonlyArray<string>): string => {
  const [word = "", name] = words
  if (word === "answer" && language === "text") return "Output"
  if (answers[word] !== undefined) return answers[word]
  if (word === "file" && name !== undefined) return name
  if (language === "sh") return "Terminal"
  return (
    { ts: "TypeScript", json: "JSON", python: "Python", php: "PHP", go: "Go", text: "Output", sql: "SQL" }[language] ??
    language
  )
}

const highlightedAs: Readonly<Record<string, string>> = { curl: "bash" }

/** Renders samples in several languages as tabs. Without scripts, all are listed, each under its language's name. */
const tabs = (samples: ReadonlyArray<Sample>, highlight: Highlight, group: number): string => {
  const panels = samples.map(({ code, language }, index) => {
    const id = `s${group}-${language}`
    const html = highlight(ownAddress(code), highlightedAs[language] ?? language)
    return `<div class="panel" id="${id}" data-language="${language}"${index === 0 ? "" : " data-rest"}><p class="language">${labels[language]}</p><pre tabindex="0"><code>${html}</code></pre></div>`
  })
  return `<div class="code tabs" data-tabs><div class="bar"><div class="tablist"></div>${copyButton}</div>${panels.join("")}</div>\n`
}

export const renderPage = (page: Page, pages: ReadonlyArray<Page>, highlight: Highlight): RenderedPage => {
  const headings: Array<Heading> = []
  const sections: Array<{ anchor: string; heading: string; text: string }> = []
  let title = page.label
  let groups = 0
  const used = new Map<string, number>()

  const uniqueAnchor = (text: string): string => {
    const anchor = anchorOf(text)
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }

  const note = (text: string): void => {
    const section = sections.at(-1)
    if (section !== undefined) section.text += ` ${plain(text)}`
  }

  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      heading({ depth, text, tokens }: Tokens.Heading): string {
        const label = plain(text)
        if (depth === 1) {
          title = label
          sections.push({ anchor: "", heading: label, text: "" })
          return ""
        }
        const anchor = uniqueAnchor(text)
        headings.push({ depth, text: label, anchor })
        sections.push({ anchor, heading: label, text: "" })
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
      },
      code({ lang = "", text }: Tokens.Code): string {
        const [language = "", ...words] = lang.split(/\s+/u)
        if (language === "sh" && words[0] === "run" && text.includes("curl ")) {
          const samples = samplesOfBlock(`${text}\n`)
          if (samples.length > 1) {
            groups += 1
            return tabs(samples, highlight, groups)
          }
        }
        const kind = words[0] !== undefined && answers[words[0]] !== undefined ? "answer" : "plain"
        return block(titleOf(language, words), kind, highlight(ownAddress(text), language))
      },
      link({ href, tokens }: Tokens.Link): string {
        const target = resolveLink(page, href, pages)
        const html = this.parser.parseInline(tokens)
        if (target === undefined) return html
        return `<a href="${escapeHtml(target)}">${html}</a>`
      },
      paragraph({ text, tokens }: Tokens.Paragraph): string {
        note(text)
        return `<p>${this.parser.parseInline(tokens)}</p>\n`
      },
      table({ header, rows }: Tokens.Table): string {
        const isCodes = header[0]?.text === "code"
        // Rows of error codes become separate sections below instead, so that the search finds each code.
        if (!isCodes) note([...header, ...rows.flat()].map((cell) => cell.text).join(" "))
        const head = header.some(({ text }) => text !== "")
          ? header
              .map(({ text, tokens }) =>
                text === "" ? "<td></td>" : `<th scope="col">${this.parser.parseInline(tokens)}</th>`
              )
              .join("")
          : ""
        const codes: Array<Section> = []
        const lines = rows.map((cells) => {
          const code = isCodes ? /^`(\w+)`$/u.exec(cells[0]?.text ?? "")?.[1] : undefined
          const id = code === undefined || used.has(code) ? "" : ` id="${code}"`
          if (id !== "" && code !== undefined) {
            used.set(code, 1)
            codes.push({
              anchor: code,
              heading: code,
              text: cells
                .slice(1)
                .map(({ text }) => plain(text))
                .join(" ")
            })
          }
          return `<tr${id}>${cells.map(({ tokens }) => `<td>${this.parser.parseInline(tokens)}</td>`).join("")}</tr>`
        })
        sections.push(...codes)
        const caption = headings.at(-1)?.text ?? title
        return `<div class="scroll" role="group" aria-label="${escapeHtml(`Table: ${caption}`)}" tabindex="0"><table>${head === "" ? "" : `<thead><tr>${head}</tr></thead>`}<tbody>${lines.join("")}</tbody></table></div>\n`
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return /^<!--/u.test(text.trim()) ? "" : escapeHtml(text)
      },
      listitem(item: Tokens.ListItem): string {
        note(item.text.replaceAll(/```[\s\S]*?```/gu, ""))
        const html = this.parser.parse(item.tokens)
        // The reader can tick items of a checklist, but ticks are not stored.
        return item.task
          ? `<li class="task"><label><input type="checkbox"> <span>${html}</span></label></li>\n`
          : `<li>${html}</li>\n`
      },
      checkbox(): string {
        return ""
      }
    }
  })
  const body = marked.parse(page.text, { async: false })
  const description = plain(/^# .+\n+(?<first>(?:[^\n#|`].*\n)+)/mu.exec(page.text)?.groups?.first ?? "")
    .replaceAll(/\s+/gu, " ")
    .trim()
  const first = description.length > 160 ? `${description.slice(0, 157).replace(/\s\S*$/u, "")}…` : description
  return { title, description: first, body, headings, sections }
}
