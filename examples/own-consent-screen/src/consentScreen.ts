import type { ConsentListing } from "@surety/core/consent/ConsentLog"
import { Grants } from "@surety/core/consent/grant/Grants"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { DataRequestId, GrantId, type UserId } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"

/** Version and language of the platform's own wording. Change the version whenever the wording changes. */
const notice = { version: "2026-11", language: "en" }

const actor = { kind: "PERSON", name: "app" } as const

const everywhere: ConsentListing = { merchantId: undefined, environment: "LIVE" }
const page = { limit: 50, cursor: undefined }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Forms that the screen submits. `do` is the button pressed. */
export const Action = Schema.Union([
  Schema.Struct({ do: Schema.Literal("approve"), id: DataRequestId, fields: Schema.Array(Schema.String) }),
  Schema.Struct({ do: Schema.Literals(["deny", "not_me"]), id: DataRequestId }),
  Schema.Struct({ do: Schema.Literal("revoke"), id: GrantId })
])
export type Action = typeof Action.Type

/** Renders the person's pending LIVE requests and active LIVE grants, from the first page (50) of each. */
export const draw = Effect.fn("consentScreen.draw")(function* (userId: UserId) {
  const requests = yield* (yield* DataRequests).list(everywhere, { userId }, page)
  const grants = yield* (yield* Grants).list(everywhere, { userId }, page)
  const pending = requests.data.filter(({ status }) => status === "PENDING")
  const active = grants.data.filter(({ status }) => status === "ACTIVE")
  const asked = pending.map(
    ({ id, purpose, requestedFields }) => `<form method="post"><input type="hidden" name="id" value="${id}">
<p>${escaped(purpose)}</p>
${requestedFields.map((field) => `<label><input type="checkbox" name="fields" value="${field}"> ${field}</label>`).join("\n")}
<button name="do" value="approve">Share what I ticked</button>
<button name="do" value="deny">Share nothing</button>
<button name="do" value="not_me">This is not me</button></form>`
  )
  const given = active.map(
    ({ expiresAt, fields, id, purpose }) => `<form method="post"><input type="hidden" name="id" value="${id}">
<p>${escaped(purpose)}: ${fields.join(", ")}, until ${DateTime.formatIsoDateUtc(expiresAt)}</p>
<button name="do" value="revoke">Take back</button></form>`
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Your data</title><h1>Your data</h1>
<h2>Waiting for you</h2>${asked.join("")}<h2>In force</h2>${given.join("")}</html>`
})

/** Carries out the action, or returns a message to show if the request or grant belongs to another person. */
export const act = Effect.fn("consentScreen.act")(function* (userId: UserId, action: Action) {
  const requests = yield* DataRequests
  const grants = yield* Grants
  if (action.do === "revoke") {
    const target = { id: action.id, scope: undefined }
    const grant = yield* grants.get(target)
    if (grant.userId !== userId) return "Consent not found."
    yield* grants.revoke(target, { actor, notice })
    return undefined
  }
  const target = { id: action.id, scope: undefined }
  const request = yield* requests.get(target)
  if (request.userId !== userId) return "Request not found."
  if (action.do === "approve") yield* requests.approve(target, { actor, notice, fields: action.fields })
  else yield* requests.deny(target, { actor, notice, reason: action.do === "deny" ? "DECLINED" : "NOT_ME" })
  return undefined
})

/** Returns the message to show for a failed action, by its error tag. */
export const tell = (tag: string): string => {
  switch (tag) {
    case "ConsentRequestInvalid":
      return "Tick at least one field, or share nothing."
    case "DataRequestDecided":
      return "That was answered already."
    case "DataRequestNotFound":
    case "GrantNotFound":
      return "Record not found."
    default:
      return "Try again later."
  }
}
