import type { Operations } from "./Interface.generated.js"
import type { Route } from "./Route.js"
import { UsageError } from "./SuretyError.js"

export type OperationId = keyof Operations

type Part<Id extends OperationId, Name extends string> = Operations[Id] extends { readonly [Key in Name]: infer Value }
  ? Value
  : undefined

/** Request body of an operation, or `undefined` if it takes none. */
export type Body<Id extends OperationId> = Part<Id, "body">
/** Query parameters of an operation, or `undefined` if it takes none. */
export type Query<Id extends OperationId> = Part<Id, "query">
/** Path parameters of an operation, or `undefined` if it takes none. */
export type Path<Id extends OperationId> = Part<Id, "path">
/** Body of an operation's successful response. */
export type Answered<Id extends OperationId> = Part<Id, "answer">

/** Path parameters, query and body of a request, each present only if the operation takes it. */
export interface Given<Id extends OperationId> {
  readonly path?: Path<Id>
  readonly query?: Query<Id> | undefined
  readonly body?: Body<Id> | undefined
}

/**
 * Encodes one path segment. Throws `UsageError` for anything but a string. Also throws it for an empty or dot segment,
 * which would match no route or the wrong one, and for a lone surrogate, which a url cannot contain.
 */
const segment = (name: string, value: unknown): string => {
  if (typeof value === "string" && !/^\.{0,2}$|\p{Surrogate}/u.test(value)) return encodeURIComponent(value)
  throw new UsageError(`${name} must be a record's id, as returned by the service.`)
}

const queryText = (query: object): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

/** Builds the operation's path and query, which follow the base url. Throws `UsageError` for an invalid id. */
export const urlOf = (route: Route, given: Given<OperationId>): string =>
  route.path.replace(/\{(\w+)\}/gu, (_, name: string) => segment(name, Reflect.get(given.path ?? {}, name))) +
  queryText(given.query ?? {})

/** Serialises a request's body. Throws `UsageError` if `JSON.stringify` throws, for example for a bigint. */
export const bodyText = (body: unknown): string | undefined => {
  if (body === undefined) return undefined
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new UsageError("The request cannot be written as JSON: pass an amount as a number and a time as a string.", {
      cause
    })
  }
}
