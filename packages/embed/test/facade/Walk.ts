import type { Calls } from "@surety/embed"
import { inputOf } from "@surety/embed/Call"
import { Predicate } from "effect"

/** A call of the facade by its name, `refunds.create`, and the names of what it takes; undefined if it takes nothing. */
export interface WalkedCall {
  readonly name: string
  readonly fields: Readonly<Record<string, unknown>> | undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => Predicate.isObject(value)

/** Every call of the rooms of the facade. */
export const walk = (surety: Calls): ReadonlyArray<WalkedCall> =>
  Object.entries(surety).flatMap(([room, calls]) =>
    isRecord(calls) && typeof calls !== "function"
      ? Object.entries(calls).flatMap(([verb, call]) => {
          if (typeof call !== "function" || room === "workers") return []
          const input: unknown = inputOf(call)
          const fields = Predicate.hasProperty(input, "fields") && isRecord(input.fields) ? input.fields : undefined
          return [{ name: `${room}.${verb}`, fields }]
        })
      : []
  )

export type Awaitable = (...input: never) => Promise<unknown>

export type ValueOf<Call> = Call extends Awaitable
  ? Extract<Awaited<ReturnType<Call>>, { readonly ok: true }> extends { readonly value: infer Value }
    ? Value
    : never
  : never

/** The names of the calls whose value is not of one of these forms. */
export type Unlike<Form> = {
  [Room in keyof Calls & string]: {
    [Verb in keyof Calls[Room] & string]: [ValueOf<Calls[Room][Verb]>] extends [Form] ? never : `${Room}.${Verb}`
  }[keyof Calls[Room] & string]
}[keyof Calls & string]

/** The names of the calls whose value is of this form. */
export type Like<Form> = Exclude<
  { [Room in keyof Calls & string]: `${Room}.${keyof Calls[Room] & string}` }[keyof Calls & string],
  Unlike<Form>
>
