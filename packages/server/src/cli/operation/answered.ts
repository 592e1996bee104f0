import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { StartFailed } from "../../StartFailed.js"
import { type Asked, ask, type OperatorResponse } from "./ask.js"
import { shown } from "./shown.js"

const Fault = Schema.Struct({
  pointer: Schema.optionalKey(Schema.String),
  parameter: Schema.optionalKey(Schema.String),
  detail: Schema.String
})

const Refusal = Schema.fromJsonString(
  Schema.Struct({
    title: Schema.String,
    detail: Schema.String,
    code: Schema.String,
    errors: Schema.optionalKey(Schema.Array(Fault))
  })
)

const faultLine = ({ detail, parameter, pointer }: typeof Fault.Type): string =>
  `${pointer?.replace(/^#\//, "") ?? parameter ?? "request"}: ${detail}`

const withoutBasePath = " If the server has a BASE_PATH, --server must end with it."

/** Formats a problem: its faults by field, or else its title, detail and code. Quotes any other response. */
const messageOf = ({ status, text }: OperatorResponse, isServers: boolean): string =>
  Option.match(Schema.decodeUnknownOption(Refusal)(text), {
    onNone: () => shown(`The server returned ${status}: ${text}`),
    onSome: ({ code, detail, errors = [], title }) => {
      if (errors.length > 0) return errors.map(faultLine).map(shown).join("\n")
      const hint = isServers && code === "route_not_found" ? withoutBasePath : ""
      return shown(`${title}. ${detail}${hint} (${code})`)
    }
  })

export const server = Flag.String("server").pipe(
  Flag.withDescription(
    "Call the server at this address, such as http://127.0.0.1:3000, instead of opening its database"
  ),
  Flag.optional
)

const isExpected = ({ mediaType, status }: OperatorResponse, expected: string): boolean =>
  status === 204 || ((status === 200 || status === 201) && mediaType === expected)

/** Describes a response that no operation returns, such as a proxy's redirect to its sign-in page. */
const strangerOf = ({ mediaType, status }: OperatorResponse): string =>
  shown(
    `The response is not Surety's: status ${status}${mediaType === "" ? "" : ` with ${mediaType}`}. ` +
      "Check that --server leads to the server itself, not to a page or proxy before it."
  )

/**
 * Returns the body of the response from the server at the url `address`. Without a url, this process serves the request
 * over the configured database. Fails with `StartFailed` unless the response has a success status of the API and the
 * media type of the operation.
 */
export const answered = Effect.fnUntraced(function* (address: string | undefined, asked: Asked) {
  const response = yield* ask(address, asked)
  if (isExpected(response, asked.mediaType ?? "application/json")) return response.text
  return yield* new StartFailed({
    message: response.status < 400 ? strangerOf(response) : messageOf(response, address !== undefined)
  })
})

/**
 * Like `answered`, but decodes the body. Fails with `StartFailed` if the body does not match `schema`, for example
 * because another kind of server sent it.
 */
export const answeredAs = <A>(schema: Schema.Codec<A, string>, address: string | undefined, asked: Asked) =>
  Effect.flatMap(answered(address, asked), (text) =>
    Effect.mapError(
      Schema.decodeEffect(schema)(text),
      () => new StartFailed({ message: "The response is not Surety's: it has another form than the API's." })
    )
  )
