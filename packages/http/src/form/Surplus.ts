import { maxFaults } from "@surety/core/input/InputFault"
import { longestList } from "@surety/core/input/Text"
import { type Schema, SchemaAST } from "effect"
import { type Fault, inBody } from "../problem/Fault.js"

const addNames = (ast: SchemaAST.AST, names: Set<PropertyKey>, seen: Set<SchemaAST.AST>): void => {
  if (seen.has(ast)) return
  seen.add(ast)
  switch (ast._tag) {
    case "Objects":
      for (const { name, type } of ast.propertySignatures) {
        names.add(name)
        addNames(type, names, seen)
      }
      for (const { type } of ast.indexSignatures) addNames(type, names, seen)
      return
    case "Arrays":
      for (const item of [...ast.elements, ...ast.rest]) addNames(item, names, seen)
      return
    case "Union":
      for (const type of ast.types) addNames(type, names, seen)
      return
    case "Suspend":
      addNames(ast.thunk(), names, seen)
      return
    default:
      return
  }
}

/** Every field name that a schema's encoded form has at any depth. */
export const fieldNamesOf = (schema: Schema.Top): ReadonlySet<PropertyKey> => {
  const names = new Set<PropertyKey>()
  addNames(SchemaAST.toEncoded(schema.ast), names, new Set())
  return names
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
export const trimSurplus = (value: unknown, known: ReadonlySet<PropertyKey>): Trimmed => {
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
