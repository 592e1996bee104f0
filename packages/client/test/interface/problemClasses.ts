import { isProblemCode, problemCodes } from "@surety/http/problem/ProblemCode"
import { merchantOperations } from "./MerchantInterface.js"

const head = "// Generated from the interface's definition by `vitest -u packages/client`.\n\n"

/** Statuses with a base class of their own. `ServiceProblem.ts` defines these classes. */
const families: ReadonlyMap<number, string> = new Map([
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [409, "Conflict"],
  [429, "TooManyRequests"]
])

const familyOf = (status: number): string => families.get(status) ?? (status >= 500 ? "ServerFailure" : "BadRequest")

/** Codes of refusals by the server or the router, which few or no operations document. */
const ofNoOperation = ["malformed_request", "method_not_allowed", "request_timeout", "headers_too_large"] as const

/** Members to declare on problem classes, keyed by code. */
const members: Readonly<Record<string, ReadonlyArray<readonly [name: string, type: string]>>> = {
  amount_exceeds_refundable: [
    ["currency", "string"],
    ["original", "number"],
    ["refunded", "number"],
    ["refundable", "number"]
  ],
  currency_mismatch: [["currency", "string"]]
}

const className = (code: string): string =>
  code.replace(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/** Returns the status of each error code that a merchant's request can get, keyed by code. */
export const merchantCodes = (): ReadonlyMap<string, number> => {
  const told = merchantOperations.flatMap(({ codes }) =>
    [...codes].flatMap(([status, of]) => of.map((code) => [code, status] as const))
  )
  return new Map([...told, ...ofNoOperation.map((code) => [code, problemCodes[code].status] as const)])
}

const classOf = ([code, status]: readonly [string, number]): string => {
  if (!isProblemCode(code)) throw new Error(`The interface names ${code}, which the table of codes does not have`)
  const { advice, title } = problemCodes[code]
  const declared = (members[code] ?? []).map(([name, type]) => `  declare readonly ${name}: ${type}\n`).join("")
  const body = declared === "" ? "{}" : `{\n${declared}}`
  return `/** ${status}. ${title}. ${advice} */\nexport class ${className(code)} extends ${familyOf(status)}<"${code}"> ${body}\n`
}

/** Generates `Problems.generated.ts`: a class for each code. */
export const problemClasses = (): string => {
  const codes = [...merchantCodes()].sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1))
  const used = [...new Set(codes.map(([, status]) => familyOf(status)))].sort()
  const table = codes.map(([code]) => `  ${code}: ${className(code)}`).join(",\n")
  return [
    `${head}import { ${used.join(", ")} } from "./ServiceProblem.js"\n`,
    ...codes.map(classOf),
    `/** The class of each code. */\nexport const problemClasses = {\n${table}\n} as const\n`,
    `/** A code that this version of the client knows. */\nexport type ProblemCode = keyof typeof problemClasses\n`,
    `/** Every problem that this version of the client knows: \`switch\` over \`code\`. */\nexport type KnownProblem =\n${codes
      .map(([code]) => `  | ${className(code)}`)
      .join("\n")}\n`
  ].join("\n")
}
