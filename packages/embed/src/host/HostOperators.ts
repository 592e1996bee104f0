import type { SignInWays } from "@surety/console/ConsoleSettings"
import { callHost } from "@surety/core/host/callHost"
import { reading as readingAnswer } from "@surety/core/host/HostAnswer"
import { quotableHeaders } from "@surety/core/host/loggableCause"
import { OperatorName, OperatorRole } from "@surety/core/operator/Operator"
import { Duration, Effect, Schema } from "effect"

/** An operator identified by the host's own session. */
export interface HostOperator {
  /** 1 to 64 letters, digits, `.`, `-` and `_`, starting with a letter or digit. Must be stable for each person. */
  readonly name: string
  readonly roles: ReadonlyArray<"viewer" | "support" | "money" | "admin">
}

/** A request to the console, from which the host reads its own session. */
export interface ConsoleRequest {
  readonly method: string
  readonly url: string
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Returns the operator signed in to the host, or `undefined` or `null` if no one is. */
export type OperatorOf = (request: ConsoleRequest) => Promise<HostOperator | null | undefined>

const Answer = Schema.NullishOr(
  Schema.Struct({ name: OperatorName, roles: Schema.Array(OperatorRole).check(Schema.isMinLength(1)) })
)

const readAnswer = readingAnswer(Answer, "{ name, roles } or nothing")

/** Timeout of the host's `operatorOf`. */
const patience = Duration.seconds(10)

/**
 * Reads the signed-in operator from the host's session. A rejected promise, a malformed result or 10 seconds without a
 * result counts as signed out. The log and `onError` then say why.
 */
export const reading =
  (operatorOf: OperatorOf): NonNullable<SignInWays["byHost"]> =>
  ({ headers, method, originalUrl }) =>
    callHost(
      {
        part: "console",
        operation: "operatorOf",
        read: readAnswer,
        timeout: patience,
        unavailable: (cause) => cause,
        consequence: "no one is signed in",
        given: () => [originalUrl, ...quotableHeaders(headers)]
      },
      () =>
        Effect.tryPromise({
          try: async (): Promise<unknown> => operatorOf({ method, url: originalUrl, headers: { ...headers } }),
          catch: (cause) => cause
        })
    ).pipe(
      Effect.map((found) => found ?? undefined),
      Effect.orElseSucceed(() => undefined)
    )
