import type { HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"

/** A name or an address, with or without a port. */
const form = /^(?<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:\d{1,5})?$/
const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/

/** The name in a Host header, in lower case and without its last dot; `undefined` where it has none. */
const nameIn = (host: string): string | undefined => form.exec(host)?.groups?.name?.toLowerCase().replace(/\.$/, "")

/** Addresses cannot be made to lead elsewhere, and every machine means itself by `localhost`. */
const isFixed = (name: string): boolean => name.startsWith("[") || ipv4.test(name) || name === "localhost"

/**
 * Why a request may not use a route that asks for no credential: it calls us by a name that is not ours. A web page can
 * have its own name lead to a visitor's machine (DNS rebinding) and then call what listens there as if it were its own
 * server; but its browser says that name. Requests without `Host`, which no browser sends, may pass.
 */
export const calledNameProblem = (
  request: HttpServerRequest.HttpServerRequest,
  ownNames: ReadonlyArray<string>
): Problem | undefined => {
  const { host } = request.headers
  if (host === undefined) return undefined
  const name = nameIn(host)
  if (name !== undefined && (isFixed(name) || ownNames.includes(name))) return undefined
  return problem("host_not_allowed")
}
