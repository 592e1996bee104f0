import { maxFaults } from "@surety/core/input/InputFault"
import { longestList, uncleanText } from "@surety/core/input/Text"
import { type Fault, inBody } from "../problem/Fault.js"
import { FirstKeys } from "./FirstKeys.js"
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  decodedText,
  literals,
  openBrace,
  openBracket,
  quote,
  skipDigits,
  skipRun,
  skipSpace
} from "./JsonBytes.js"
import { longString, readLong, skipEscaped, unescapedText } from "./JsonEscape.js"
import { isExact, longestNumber, longNumber } from "./JsonNumber.js"
import { type FieldNames, hashOfName, keyHash } from "./Surplus.js"

/** Which parts of a value are built: all, a form's known fields and a limited number of unknown ones, or none. */
type Kept = "all" | "known" | "none"

const plus = 43
const minus = 45
const dot = 46
const zero = 48
const colon = 58
const letterE = 101
/** Bit that makes an ASCII letter lower case. */
const small = 32

interface Key {
  readonly start: number
  readonly end: number
  readonly hash: number
  readonly isClean: boolean
  /** Present if the key has escapes. Decoding any other key is deferred. */
  readonly unescaped: string | undefined
}

/**
 * Reads JSON from UTF-8, strictly (RFC 8259). Builds only the values that a form needs, to save memory and time. Unless
 * the form is open, unknown fields are null. Builds only as many unknown fields and list items as `trimSurplus` needs
 * to report a surplus. Unescapes long strings in place.
 */
export class JsonReader {
  /**
   * Faults of the first `maxFaults` strings and keys with NUL or lone surrogates, even in omitted parts. Excludes
   * strings and keys in the value of such a key.
   */
  readonly unclean: Array<Fault> = []
  /**
   * The first `maxFaults` numbers with more digits than a double holds, including omitted numbers. Their paths are in
   * `inexactPaths`.
   */
  readonly inexact: Array<string> = []
  readonly inexactPaths: Array<ReadonlyArray<PropertyKey>> = []
  hasFieldTwice = false

  readonly #bytes: Uint8Array
  readonly #fields: FieldNames
  /** Path to the current value: indexes of items, and negated positions of keys, which are decoded only for a fault. */
  readonly #path: Array<number> = []
  #at = 0
  #unknownFields = 0
  #isClean = true
  #isEscaped = false

  constructor(bytes: Uint8Array, fields: FieldNames) {
    this.#bytes = bytes
    this.#fields = fields
  }

  /** Reads the complete text. Throws if it is not JSON. */
  read(): unknown {
    const value = this.#value(this.#fields.isOpen ? "all" : "known")
    if (this.#next() !== undefined) throw this.#notJson()
    return value
  }

  #notJson(): SyntaxError {
    return new SyntaxError(`No JSON from byte ${this.#at} on`)
  }

  /** Skips white space and returns the next byte without consuming it. Undefined at the end. */
  #next(): number | undefined {
    this.#at = skipSpace(this.#bytes, this.#at)
    return this.#at < this.#bytes.length ? this.#bytes[this.#at] : undefined
  }

  #take(code: number): void {
    if (this.#next() !== code) throw this.#notJson()
    this.#at += 1
  }

  /** Reads a comma or `end`. Returns true if the list or object continues. */
  #goesOn(end: number): boolean {
    const isEnd = this.#next() === end
    this.#take(isEnd ? end : comma)
    return !isEnd
  }

  #isEmpty(end: number): boolean {
    this.#at += 1
    const isEmpty = this.#next() === end
    if (isEmpty) this.#at += 1
    return isEmpty
  }

  #value(kept: Kept, most = Number.POSITIVE_INFINITY): unknown {
    const code = this.#next()
    if (code === openBrace) return this.#object(kept)
    if (code === openBracket) return this.#list(kept, most)
    if (code === quote) {
      const text = this.#string(kept === "none" ? 0 : most)
      if (!this.#isClean) this.#addUnclean()
      return text
    }
    const literal = literals.get(code)
    if (literal === undefined) return this.#number(kept !== "none")
    for (const letter of literal.word) {
      if (this.#bytes[this.#at] !== letter) throw this.#notJson()
      this.#at += 1
    }
    return literal.value
  }

  #steps(): ReadonlyArray<PropertyKey> {
    return this.#path.map((step) => (step < 0 ? this.#keyAt(-step) : step))
  }

  #addUnclean(): void {
    if (this.unclean.length >= maxFaults) return
    const { code, detail, path } = uncleanText(this.#steps())
    this.unclean.push(inBody(path, code, detail))
  }

  #list(kept: Kept, most: number): ReadonlyArray<unknown> {
    const list: Array<unknown> = []
    if (this.#isEmpty(closeBracket)) return list
    let index = 0
    do {
      const isKept = kept === "all" || (kept === "known" && index <= longestList)
      this.#path.push(index)
      const item = this.#value(isKept ? kept : "none", most)
      this.#path.pop()
      if (isKept) list.push(item)
      index += 1
    } while (this.#goesOn(closeBracket))
    return list
  }

  #object(kept: Kept): object {
    const record: Record<string, unknown> = {}
    if (this.#isEmpty(closeBrace)) return record
    const firsts = new FirstKeys()
    const others = new Set<string>()
    do {
      const key = this.#key()
      const first = firsts.firstOrAdd(key.hash, key.start)
      if (first !== undefined) this.#compare(this.#textOf(key), this.#keyAt(first), others)
      this.#take(colon)
      this.#path.push(-key.start)
      this.#field(record, key, kept)
      this.#path.pop()
    } while (this.#goesOn(closeBrace))
    return record
  }

  /** Sets `hasFieldTwice` if an earlier key with the same hash has this name. */
  #compare(name: string, first: string, others: Set<string>): void {
    if (name === first || others.has(name)) this.hasFieldTwice = true
    others.add(name)
  }

  #field(record: Record<string, unknown>, key: Key, kept: Kept): void {
    if (!key.isClean) this.#addUnclean()
    const found = this.unclean.length
    const { hashes, known, open } = this.#fields
    const isKnown = kept === "known" && hashes.has(key.hash) && known.has(this.#textOf(key))
    const isKept = kept === "all" || isKnown || (kept === "known" && this.#isListed())
    const name = isKept ? this.#textOf(key) : ""
    const ofValue = isKnown ? (open.has(name) ? "all" : kept) : kept === "all" ? kept : "none"
    const read = this.#value(ofValue, isKnown ? this.#fields.lengths.get(name) : undefined)
    const value = ofValue === "none" ? null : read
    // An unclean name is one fault, so unclean strings and names in the field's value are not reported.
    if (!key.isClean) this.unclean.length = found
    if (!isKept) return
    if (name === "__proto__") {
      Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true })
    } else {
      record[name] = value
    }
  }

  /**
   * Counts an unknown field and returns whether to keep it. Two are kept beyond `maxFaults`: `trimSurplus` keeps the
   * first and reports the second as surplus.
   */
  #isListed(): boolean {
    this.#unknownFields += 1
    return this.#unknownFields <= maxFaults + 2
  }

  /**
   * Reads a string. Returns "" if `most` is 0. May cut and pad a string of more than `most` characters, like
   * `unescapedText`.
   */
  #string(most: number): string {
    const bytes = this.#bytes
    const start = this.#at + 1
    const firstEscape = skipRun(bytes, start)
    this.#isEscaped = bytes[firstEscape] === backslash
    const passed = skipEscaped(bytes, firstEscape, most === 0 ? bytes.length : start + longString)
    const isLong = most > 0 && this.#isEscaped && passed.at - start >= longString
    const long = isLong ? readLong(bytes, start, firstEscape, most) : undefined
    const { at, isClean } = long ?? passed
    if (bytes[at] !== quote) throw this.#notJson()
    this.#at = at + 1
    this.#isClean = isClean
    if (long !== undefined || most === 0) return long?.text ?? ""
    return this.#isEscaped ? JSON.parse(decodedText(bytes, start - 1, at + 1)) : unescapedText(bytes, start, at, most)
  }

  #key(): Key {
    if (this.#next() !== quote) throw this.#notJson()
    const start = this.#at
    this.#string(0)
    const end = this.#at
    const unescaped = this.#isEscaped ? String(JSON.parse(decodedText(this.#bytes, start, end))) : undefined
    const hash = unescaped === undefined ? keyHash(this.#bytes, start + 1, end - 1) : hashOfName(unescaped)
    return { start, end: end - 1, hash, isClean: this.#isClean, unescaped }
  }

  #textOf({ end, start, unescaped }: Key): string {
    return unescaped ?? decodedText(this.#bytes, start + 1, end)
  }

  #keyAt(start: number): string {
    const at = this.#at
    this.#at = start
    const text = this.#textOf(this.#key())
    this.#at = at
    return text
  }

  #digits(): void {
    const end = skipDigits(this.#bytes, this.#at)
    if (end === this.#at) throw this.#notJson()
    this.#at = end
  }

  #number(kept: boolean): number | null {
    const bytes = this.#bytes
    const start = this.#at
    if (bytes[start] === minus) this.#at += 1
    const firstDigit = this.#at
    if (bytes[firstDigit] === zero) this.#at += 1
    else this.#digits()
    if (bytes[this.#at] === dot) {
      this.#at += 1
      this.#digits()
    }
    let isLong = this.#at - firstDigit >= longNumber
    if (((bytes[this.#at] ?? 0) | small) === letterE) {
      this.#at += 1
      const sign = bytes[this.#at]
      if (sign === plus || sign === minus) this.#at += 1
      const exponent = this.#at
      this.#digits()
      isLong ||= this.#at - exponent >= longNumber
    }
    if (!kept && !isLong) return null
    const isTooLong = this.#at - start > longestNumber
    const token = decodedText(this.#bytes, start, isTooLong ? start + longestNumber : this.#at)
    const isInexact = isTooLong || (isLong && this.inexact.length < maxFaults && !isExact(token))
    if (isInexact && this.inexact.length < maxFaults) this.inexactPaths[this.inexact.push(token) - 1] = this.#steps()
    return Number(token)
  }
}
