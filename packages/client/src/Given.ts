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

const lost = (name: string, value: unknown): UsageError =>
  new UsageError(
    `${name} is ${value}: give a value, or leave the field out. A field that is left out can mean all or the most.`
  )

const isLost = (value: unknown): boolean =>
  value === undefined || (typeof value === "number" && !Number.isFinite(value))

/** Query parameters whose absence widens no result. */
const paging: ReadonlySet<string> = new Set(["cursor", "limit"])

const queryText = (query: object): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined && paging.has(name)) continue
    if (isLost(value)) throw lost(name, value)
    search.set(name, String(value))
  }
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

/**
 * Builds the operation's path and query, which follow the base url. Throws `UsageError` for an invalid id, and for a
 * parameter that is undefined, such as a filter without which a list would contain everything.
 */
export const urlOf = (route: Route, given: Given<OperationId>): string =>
  route.path.replace(/\{(\w+)\}/gu, (_, name: string) => segment(name, Reflect.get(given.path ?? {}, name))) +
  queryText(given.query ?? {})

/**
 * Serialises a request's body. Throws `UsageError` if `JSON.stringify` throws, for example for a bigint, or would omit
 * or change a field, for example an undefined one.
 */
export const bodyText = (body: unknown): string | undefined => {
  if (body === undefined) return undefined
  try {
    return JSON.stringify(body, (name, value) => {
      if (isLost(value)) throw lost(name, value)
      return value
    })
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError("The request cannot be written as JSON: pass an amount as a number and a time as a string.", {
      cause
    })
  }
}
