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

/** The `--server` flag of every command that calls the API. */
export const server = Flag.String("server").pipe(
  Flag.withDescription(
    "Call the server at this address, such as http://127.0.0.1:3000, instead of opening its database"
  ),
  Flag.optional
)

/**
 * Returns the body of the response from the server at the url `address`. Without a url, this process serves the request
 * over the configured database. Fails with `StartFailed` and the message of `messageOf` if the status is 400 or above.
 */
export const answered = Effect.fnUntraced(function* (address: string | undefined, asked: Asked) {
  const response = yield* ask(address, asked)
  if (response.status < 400) return response.text
  return yield* new StartFailed({ message: messageOf(response, address !== undefined) })
})
