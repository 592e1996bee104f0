import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { PersonRights } from "@surety/core/person/PersonRights"
import { html } from "@surety/page-kit/Html"
import { DateTime, Effect } from "effect"
import { changeForm, textField } from "../../screen/changeForm.js"
import { note } from "../../screen/parts.js"
import { type ConsolePage, FormRefused, formRefused, recordMissing } from "../ConsolePage.js"
import { pendingRefund, pendingRefundNote } from "./pendingRefund.js"
import { halfErased } from "./person.js"
import { framed, living, rightsCommandOf } from "./personChanges.js"
import { waitingErasure, waitingErasureNote } from "./waitingErasure.js"

/**
 * `people/{consumerId}/erase`: erases a person permanently. If an erasure needs a second operator, the form only
 * proposes it.
 */
export const personErasePage: ConsolePage = {
  path: "people/:consumerId/erase",
  room: "people",
  role: "support",
  show: Effect.fnUntraced(function* (view) {
    const person = yield* living(view)
    const needsSecond = (yield* Approvals).needsSecond({ _tag: "Erasure" })
    const waiting = yield* waitingErasure(view, person.serviceId)
    const pending = yield* pendingRefund(view, person.serviceId)
    return framed(
      view,
      person,
      "Erase",
      html`<div class="pad">${waitingErasureNote(view, waiting)}${pendingRefundNote(view, pending)}<ul class="stack"><li>Name, address, e-mail, links and open requests go; every consent ends, and merchants are notified.</li><li>Money, receipts and reads stay without a name, as the law asks.</li><li>A pending refund has to end first.</li><li>It cannot be undone, and the identifier is never issued again.</li></ul>${
        needsSecond &&
        note("info", "An erasure needs two operators: this proposes it, and an admin approves it within 24 hours.")
      }</div>${changeForm(view, {
        name: "erase",
        button: needsSecond ? "Propose to erase" : "Erase permanently",
        stops: true,
        fields: html`<input type="hidden" name="drawn" value="${DateTime.toEpochMillis(view.now)}">${textField(view, "erase", { name: "serviceId", label: `Type ${person.serviceId} to confirm` })}`,
        hint: "For example, the rights request that it answers.",
        back: view.href(`people/${person.serviceId}`)
      })}`
    )
  }),
  forms: {
    erase: {
      role: commandRoles["erasure.propose"],
      done: "Done. If it needs a second operator, it waits here until an admin approves it.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { serviceId } = yield* living(view)
        if ((sent.form.first("serviceId") ?? "").trim() !== serviceId) {
          return yield* new FormRefused({ message: `Type ${serviceId} to confirm.`, field: "serviceId" })
        }
        const approvals = yield* Approvals
        const href = view.href(`people/${serviceId}`)
        if (approvals.needsSecond({ _tag: "Erasure" })) {
          const drawn = sent.form.first("drawn") ?? ""
          if (!/^\d{13}$/u.test(drawn))
            return yield* new FormRefused({ message: "The form is out of date. Open it again." })
          const { proposal } = yield* approvals
            .propose(IdempotencyKey.make(`console_${view.session.id}_${drawn}`), {
              environment: view.environment,
              command: { _tag: "Erasure", serviceId },
              reason: sent.reason,
              actor: view.session.operator
            })
            .pipe(
              Effect.catchTag("IdempotencyKeyReused", () =>
                Effect.fail(new FormRefused({ message: "This form has been sent before. Open it again." }))
              )
            )
          return { href: view.href(`approvals/${proposal.id}`) }
        }
        if (!view.may(commandRoles["person.erase"])) {
          return yield* new FormRefused({ message: "Only an admin may erase without a second operator. Ask one." })
        }
        yield* (yield* PersonRights).erase(rightsCommandOf(view, sent, serviceId)).pipe(
          Effect.catchTags({
            PersonNotFound: recordMissing,
            PersonDataUnavailable: () => Effect.fail(new FormRefused({ message: halfErased })),
            RefundsPending: formRefused,
            ErasuresExhausted: formRefused
          })
        )
        return { href }
      })
    }
  }
}
