import MiniSearch from "minisearch"

/* global SECTIONS */
/** `[slug, title, anchor, heading, text]` of each section, filled in by the build. */
const sections = SECTIONS.map(([slug, title, anchor, heading, text], id) => ({
  id,
  slug,
  title,
  anchor,
  heading,
  text
}))

const index = new MiniSearch({
  fields: ["heading", "title", "text"],
  searchOptions: {
    boost: { heading: 4, title: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND"
  },
  // Makes a code such as `amount_precision` searchable by its words too.
  tokenize: (text) =>
    text.split(/[\s\p{P}]+/u).flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word]))
})
index.addAll(sections)

const excerptLength = 120

const excerptOf = (text, query) => {
  const [word = ""] = query.toLowerCase().split(/\s+/u)
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 30)
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1
  return `${start === 0 ? "" : "… "}${text.slice(start, start + excerptLength)}${start + excerptLength < text.length ? " …" : ""}`
}

/**
 * Returns at most eight sections, best match first. Each matches every word of the query: exactly, as a prefix or
 * approximately.
 */
export const find = (query) =>
  index
    .search(query)
    .slice(0, 8)
    .map(({ id }) => {
      const { anchor, heading, slug, text, title } = sections[id]
      return { anchor, heading, slug, title, excerpt: excerptOf(text, query) }
    })
