import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { ProposalId } from "@surety/core/Ids"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Option } from "effect"
import { note } from "../../screen/parts.js"
import type { PageView } from "../ConsolePage.js"

/** Returns the id of the person's open erasure proposal, or `undefined` if the person has none. */
export const waitingErasure = Effect.fnUntraced(function* ({ environment }: PageView, serviceId: ConsumerId) {
  return Option.getOrUndefined(yield* (yield* Approvals).openErasure(environment, serviceId))?.id
})

export const waitingErasureNote = (view: PageView, id: ProposalId | undefined): Html | false =>
  id !== undefined &&
  note(
    "warn",
    html`<b>An erasure is proposed</b> and waits for a second operator. <a href="${view.href(`approvals/${id}`)}">Open the proposal</a>`
  )
