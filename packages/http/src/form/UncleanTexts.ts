import { type Fault, inBody, maxFaults } from "../problem/Fault.js"

/** NUL and lone surrogates are in no text that is kept. */
export const isClean = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

export const uncleanText = (path: ReadonlyArray<PropertyKey>): Fault =>
  inBody(path, "invalid_characters", "The text has a NUL character or a lone surrogate.")

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Adds to `found` each text that is not clean, the first ones where there are very many. */
const findUnclean = (value: unknown, path: ReadonlyArray<PropertyKey>, found: Array<Fault>): void => {
  if (found.length >= maxFaults) return
  if (typeof value === "string") {
    if (!isClean(value)) found.push(uncleanText(path))
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findUnclean(item, [...path, index], found)
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (isClean(key)) findUnclean(item, [...path, key], found)
      else found.push(uncleanText([...path, key]))
    }
  }
}

/** Texts in a value that have NUL or a lone surrogate, each as a fault. */
export const uncleanTexts = (value: unknown): ReadonlyArray<Fault> => {
  const found: Array<Fault> = []
  findUnclean(value, [], found)
  return found
}
