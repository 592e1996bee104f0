import { Context, DateTime, Duration, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Person } from "../consumer/ConsumerDirectory.js"
import { callHost } from "../host/callHost.js"
import { readNothing } from "../host/HostAnswer.js"
import { Keyring } from "../secret/Keyring.js"
import { CodeChallengeStore } from "./CodeChallengeStore.js"
import type { ConsentTokenHash } from "./ConsentToken.js"
import { AuthenticatorUnavailable, ConsumerAuthenticator, type Visit } from "./ConsumerAuthenticator.js"
import { codeLifetime, decideCheck, decideSend } from "./decideCode.js"

/** A code on its way to the person. */
export interface CodeMessage {
  readonly person: Person
  readonly code: Redacted.Redacted<string>
  readonly expiresAt: DateTime.Utc
}

/** Brings a one-time code to the person, by a way that whoever merely has the link does not read. */
export class CodeSender extends Context.Service<
  CodeSender,
  {
    readonly send: (message: CodeMessage) => Effect.Effect<void, AuthenticatorUnavailable>
  }
>()("@surety/core/consent/OneTimeCodes/CodeSender") {}

/** Six digits, each of a million equally likely. */
export const nextCode: Effect.Effect<Redacted.Redacted<string>, never, SecureRandom.SecureRandom> = Effect.gen(
  function* () {
    const random = yield* SecureRandom.SecureRandom
    while (true) {
      const [a = 0, b = 0, c = 0] = yield* random.randomBytes(3)
      const number = (a << 16) | (b << 8) | c
      // The last part of the range would make some codes likelier than others.
      if (number < 16_000_000) {
        return Redacted.make(String(number % 1_000_000).padStart(6, "0"), { label: "one-time code" })
      }
    }
  }
)

/** How long the sender may take: longer than a hook has to answer (contract 11). */
export const senderTimeout = Duration.seconds(16)

const unavailable = (cause: unknown) => new AuthenticatorUnavailable({ cause })

/** Demands a one-time code of every visitor. `CodeSender` brings it; `CodeChallengeStore` counts, for all nodes. */
export const layer: Layer.Layer<
  ConsumerAuthenticator,
  never,
  CodeSender | CodeChallengeStore | Keyring | SecureRandom.SecureRandom
> = Layer.effect(
  ConsumerAuthenticator,
  Effect.gen(function* () {
    const sender = yield* CodeSender
    const store = yield* CodeChallengeStore
    const keyring = yield* Keyring
    const random = yield* SecureRandom.SecureRandom

    /** Keyed, since a million hashes are soon tried. */
    const hashesOf = (link: ConsentTokenHash, code: Redacted.Redacted<string>) =>
      keyring.fingerprints(JSON.stringify(["consent.code", link, Redacted.value(code)]))

    const sendCode = Effect.fn("OneTimeCodes.send")(
      function* ({ link, person }: Visit) {
        const code = yield* Effect.provideService(nextCode, SecureRandom.SecureRandom, random)
        const [codeHash] = yield* hashesOf(link, code)
        const now = yield* DateTime.now
        const sent = yield* store.change(link, (current) => decideSend(current, codeHash, now))
        if (sent._tag === "Sent") {
          const expiresAt = DateTime.addDuration(now, codeLifetime)
          yield* callHost(
            {
              part: "codeSender",
              operation: "send",
              read: readNothing,
              timeout: senderTimeout,
              unavailable,
              consequence: "the person gets no code",
              given: [Redacted.value(code), person.userId]
            },
            () => sender.send({ person, code, expiresAt })
          )
        }
        return sent
      },
      Effect.catchTag("StoreError", (error) => Effect.fail(unavailable(error)))
    )

    const checkCode = Effect.fn("OneTimeCodes.check")(
      function* ({ link }: Visit, code: Redacted.Redacted<string>) {
        const hashes = yield* hashesOf(link, code)
        const now = yield* DateTime.now
        return yield* store.change(link, (current) => decideCheck(current, hashes, now))
      },
      Effect.catchTag("StoreError", (error) => Effect.fail(unavailable(error)))
    )

    return ConsumerAuthenticator.of({
      admit: () => Effect.succeed({ _tag: "CodeRequired" }),
      sendCode,
      checkCode
    })
  })
)
