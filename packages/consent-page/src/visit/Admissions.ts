import {
  type Admission,
  admit,
  ConsumerAuthenticator,
  type Visit
} from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Person } from "@surety/core/consumer/ConsumerDirectory"
import { Keyring } from "@surety/core/secret/Keyring"
import { sameText } from "@surety/core/secret/sameText"
import { cookieName } from "@surety/page-kit/form/FormGuard"
import { Clock, Duration, Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"

/** The cookie that says that this browser's person has entered a correct code. */
const plainName = "consent_proof"

/** How long a correct code admits the browser. */
export const proofLifetime = Duration.minutes(20)

/** What the host's authenticator requires, and what this browser has already proved. */
export const make = Effect.fnUntraced(function* (isSecure: boolean) {
  const proofCookie = cookieName(plainName, isSecure)
  const authenticator = yield* ConsumerAuthenticator
  const keyring = yield* Keyring

  const proofsOf = (visit: string, { environment, userId }: Person, untilMillis: number) =>
    keyring.fingerprints(JSON.stringify(["consent-page.proof", visit, environment, userId, untilMillis]))

  const hasProof = Effect.fnUntraced(function* (
    { cookies }: HttpServerRequest.HttpServerRequest,
    visit: string,
    person: Person
  ) {
    const [, until, sent] = /^(\d{1,15})~(.{1,200})$/u.exec(cookies[proofCookie] ?? "") ?? []
    if (until === undefined || sent === undefined || Number(until) <= (yield* Clock.currentTimeMillis)) return false
    const proofs = yield* proofsOf(visit, person, Number(until))
    return proofs.some((proof) => sameText(proof, sent))
  })

  const visitOf = (
    { headers }: HttpServerRequest.HttpServerRequest,
    person: Person,
    link: ConsentTokenHash
  ): Visit => ({ person, link, headers: Redacted.make({ ...headers }, { label: "headers" }) })

  return {
    proofCookie,
    visitOf,
    sendCode: authenticator.sendCode,
    checkCode: authenticator.checkCode,

    /** What the visitor must do before anything is shown. */
    admit: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, visit: string, asked: Visit) {
      const admission = yield* admit(authenticator, asked)
      if (admission._tag !== "CodeRequired") return admission
      const admitted: Admission = { _tag: "Admitted" }
      return (yield* hasProof(request, visit, asked.person)) ? admitted : admission
    }),

    /** The cookie for a browser whose code was correct. */
    proofFor: Effect.fnUntraced(function* (visit: string, person: Person) {
      const untilMillis = (yield* Clock.currentTimeMillis) + Duration.toMillis(proofLifetime)
      const [proof] = yield* proofsOf(visit, person, untilMillis)
      return `${untilMillis}~${proof}`
    })
  }
})

export type Admissions = Effect.Success<ReturnType<typeof make>>
