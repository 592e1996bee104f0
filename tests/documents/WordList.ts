interface Phrase {
  /** A regular expression. Its spaces also match line breaks and comment markers, since a phrase may be wrapped. */
  readonly pattern: string
  readonly instead: string
}

const phrases: ReadonlyArray<Phrase> = [
  { pattern: "(no|some|any|every)body", instead: "no one, someone, a caller, or a noun" },
  { pattern: "who(m)?ever", instead: "the caller, the bearer, or a noun" },
  { pattern: "whatever", instead: "any, or regardless of" },
  { pattern: "(is|are|was|were|be|been) told(?! apart)", instead: "gets, learns, sees, or an active verb" },
  { pattern: "tell(s)? of|told of", instead: "reports" },
  { pattern: "so many(?! (as|that))", instead: "a number, or the count" },
  { pattern: "there (is|are|was|were) none", instead: "is missing, or does not exist" },
  { pattern: "(as|where|than) there (is|are|was|were)", instead: "if it exists, or the noun" },
  { pattern: "that there (is|are|was|were) not", instead: "missing, or unknown" },
  { pattern: "answers? (whether|how many|how much|what|which|why)", instead: "returns" },
  { pattern: "tells? (whether|how many|how much|what|which|why)", instead: "returns, or says" },
  { pattern: "by (itself|themselves)", instead: "alone, or automatically" },
  { pattern: "what there is( of)?", instead: "the noun" },
  { pattern: "any number of", instead: "several, or under any concurrency" },
  { pattern: "as good as none", instead: "like an unknown one" },
  { pattern: "(comes?|came|becomes?|became|become) of", instead: "outcome, result" },
  { pattern: "br(oke|eaks) off", instead: "failed" },
  { pattern: "leads? nowhere", instead: "is unknown, or does not exist" },
  { pattern: "how many it were|how-manieth", instead: "the count, the position" },
  { pattern: "under way", instead: "in flight, or in progress" },
  { pattern: "anew", instead: "again" },
  { pattern: "look-up(s)?", instead: "lookup" },
  { pattern: "(got|expected) a text", instead: "string" },
  { pattern: "(goes|went|gone) away", instead: "disconnects, or stops waiting" },
  { pattern: "is to be had", instead: "is available" },
  { pattern: "for ever", instead: "forever" }
]

const compiled = phrases.map(({ instead, pattern }) => ({
  instead,
  expression: new RegExp(`\\b(?:${pattern.replaceAll(" ", "[\\s*/]+")})\\b`, "gi")
}))

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

/** Matches the start of a comment, of a continuation line in a block comment, or of a `//` comment after code. */
const comment = /^\s*(\*|\/[/*])|(?<=\s)\/\/ /

/** Matches a string of at least three words, such as a test's name, a log line or an error message. */
const sentence = /(["`])(?=(?:\\.|(?!\1).)*[a-z,] [a-z]+ (?:\\.|(?!\1).)*\1)(?:\\.|(?!\1).)*\1/giu

/** Blanks out a line except for its sentences, keeping positions. */
const sentencesOf = (line: string): string => {
  let end = 0
  let prose = ""
  for (const { 0: found, index } of line.matchAll(sentence)) {
    prose += blank(line.slice(end, index)) + found
    end = index + found.length
  }
  return prose + blank(line.slice(end))
}

/**
 * Blanks out a file except for its prose, keeping positions. A page's prose is everything but code. A source file's
 * prose is its comments and sentences.
 */
const proseOf = (file: string, text: string): string => {
  if (file.endsWith(".md")) {
    return text.replaceAll(/^ *```.*?^ *```$/gms, blank).replaceAll(/`[^`\n]*`/g, blank)
  }
  return text
    .split("\n")
    .map((line) => {
      const start = line.search(comment)
      return start < 0 ? sentencesOf(line) : sentencesOf(line.slice(0, start)) + line.slice(start)
    })
    .join("\n")
}

/** Returns each occurrence of a listed phrase in a file, with its line and its replacement. */
export const wordViolations = (file: string, text: string): ReadonlyArray<string> => {
  const prose = proseOf(file, text)
  return compiled.flatMap(({ expression, instead }) =>
    [...prose.matchAll(expression)].map(({ 0: found, index }) => {
      const line = prose.slice(0, index).split("\n").length
      return `${file}:${line}: "${found.replaceAll(/[\s*/]+/g, " ")}"; write: ${instead}`
    })
  )
}
