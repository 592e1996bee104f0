import { Result } from "effect"

/** Modes of TLS to a database. In all but `disable`, TLS verifies the server's certificate. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) <= 65_535

const unchecked = (): undefined => undefined

/** The parameters that the driver reads, each with a function that returns what is wrong with its value. */
const parameters: Readonly<Record<string, (value: string) => string | undefined>> = {
  host: unchecked,
  port: (value) => (isPort(value) ? undefined : "has a port that is not a whole number from 1 to 65535"),
  user: unchecked,
  password: unchecked,
  dbname: unchecked,
  application_name: unchecked,
  connect_timeout: (value) => (/^\d+$/.test(value) ? undefined : "has a connect_timeout that is not a whole number"),
  options: unchecked,
  sslmode: (value) => (sslModes.includes(value) ? undefined : `has an sslmode other than ${sslModes.join(", ")}`)
}

/**
 * Returns what is wrong with the first faulty parameter. The driver ignores a parameter that it does not know. For
 * `ssl=true`, it would connect without TLS.
 */
const parameterFault = ({ searchParams }: URL): string | undefined => {
  const seen = new Set<string>()
  for (const [name, value] of searchParams) {
    const check = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (check === undefined) {
      return (
        `has the parameter ${JSON.stringify(name)}, which would be ignored. Remove it. It may have only ` +
        `${Object.keys(parameters).join(", ")}; sslmode=require turns on TLS, and NODE_EXTRA_CA_CERTS adds an authority`
      )
    }
    if (seen.has(name)) return `has the parameter ${name} twice`
    seen.add(name)
    const fault = check(value)
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Returns false if the url has a fragment, or an `@` in its path or query. Its password is then probably not
 * percent-encoded. Parts of the password would be taken for the port or the database's name, which error messages show.
 */
const isWhole = ({ hash, pathname, search }: URL): boolean => hash === "" && !`${pathname}${search}`.includes("@")

const isEncoded = ({ hostname, password, pathname, username }: URL): boolean =>
  [hostname, password, pathname, username].every((part) => Result.isSuccess(Result.try(() => decodeURIComponent(part))))

/**
 * Returns what is wrong with the url of a PostgreSQL database, to follow the name of a setting. Undefined if the url is
 * valid. Quotes no value of the url.
 */
export const faultOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) {
    return "is not a url of the form postgres://user:password@host:5432/name"
  }
  if (!isWhole(url)) {
    return "contains a character in its password that must be percent-encoded: / is %2F, ? is %3F, # is %23, @ is %40"
  }
  if (!isEncoded(url)) return "contains a % that must be percent-encoded: % is %25"
  return parameterFault(url)
}

/** The host, port and database that a valid url leads to. */
export interface Place {
  readonly host: string
  readonly port: string
  readonly database: string
}

/** Returns where a valid url leads to. Its parameters have priority, as for the driver. */
export const placeOf = (text: string): Place => {
  const { hostname, pathname, port, searchParams } = new URL(text)
  return {
    host: searchParams.get("host") ?? hostname,
    port: searchParams.get("port") ?? (port === "" ? "5432" : port),
    database: searchParams.get("dbname") ?? pathname.slice(1)
  }
}
