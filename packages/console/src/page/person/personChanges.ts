import { consumerChange } from "@surety/core/consumer/changeConsumer"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { encodeExport } from "@surety/core/person/PersonExport"
import { PersonRights } from "@surety/core/person/PersonRights"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Option, Redacted } from "effect"
import { changeForm, textField } from "../../screen/changeForm.js"
import { head, note } from "../../screen/parts.js"
import {
  type ConsolePage,
  FormRefused,
  formRefused,
  type PageView,
  RecordMissing,
  recordMissing,
  type SentChange
} from "../ConsolePage.js"
import { look, lookForm, sightUntil } from "./person.js"
import { holdingsIn, personIn } from "./personRecord.js"

/** Finds the person named in the url. Fails with `RecordMissing` if the person is unknown or erased. */
export const living = Effect.fnUntraced(function* (view: PageView) {
  const person = yield* personIn(view)
  return person.erasedAt === undefined ? person : yield* new RecordMissing()
})

export const rightsCommandOf = (
  { environment, session }: PageView,
  { reason }: SentChange,
  serviceId: Person["serviceId"]
) => ({
  environment,
  serviceId,
  actor: session.operator,
  reason
})

type Person = Effect.Success<ReturnType<typeof personIn>>

const crumbOf = (view: PageView, { serviceId }: Pick<Person, "serviceId">): Html =>
  html`<a href="${view.href("people")}">People</a> / <a href="${view.href(`people/${serviceId}`)}">${serviceId}</a> /`

export const framed = (view: PageView, person: Pick<Person, "serviceId">, title: string, body: Html) => ({
  title: `${title} ${person.serviceId}`,
  body: html`${head({ crumb: crumbOf(view, person), title })}
<section class="panel mid" aria-label="${title}">${body}</section>`
})

/** Returns the new value of an edited field: `undefined` if unchanged, null if cleared. */
const changed = (typed: string | undefined, before: string | undefined): string | null | undefined => {
  const text = (typed ?? "").trim()
  if (text === (before ?? "")) return undefined
  return text === "" ? null : text
}

const fieldsOf = [
  { name: "displayName", label: "Name", longest: 100 },
  { name: "email", label: "E-mail", longest: 254 },
  { name: "country", label: "Country (two letters)", longest: 2 }
] as const

/**
 * `people/{consumerId}/correct`: corrects a person's details. The form's fields contain the details, so the operator
 * must submit the `look` form first.
 */
export const personCorrectPage: ConsolePage = {
  path: "people/:consumerId/correct",
  room: "people",
  role: "support",
  show: Effect.fnUntraced(function* (view) {
    const { consumer } = yield* holdingsIn(view)
    const back = view.href(`people/${consumer.serviceId}`)
    const until = yield* sightUntil(view, consumer.serviceId)
    if (Option.isNone(until)) {
      return framed(
        view,
        consumer,
        "Correct",
        html`<div class="pad">${note("info", "This page has the details in its fields: first say why you need to see them.")}</div>${lookForm(view)}`
      )
    }
    const before = {
      displayName: consumer.displayName === undefined ? "" : Redacted.value(consumer.displayName),
      email: consumer.email === undefined ? "" : Redacted.value(consumer.email),
      country: consumer.country ?? ""
    }
    return framed(
      view,
      consumer,
      "Correct",
      changeForm(view, {
        name: "correct",
        button: "Correct",
        fields: fieldsOf.map((field) =>
          textField(view, "correct", { ...field, value: before[field.name], isOptional: true })
        ),
        hint: "What proves the new value. Merchants that may read a changed field are notified.",
        back
      })
    )
  }),
  forms: {
    look,
    correct: {
      role: commandRoles["consumer.correct"],
      done: "The details are corrected.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { consumer } = yield* holdingsIn(view)
        const until = yield* sightUntil(view, consumer.serviceId)
        if (Option.isNone(until)) {
          return yield* new FormRefused({ message: "The 10 minutes are over. Show the details again." })
        }
        const plain = (known: Redacted.Redacted<string> | undefined) => known && Redacted.value(known)
        const displayName = changed(sent.form.first("displayName"), plain(consumer.displayName))
        const email = changed(sent.form.first("email"), plain(consumer.email))
        const country = changed(sent.form.first("country")?.toUpperCase(), consumer.country)
        if (typeof displayName === "string" && [...displayName].length > 100) {
          return yield* new FormRefused({ message: "Write a name of at most 100 characters.", field: "displayName" })
        }
        if (typeof email === "string" && !/^[^\s@]{1,64}@[^\s@]{1,189}$/u.test(email)) {
          return yield* new FormRefused({
            message: "Write an e-mail address, such as ada@example.com.",
            field: "email"
          })
        }
        if (typeof country === "string" && !/^[A-Z]{2}$/u.test(country)) {
          return yield* new FormRefused({ message: "Write a country of two letters, such as NG.", field: "country" })
        }
        if (displayName === undefined && email === undefined && country === undefined) {
          return yield* new FormRefused({ message: "Nothing is changed yet.", field: "displayName" })
        }
        const change = consumerChange({
          ...(displayName === undefined ? {} : { displayName }),
          ...(email === undefined ? {} : { email }),
          ...(country === undefined ? {} : { country })
        })
        yield* (yield* PersonRights)
          .rectify({ ...rightsCommandOf(view, sent, consumer.serviceId), change })
          .pipe(Effect.catchTag("PersonNotFound", recordMissing))
        return {}
      })
    }
  }
}

/**
 * `people/{consumerId}/restrict`: imposes or lifts a restriction. Under a restriction, merchants can neither read the
 * person's data nor make new requests for it.
 */
export const personRestrictPage: ConsolePage = {
  path: "people/:consumerId/restrict",
  room: "people",
  role: "support",
  show: Effect.fnUntraced(function* (view) {
    const person = yield* living(view)
    const isRestricted = person.restrictedAt !== undefined
    const back = view.href(`people/${person.serviceId}`)
    return framed(
      view,
      person,
      isRestricted ? "Lift the restriction" : "Restrict",
      html`<div class="pad"><p>${
        isRestricted
          ? "Merchants may read again what their grants in force allow, and ask for more."
          : "From now on, no merchant reads the person’s details or asks for more. Grants, payments and legal duties continue."
      }</p></div>${changeForm(view, {
        name: isRestricted ? "lift" : "restrict",
        button: isRestricted ? "Lift the restriction" : "Restrict",
        stops: !isRestricted,
        back
      })}`
    )
  }),
  forms: {
    restrict: {
      role: commandRoles["person.restrict"],
      done: "The person’s details are restricted.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { serviceId } = yield* living(view)
        yield* (yield* PersonRights)
          .restrict(rightsCommandOf(view, sent, serviceId))
          .pipe(Effect.catchTag("PersonNotFound", recordMissing))
        return {}
      })
    },
    lift: {
      role: commandRoles["person.restrict"],
      done: "The restriction is lifted.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { serviceId } = yield* living(view)
        yield* (yield* PersonRights)
          .liftRestriction(rightsCommandOf(view, sent, serviceId))
          .pipe(Effect.catchTag("PersonNotFound", recordMissing))
        return {}
      })
    }
  }
}

/** `people/{consumerId}/export`: a JSON file of the person's data, from Surety and the host's `PersonDataHolders`. */
export const personExportPage: ConsolePage = {
  path: "people/:consumerId/export",
  room: "people",
  role: "support",
  show: Effect.fnUntraced(function* (view) {
    const person = yield* living(view)
    return framed(
      view,
      person,
      "Export",
      html`<div class="pad"><p>A JSON file with everything that is held of the person, for the person alone. It has their details in full: hand it over as safely as you keep it, and delete your copy.</p></div>${changeForm(
        view,
        {
          name: "export",
          button: "Export",
          hint: "For example, the rights request that it answers.",
          back: view.href(`people/${person.serviceId}`)
        }
      )}`
    )
  }),
  forms: {
    export: {
      role: commandRoles["person.export"],
      downloads: true,
      done: "The export is made.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { serviceId } = yield* living(view)
        const made = yield* (yield* PersonRights).export(rightsCommandOf(view, sent, serviceId)).pipe(
          Effect.catchTags({
            PersonNotFound: recordMissing,
            PersonDataUnavailable: () => formRefused({ message: "A part of the platform is down. Try again." })
          })
        )
        return {
          file: {
            name: `${serviceId}.json`,
            type: "application/json",
            text: JSON.stringify(encodeExport(Redacted.value(made)), undefined, 2)
          }
        }
      })
    }
  }
}
