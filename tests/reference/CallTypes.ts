import { parseSync } from "vite"
import { type Node, node, nodes } from "./Declarations.js"

/** Types of one of embed's calls, as the reference shows them. `room` is the call's group, such as `refunds`. */
export interface CallTypes {
  readonly room: string
  readonly call: string
  readonly takes: string
  readonly returns: string
  /** Names of the call's errors, in alphabetical order. */
  readonly errors: ReadonlyArray<string>
}

const nameOf = (value: unknown): string => String(node(value)?.name ?? node(value)?.value ?? "")

/** Returns a type's source text for readers: without import paths, `readonly` and semicolons. */
const readable = (source: string, { end, start }: Node): string => {
  const text = source
    .slice(start, end)
    .replaceAll(/import\("[^"]+"\)\./g, "")
    .replaceAll("readonly ", "")
    .replaceAll(";", "")
  const indent = /\n( *)[^\n]*$/.exec(text)?.[1] ?? ""
  return text.replaceAll(`\n${indent}`, "\n").replaceAll("    ", "  ")
}

/** Returns the last name in a type, such as `RefundNotFound` in `import("…").RefundNotFound`. */
const lastName = (text: string): string => /(\w+)(?:<.*>)?$/s.exec(text.trim())?.[1] ?? text

const errorsOf = (source: string, error: Node): ReadonlyArray<string> => {
  const parts = error.type === "TSUnionType" ? nodes(error.types) : [error]
  return [...new Set(parts.map(({ end, start }) => lastName(source.slice(start, end))))].sort()
}

/** Returns `Value` and `Error` of a `Promise<Outcome<Value, Error>>`. */
const outcomeOf = (returned: Node | undefined): readonly [Node, Node] | undefined => {
  const promised = nodes(node(returned?.typeArguments)?.params)[0]
  const [value, error] = nodes(node(promised?.typeArguments)?.params)
  return value === undefined || error === undefined ? undefined : [value, error]
}

/**
 * Returns the types of the calls in a module's declarations. A call returns a `Promise<Outcome>` and is a member of an
 * object that an exported function returns. Throws if the declarations are not valid TypeScript.
 */
export const callTypesOf = (file: string, source: string): ReadonlyArray<CallTypes> => {
  const { errors, program } = parseSync(file, source)
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  const declarators = nodes(program.body).flatMap((statement) => nodes(node(statement.declaration)?.declarations))
  return declarators.flatMap((declarator) => {
    const made = node(node(node(node(node(declarator.id)?.typeAnnotation)?.typeAnnotation)?.returnType)?.typeAnnotation)
    return made?.type !== "TSTypeLiteral"
      ? []
      : nodes(made.members).flatMap((member): ReadonlyArray<CallTypes> => {
          const call = node(node(member.typeAnnotation)?.typeAnnotation)
          const outcome = outcomeOf(node(node(call?.returnType)?.typeAnnotation))
          if (call === undefined || outcome === undefined) return []
          const given = node(node(nodes(call.params)[0]?.typeAnnotation)?.typeAnnotation)
          return [
            {
              room: nameOf(declarator.id),
              call: nameOf(member.key),
              takes: given === undefined ? "" : readable(source, given),
              returns: readable(source, outcome[0]),
              errors: errorsOf(source, outcome[1])
            }
          ]
        })
  })
}
