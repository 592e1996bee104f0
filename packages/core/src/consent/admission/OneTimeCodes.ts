import { Context, DateTime, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { maskedDestination } from "../../consumer/maskedDestination.js"
import { callHost } from "../../host/callHost.js"
import { reading } from "../../host/HostAnswer.js"
import type { Fingerprint } from "../../idempotency/Fingerprint.js"
import { Keyring } from "../../secret/Keyring.js"
import { ConsentTokenHash } from "../link/ConsentToken.js"
import { CodeChallengeStore } from "./CodeChallengeStore.js"
import { type Admission, AuthenticatorUnavailable, ConsumerAuthenticator, type Visit } from "./ConsumerAuthenticator.js"
import { codeLifetime, codeStateOf, decideCheck, decideSend } from "./decideCode.js"

/** A code to deliver to the person. */
export interface CodeMessage {
  readonly person: Person
  readonly code: Redacted.Redacted<string>
  readonly expiresAt: DateTime.Utc
}

/** The sender's report on a sent code. */
export const CodeDelivered = Schema.Struct({
  /** Destination, such as a phone number or email address. The page shows it masked. */
  destination: Schema.optionalKey(Schema.Redacted(Schema.String))
})
export type CodeDelivered = typeof CodeDelivered.Type

const readDelivered = reading(CodeDelivered, "an object, which may have a redacted destination")

/** Delivers a one-time code to the person, over a channel that someone with only the link cannot read. */
export class CodeSender extends Context.Service<
  CodeSender,
  {
    readonly send: (message: CodeMessage) => Effect.Effect<CodeDelivered, AuthenticatorUnavailable>
  }
>()("@surety/core/consent/admission/OneTimeCodes/CodeSender") {}

/** Generates a random six-digit code. All million codes are equally likely. */
export const nextCode: Effect.Effect<Redacted.Redacted<string>, never, SecureRandom.SecureRandom> = Effect.gen(
  function* () {
    const random = yield* SecureRandom.SecureRandom
    while (true) {
      const [a = 0, b = 0, c = 0] = yield* random.randomBytes(3)
      const number = (a << 16) | (b << 8) | c
      // Rejects numbers of 16 million or more, which would make some codes more likely than others.
      if (number < 16_000_000) {
        return Redacted.make(String(number % 1_000_000).padStart(6, "0"), { label: "one-time code" })
      }
    }
  }
)

/** Time limit for the sender. A sender that calls the host over HTTP has a shorter limit of its own. */
export const senderTimeout = Duration.seconds(16)

const unavailable = (cause: unknown) => new AuthenticatorUnavailable({ cause })

const personPrefix = "person-"

/**
 * Returns the key under which the codes sent to a person are counted. It cannot collide with a link's key, which is the
 * hash of a token.
 */
export const nameOfPerson = Effect.fnUntraced(function* ({
  environment,
  userId
}: Pick<Person, "environment" | "userId">) {
  const digest = yield* Digest.Digest
  const text = JSON.stringify(["person", environment, userId])
  const hash = yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(text))
  return ConsentTokenHash.make(personPrefix + hash)
})

/** Returns true for a key from `nameOfPerson`, and false for the hash of a link's token. */
export const isNameOfPerson = (name: ConsentTokenHash): boolean => name.startsWith(personPrefix)

/**
 * Layer that requires a one-time code from each visitor. `CodeSender` delivers the code. `CodeChallengeStore` stores
 * the code's hash, and counts sent codes and wrong guesses across all nodes.
 */
export const layer: Layer.Layer<
  ConsumerAuthenticator,
  never,
  CodeSender | CodeChallengeStore | Keyring | Digest.Digest | SecureRandom.SecureRandom
> = Layer.effect(
  ConsumerAuthenticator,
  Effect.gen(function* () {
    const sender = yield* CodeSender
    const store = yield* CodeChallengeStore
    const keyring = yield* Keyring
    const random = yield* SecureRandom.SecureRandom
    const digest = yield* Digest.Digest

    const nameOf = (person: Person) => Effect.provideService(nameOfPerson(person), Digest.Digest, digest)

    const find = (name: ConsentTokenHash) => store.change(name, (current) => ({ answer: current, next: undefined }))

    const admit = Effect.fn("OneTimeCodes.admit")(
      function* ({ link, person }: Visit) {
        const ofPerson = yield* find(yield* nameOf(person))
        const code = codeStateOf(yield* find(link), ofPerson, yield* DateTime.now)
        const admission: Admission = { _tag: "CodeRequired", code }
        return admission
      },
      Effect.catchTag("StoreError", (error) => Effect.fail(unavailable(error)))
    )

    /**
     * Returns the code's hashes under the server's keys. Keyed, because there are only a million codes, so a plain hash
     * would fall to brute force.
     */
    const hashesOf = (link: ConsentTokenHash, code: Redacted.Redacted<string>) =>
      keyring.fingerprints(JSON.stringify(["consent.code", link, Redacted.value(code)]))

    /** Stores a code's masked destination, unless the code has been used or replaced by a newer one. */
    const keepDestination = (link: ConsentTokenHash, codeHash: Fingerprint, destination: string) =>
      store.change(link, (current) => ({
        answer: undefined,
        next: current?.codeHash === codeHash ? { ...current, destination } : undefined
      }))

    const sendCode = Effect.fn("OneTimeCodes.send")(
      function* ({ link, person }: Visit) {
        const code = yield* Effect.provideService(nextCode, SecureRandom.SecureRandom, random)
        const [codeHash] = yield* hashesOf(link, code)
        const now = yield* DateTime.now
        const refused = decideSend(yield* find(link), codeHash, now).answer
        if (refused._tag === "TooMany") return refused
        // Counts the code for the person first, so the link's last code stays valid if the person's limit is reached.
        const counted = yield* store.change(yield* nameOf(person), (current) => decideSend(current, undefined, now))
        if (counted._tag === "TooMany") return counted
        const sent = yield* store.change(link, (current) => decideSend(current, codeHash, now))
        if (sent._tag === "TooMany") return sent
        const expiresAt = DateTime.addDuration(now, codeLifetime)
        const { destination } = yield* callHost(
          {
            part: "codeSender",
            operation: "send",
            read: readDelivered,
            timeout: senderTimeout,
            unavailable,
            consequence: "the person gets no code",
            given: () => [Redacted.value(code), person.userId]
          },
          () => sender.send({ person, code, expiresAt })
        )
        if (destination !== undefined) yield* keepDestination(link, codeHash, maskedDestination(destination))
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
      admit,
      sendCode,
      checkCode
    })
  })
)
