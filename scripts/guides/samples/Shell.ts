/**
 * Delimiters of a mark. A mark stands for a variable or a response's field, so that a parsed word is a single string.
 * This file parses the small part of the shell that the guides' samples use: words, quotes, variables, `$(field name)`,
 * pipes and redirections.
 */
const markOpen = "\ue000"
const markClose = "\ue001"

/** Returns the mark with this name: `NAME` for the variable `$NAME`. `withMarks` describes the names of field marks. */
export const variable = (name: string): string => `${markOpen}${name}${markClose}`

/** Part of a string: literal text, a variable of the reader's shell, or a field of an earlier response. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "field"; readonly call: number; readonly name: string }

const marks = new RegExp(`${markOpen}(?<name>[^${markClose}]+)${markClose}`, "gu")

/** Splits a string into literal text and marks. An empty string gives one empty part. */
export const partsOf = (text: string): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let from = 0
  for (const match of text.matchAll(marks)) {
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) })
    const name = match.groups?.name ?? ""
    const [, call, field = ""] = /^(\d+)\.(\w+)$/u.exec(name) ?? []
    parts.push(call === undefined ? { kind: "variable", name } : { kind: "field", call: Number(call), name: field })
    from = match.index + match[0].length
  }
  if (from < text.length || parts.length === 0) parts.push({ kind: "text", text: text.slice(from) })
  return parts
}

/**
 * Renames each mark for which `other` returns a new name. The name of a variable's mark is the variable's name. A
 * field's mark is named `.field` (latest response) or `index.field` (response to the call with that index).
 */
export const withMarks = (text: string, other: (name: string) => string | undefined): string =>
  text.replaceAll(marks, (mark, name: string) => {
    const replaced = other(name)
    return replaced === undefined ? mark : variable(replaced)
  })

/** Puts quotes around marks that stand for a whole JSON value, as in `"amount":$(field refundable)`. */
export const quotedMarks = (json: string): string =>
  json.replaceAll(new RegExp(`(?<=:\\s*)${markOpen}[^${markClose}]+${markClose}`, "gu"), (mark) => `"${mark}"`)

/** The words of a command. `pipe` is true if the command reads the output of the previous one. */
export interface Command {
  readonly words: ReadonlyArray<string>
  readonly pipe: boolean
}

const expansion = /^\$(?:(?<name>[A-Z_]+)|\(field (?<field>\w+)\))/u

/** Parses the commands of a block. Returns `undefined` if it contains unsupported syntax. */
export const commandsIn = (code: string): ReadonlyArray<Command> | undefined => {
  const commands: Array<{ words: Array<string>; pipe: boolean }> = [{ words: [], pipe: false }]
  let word: string | undefined
  let skipping = false
  const endWord = (): void => {
    if (word !== undefined && !skipping) commands.at(-1)?.words.push(word)
    if (word !== undefined) skipping = false
    word = undefined
  }
  let at = 0
  const expand = (): boolean => {
    const match = expansion.exec(code.slice(at))
    if (match === null) return false
    word = (word ?? "") + variable(match.groups?.name ?? `.${match.groups?.field}`)
    at += match[0].length
    return true
  }
  while (at < code.length) {
    const character = code.charAt(at)
    if (character === "\\" && code.charAt(at + 1) === "\n") at += 2
    else if (character === "'") {
      const end = code.indexOf("'", at + 1)
      if (end < 0) return undefined
      word = (word ?? "") + code.slice(at + 1, end)
      at = end + 1
    } else if (character === '"') {
      word ??= ""
      at += 1
      while (at < code.length && code.charAt(at) !== '"') {
        if (code.charAt(at) === "$") {
          if (!expand()) return undefined
        } else {
          if (code.charAt(at) === "\\" && /["\\$`]/u.test(code.charAt(at + 1))) at += 1
          word += code.charAt(at)
          at += 1
        }
      }
      at += 1
    } else if (character === "$") {
      if (!expand()) return undefined
    } else if (/[ \n|>]/u.test(character)) {
      endWord()
      if (character === ">") skipping = true
      if (character === "\n" || character === "|") commands.push({ words: [], pipe: character === "|" })
      at += 1
    } else if (/[;&<`(){}#]/u.test(character)) return undefined
    else {
      word = (word ?? "") + character
      at += 1
    }
  }
  endWord()
  return commands.filter(({ words }) => words.length > 0)
}
