import { Redacted } from "effect"
import type { Consumer } from "./Consumer.js"
import { IdentityField } from "./IdentityField.js"

/** Details to change. Null removes a detail; undefined keeps it. */
export interface ConsumerChange {
  readonly externalId?: string | null
  readonly displayName?: Redacted.Redacted<string> | null
  readonly country?: string | null
  readonly email?: Redacted.Redacted<string> | null
  readonly phoneVerified?: boolean
}

/** Builds a change from plain strings. Redacts the name and the e-mail address. */
export const consumerChange = ({
  displayName,
  email,
  ...plain
}: Omit<ConsumerChange, "displayName" | "email"> & {
  readonly displayName?: string | null
  readonly email?: string | null
}): ConsumerChange => {
  const personal = (text: string | null, label: string) => (text === null ? null : Redacted.make(text, { label }))
  return {
    ...plain,
    ...(displayName === undefined ? {} : { displayName: personal(displayName, "displayName") }),
    ...(email === undefined ? {} : { email: personal(email, "email") })
  }
}

/** A changed detail, with its old value as a string. */
export interface ChangedDetail {
  readonly detail: keyof ConsumerChange
  /** Undefined if the detail had no value. */
  readonly from: Redacted.Redacted<string> | undefined
  /** The identity field under which merchants read this detail. Undefined if merchants cannot read it. */
  readonly field: IdentityField | undefined
}

const fields: Readonly<Record<keyof ConsumerChange, IdentityField | undefined>> = {
  externalId: undefined,
  displayName: IdentityField.make("display_name"),
  country: IdentityField.make("country"),
  email: IdentityField.make("email"),
  phoneVerified: IdentityField.make("phone_verified")
}

const details: ReadonlyArray<keyof ConsumerChange> = ["externalId", "displayName", "country", "email", "phoneVerified"]

const textOf = (value: Consumer[keyof ConsumerChange]): string | undefined =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value?.toString()

export const changedConsumer = (
  { country, displayName, email, externalId, ...consumer }: Consumer,
  change: ConsumerChange
): Consumer => {
  const next = {
    externalId: change.externalId === undefined ? externalId : (change.externalId ?? undefined),
    displayName: change.displayName === undefined ? displayName : (change.displayName ?? undefined),
    country: change.country === undefined ? country : (change.country ?? undefined),
    email: change.email === undefined ? email : (change.email ?? undefined)
  }
  return {
    ...consumer,
    phoneVerified: change.phoneVerified ?? consumer.phoneVerified,
    ...(next.externalId === undefined ? {} : { externalId: next.externalId }),
    ...(next.displayName === undefined ? {} : { displayName: next.displayName }),
    ...(next.country === undefined ? {} : { country: next.country }),
    ...(next.email === undefined ? {} : { email: next.email })
  }
}

/** Returns the details that differ between two states of a consumer. */
export const changedDetails = (before: Consumer, after: Consumer): ReadonlyArray<ChangedDetail> =>
  details.flatMap((detail) => {
    const from = textOf(before[detail])
    return from === textOf(after[detail])
      ? []
      : [
          {
            detail,
            from: from === undefined ? undefined : Redacted.make(from, { label: detail }),
            field: fields[detail]
          }
        ]
  })
