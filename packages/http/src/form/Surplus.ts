import { maxFaults } from "@surety/core/input/InputFault"
import { longestList } from "@surety/core/input/Text"
import { type Schema, SchemaAST } from "effect"
import { type Fault, inBody } from "../problem/Fault.js"

/** Maximum number of bytes hashed at each end of a key. */
const hashedBytes = 32

/**
 * Hashes the length of a key in UTF-8 and up to 32 bytes at each end. This distinguishes most keys without decoding
 * them.
 */
export const keyHash = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = end - start
  const from = Math.max(start, end - hashedBytes)
  const first = Math.min(start + hashedBytes, from)
  for (let at = start; at < first; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0
  for (let at = from; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0
  return hash
}

export const hashOfName = (name: string): number => {
  const bytes = new TextEncoder().encode(name)
  return keyHash(bytes, 0, bytes.length)
}

/** Field names of a form, at any depth. */
export interface FieldNames {
  readonly known: ReadonlySet<PropertyKey>
  readonly hashes: ReadonlySet<number>
  /** Known fields whose schema is open (see `isOpenSchema`). All fields within their values are built. */
  readonly open: ReadonlySet<PropertyKey>
  /**
   * For each known field, the number of characters that decide whether a string in it or in its list is valid. A much
   * longer string is always rejected, so the reader builds only its beginning and pads the rest.
   */
  readonly lengths: ReadonlyMap<PropertyKey, number>
  /** True if the form itself accepts any value or fields of any name. */
  readonly isOpen: boolean
}

export const anyFields: FieldNames = {
  known: new Set(),
  hashes: new Set(),
  open: new Set(),
  lengths: new Map(),
  isOpen: true
}

const longestOf = (annotations: Schema.Annotations.Annotations | undefined): number => {
  const longest = annotations?.longest
  return typeof longest === "number" ? longest : Number.POSITIVE_INFINITY
}

/**
 * Returns how many characters decide whether a string is valid. One more than the maximum length proves that the string
 * is too long. Returns 1 for a type without strings, such as a number. Infinite if no maximum is known.
 */
const decisiveCharacters = (ast: SchemaAST.AST): number => {
  switch (ast._tag) {
    case "String":
    case "Unknown":
      return (
        1 + Math.min(longestOf(ast.annotations), ...(ast.checks ?? []).map((check) => longestOf(check.annotations)))
      )
    case "Literal":
      return 1 + String(ast.literal).length
    case "Union":
      return Math.max(1, ...ast.types.map(decisiveCharacters))
    case "Arrays":
      return Math.max(1, ...[...ast.elements, ...ast.rest].map(decisiveCharacters))
    case "Objects":
    case "Number":
    case "Boolean":
    case "Null":
      return 1
    default:
      return Number.POSITIVE_INFINITY
  }
}

/**
 * Returns true if the schema, a union member or a list item accepts any value or fields of any name. An `Unknown` with
 * the annotation `longest` does not count, because it need not be built in full. `seen` contains the schemas visited so
 * far, because a schema may be recursive.
 */
const isOpenSchema = (ast: SchemaAST.AST, seen: Set<SchemaAST.AST> = new Set()): boolean => {
  if (seen.has(ast)) return false
  seen.add(ast)
  const isOpen = (inner: SchemaAST.AST): boolean => isOpenSchema(inner, seen)
  switch (ast._tag) {
    case "Objects":
      return ast.indexSignatures.some(({ type }) => type._tag !== "Never")
    case "Arrays":
      return [...ast.elements, ...ast.rest].some(isOpen)
    case "Union":
      return ast.types.some(isOpen)
    case "Suspend":
      return isOpen(ast.thunk())
    case "Unknown":
      return longestOf(ast.annotations) === Number.POSITIVE_INFINITY
    case "Any":
    case "ObjectKeyword":
      return true
    default:
      return false
  }
}

interface Names {
  readonly known: Set<PropertyKey>
  readonly open: Set<PropertyKey>
  readonly lengths: Map<PropertyKey, number>
  readonly seen: Set<SchemaAST.AST>
}

const addNames = (ast: SchemaAST.AST, names: Names): void => {
  const { known, lengths, open, seen } = names
  const add = (inner: SchemaAST.AST): void => addNames(inner, names)
  if (seen.has(ast)) return
  seen.add(ast)
  switch (ast._tag) {
    case "Objects":
      for (const { name, type } of ast.propertySignatures) {
        known.add(name)
        lengths.set(name, Math.max(lengths.get(name) ?? 0, decisiveCharacters(type)))
        if (isOpenSchema(type)) open.add(name)
        add(type)
      }
      break
    case "Arrays":
      for (const inner of [...ast.elements, ...ast.rest]) add(inner)
      break
    case "Union":
      for (const inner of ast.types) add(inner)
      break
    case "Suspend":
      add(ast.thunk())
  }
}

export const fieldNamesOf = (schema: Schema.Top): FieldNames => {
  const known = new Set<PropertyKey>()
  const open = new Set<PropertyKey>()
  const lengths = new Map<PropertyKey, number>()
  const ast = SchemaAST.toEncoded(schema.ast)
  addNames(ast, { known, open, lengths, seen: new Set() })
  const hashes = new Set([...known].map((name) => hashOfName(String(name))))
  return { known, hashes, open, lengths, isOpen: isOpenSchema(ast) }
}

/** A value without the fields and items that would only cause further, unreported faults. */
export interface Trimmed {
  readonly value: unknown
  /**
   * Fault of the first list that is too long or the first omitted field, whichever comes first. If present, the value
   * is rejected even if the rest is valid.
   */
  readonly fault: Fault | undefined
}

/**
 * Omits unknown fields beyond `maxFaults` and list items beyond `longestList`, except the first beyond each limit. A
 * schema thus spends no time on faults that are never listed.
 */
export const trimSurplus = (value: unknown, { known }: FieldNames): Trimmed => {
  let unknownFields = 0
  let fault: Fault | undefined

  const trimList = (list: ReadonlyArray<unknown>, path: ReadonlyArray<PropertyKey>): ReadonlyArray<unknown> => {
    if (list.length <= longestList) return mapped(list, (item, index) => trim(item, [...path, index]))
    fault ??= inBody(path, "too_long", `Expected a list of at most ${longestList} items.`)
    return list.slice(0, longestList + 1).map((item, index) => trim(item, [...path, index]))
  }

  const trimFields = (record: object, path: ReadonlyArray<PropertyKey>): object => {
    const kept: Array<readonly [string, unknown]> = []
    let isChanged = false
    for (const key of Object.keys(record)) {
      const item: unknown = Reflect.get(record, key)
      if (known.has(key)) {
        const trimmed = trim(item, [...path, key])
        isChanged ||= trimmed !== item
        kept.push([key, trimmed])
      } else if (unknownFields <= maxFaults) {
        unknownFields += 1
        kept.push([key, item])
      } else {
        isChanged = true
        fault ??= inBody([...path, key], "unknown_field", "Unknown field. Check its spelling, or remove it.")
      }
    }
    return isChanged ? Object.fromEntries(kept) : record
  }

  const trim = (part: unknown, path: ReadonlyArray<PropertyKey>): unknown => {
    if (typeof part !== "object" || part === null) return part
    return Array.isArray(part) ? trimList(part, path) : trimFields(part, path)
  }

  const trimmed = trim(value, [])
  return { value: trimmed, fault }
}

/** Like `map`, but returns the same list if no item changes. */
const mapped = (
  list: ReadonlyArray<unknown>,
  change: (item: unknown, index: number) => unknown
): ReadonlyArray<unknown> => {
  const changed = list.map(change)
  return changed.some((item, index) => item !== list[index]) ? changed : list
}
