import type { HttpServerRequest } from "effect/http"
import { type Problem, problem } from "../problem/Problem.js"

/** Form of a Host header: a name or IP address, with or without a port. */
const form = /^(?<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:\d{1,5})?$/
const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/

const nameIn = (host: string): string | undefined => form.exec(host)?.groups?.name?.toLowerCase().replace(/\.$/, "")

/** True for IP addresses and `localhost`, which DNS cannot rebind. */
const isFixed = (name: string): boolean => name.startsWith("[") || ipv4.test(name) || name === "localhost"

/**
 * Returns the problem for a request whose `Host` is malformed, or a name other than `localhost` and `ownNames`. IP
 * addresses are allowed. This protects open provisioning routes from DNS rebinding: a web page points its own name at a
 * visitor's machine to call services there. The browser then sends that name as `Host`. Requests without `Host` pass,
 * because every browser sends one.
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
