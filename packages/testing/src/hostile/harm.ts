export interface HostileAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Signs of internals that no response may contain, such as stack traces, file paths, SQL statements and internal names.
 */
const internals: ReadonlyArray<readonly [what: string, sign: RegExp]> = [
  ["a stack", /\n\s+at |\bat [\w.<>]+ \(/],
  ["a file", /node_modules|\/(src|dist)\/|\bfile:\/\/|\.[cm]?[jt]s:\d+/],
  ["SQL", /\b(select|insert into|update|delete from)\b.+\b(from|values|set|where)\b/i],
  ["the database", /\bsqlstate\b|\bpostgres|\bpglite\b|\brelation "|violates|syntax error at/i],
  ["the libraries", /\beffect\/|@effect|SchemaError|FiberFailure|ParseError|StoreError|TypeError|RangeError/],
  [
    "a schema's own words",
    /"detail":"Expected (\\"|<|(string|number|boolean|object|array|undefined|[A-Z][a-z]+[A-Z]\w*)\b|a value with)/
  ],
  ["an object that was not written", /\[object \w+\]/]
]

const longestAnswer = 64 * 1024

/**
 * Describes the harm done by a hostile request: each fault in its response, and a field `polluted` on the object
 * prototype. Returns `[]` if the request did no harm. `secrets` are strings that this response must not contain.
 */
export const harmIn = (answer: HostileAnswer, secrets: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(answer.status >= 500 ? [`the answer is ${answer.status}`] : []),
  ...internals.filter(([, sign]) => sign.test(answer.text)).map(([what]) => `the answer shows ${what}`),
  ...(secrets.some((secret) => answer.text.includes(secret)) ? ["the answer repeats a secret"] : []),
  ...(answer.text.length > longestAnswer ? [`the answer has ${answer.text.length} characters`] : []),
  ...("polluted" in {} ? ["every object has a field of the request's"] : [])
]
