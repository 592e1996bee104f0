import type { KycFailureReason } from "@surety/core/kyc/verification/Verification"
import * as VendorAnswer from "@surety/kyc-http/VendorAnswer"
import type { VendorHttp } from "@surety/kyc-http/VendorHttp"
import { Clock, Duration, Effect, Option, Redacted, Ref, Schema, Semaphore } from "effect"
import { QoreIdToken } from "./QoreIdFrame.js"

/** No token was obtained from QoreID, so no check was made. */
export class NoToken extends Schema.TaggedError<NoToken>("@surety/kyc-qoreid/QoreIdTokens/NoToken")("NoToken", {
  reason: Schema.String
}) {
  override get message(): string {
    return `QoreID returned no token: ${this.reason}.`
  }
}

/** Access tokens of one QoreID client. */
export interface QoreIdTokens {
  /** Returns the held token. Requests a new one if none is held or the held one expires within a minute. */
  readonly current: Effect.Effect<Redacted.Redacted<string>, NoToken>
  /** Drops a refused token if it is still held, so that the next request gets a new one. */
  readonly drop: (token: Redacted.Redacted<string>) => Effect.Effect<void>
}

/** How long before its expiry a token is replaced. */
const margin = Duration.seconds(60)

const longest = Duration.hours(24)

interface Held {
  readonly token: Redacted.Redacted<string>
  readonly endsAtMillis: number
}

const decode = VendorAnswer.decode(QoreIdToken)

/**
 * Reads a lifetime in seconds, as a number or as `"7200 secs"`, and limits it to 24 hours. Returns zero for a value
 * that is not a positive number, so that the token is used only once.
 */
const lifetime = (expiresIn: number | string): Duration.Duration => {
  const seconds = typeof expiresIn === "number" ? expiresIn : Number.parseInt(expiresIn, 10)
  return Number.isFinite(seconds) && seconds > 0 ? Duration.min(Duration.seconds(seconds), longest) : Duration.zero
}

/**
 * Creates a source of a client's tokens. It requests them from `POST /token`, one at a time, and holds the latest in
 * memory.
 */
export const make = Effect.fnUntraced(function* (
  http: VendorHttp,
  credentials: { readonly clientId: string; readonly secret: Redacted.Redacted<string> }
) {
  const held = yield* Ref.make<Held | undefined>(undefined)
  const one = yield* Semaphore.make(1)

  const ask = Effect.gen(function* () {
    const body = { clientId: credentials.clientId, secret: Redacted.value(credentials.secret) }
    const answer = yield* http
      .call({ method: "POST", route: "/token", body: Redacted.make(body) })
      .pipe(Effect.mapError(({ reason }) => new NoToken({ reason })))
    const isGiven = answer.status >= 200 && answer.status <= 299
    const given = isGiven ? decode(answer) : Option.none()
    if (Option.isNone(given)) return yield* new NoToken({ reason: reasonOf(answer.status) })
    const token = Redacted.make(given.value.accessToken, { label: "QoreID token" })
    const usable = Duration.subtract(lifetime(given.value.expiresIn), margin)
    yield* Ref.set(held, { token, endsAtMillis: (yield* Clock.currentTimeMillis) + Duration.toMillis(usable) })
    return token
  })

  const current = Effect.gen(function* () {
    const kept = yield* Ref.get(held)
    return kept !== undefined && kept.endsAtMillis > (yield* Clock.currentTimeMillis) ? kept.token : yield* ask
  })

  const tokens: QoreIdTokens = {
    current: Semaphore.withPermits(one, 1)(current),
    drop: (token) => Ref.update(held, (kept) => (kept?.token === token ? undefined : kept))
  }
  return tokens
})

const reasonOf = (status: number): KycFailureReason =>
  Option.match(VendorAnswer.refusal(status), {
    onNone: () => (status >= 200 && status <= 299 ? "token_not_understood" : `token_http_${status}`),
    onSome: ({ reason }) => reason
  })
