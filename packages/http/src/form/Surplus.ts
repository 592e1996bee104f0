import { maxFaults } from "@surety/core/input/InputFault"
import { longestList } from "@surety/core/input/Text"
import { type Schema, SchemaAST } from "effect"
import { type Fault, inBody } from "../problem/Fault.js"

/** The number of bytes of a key's beginning, and of its end, that go into its hash. */
const hashedBytes = 32

/** A number that is the same for equal keys in UTF-8: most keys are told apart without being decoded. */
export const keyHash = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = end - start
  const from = Math.max(start, end - hashedBytes)
  for (let at = start; at < Math.min(start + hashedBytes, from); at += 1)
    hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0
  for (let at = from; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0
  return hash
}

export const hashOfName = (name: string): number => {
  const bytes = new TextEncoder().encode(name)
  return keyHash(bytes, 0, bytes.length)
}

/** Which fields a form has, at any depth. */
export interface FieldNames {
  readonly known: ReadonlySet<PropertyKey>
  readonly hashes: ReadonlySet<number>
  /** Those of them whose value may be anything. */
  readonly open: ReadonlySet<PropertyKey>
  /** Whether the form itself takes anything. */
  readonly isOpen: boolean
}

/** Of a form that takes anything. */
export const anyFields: FieldNames = { known: new Set(), hashes: new Set(), open: new Set(), isOpen: true }

/** Adds the names of a schema, and of what is in it. Returns whether its value may be anything. */
const addNames = (
  ast: SchemaAST.AST,
  known: Set<PropertyKey>,
  open: Set<PropertyKey>,
  seen: Set<SchemaAST.AST>
): boolean => {
  const add = (inner: SchemaAST.AST): boolean => addNames(inner, known, open, seen)
  if (seen.has(ast)) return false
  seen.add(ast)
  switch (ast._tag) {
    case "Objects":
      for (const { name, type } of ast.propertySignatures) {
        known.add(name)
        if (add(type)) open.add(name)
      }
      return ast.indexSignatures.some(({ type }) => type._tag !== "Never")
    case "Arrays":
      return [...ast.elements, ...ast.rest].map(add).includes(true)
    case "Union":
      return ast.types.map(add).includes(true)
    case "Suspend":
      return add(ast.thunk())
    case "Any":
    case "Unknown":
    case "ObjectKeyword":
      return true
    default:
      return false
  }
}

/** The field names of a schema's encoded form. */
export const fieldNamesOf = (schema: Schema.Top): FieldNames => {
  const known = new Set<PropertyKey>()
  const open = new Set<PropertyKey>()
  const isOpen = addNames(SchemaAST.toEncoded(schema.ast), known, open, new Set())
  return { known, hashes: new Set([...known].map((name) => hashOfName(String(name)))), open, isOpen }
}

/** A value without what only adds to more faults than are ever reported. */
export interface Trimmed {
  readonly value: unknown
  /** The first thing that was left out. A value with one is never accepted, even if the rest of it is sound. */
  readonly fault: Fault | undefined
}

/**
 * Leaves out unknown fields after the first `maxFaults`, and items of a list after `longestList`. A schema reports every
 * fault, so without this a body of thousands costs most of its work for faults that are then not listed.
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
        fault ??= inBody([...path, key], "unknown_field", "This field is not known here.")
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

/** Like `map`, but the same list if no item changes. */
const mapped = (
  list: ReadonlyArray<unknown>,
  change: (item: unknown, index: number) => unknown
): ReadonlyArray<unknown> => {
  const changed = list.map(change)
  return changed.some((item, index) => item !== list[index]) ? changed : list
}
