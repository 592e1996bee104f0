import type { Calls } from "@surety/embed"
import { inputOf } from "@surety/embed/Call"
import { Predicate } from "effect"

/**
 * A facade call with its name, such as `refunds.create`, and its input fields. `fields` is undefined if the function
 * was not built by `call`, for example because it takes no input.
 */
export interface WalkedCall {
  readonly name: string
  readonly fields: Readonly<Record<string, unknown>> | undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => Predicate.isObject(value)

/** Returns every call of every namespace of the facade except `workers`. */
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

/** Names of the calls whose value does not have this form. */
export type Unlike<Form> = {
  [Room in keyof Calls & string]: {
    [Verb in keyof Calls[Room] & string]: [ValueOf<Calls[Room][Verb]>] extends [Form] ? never : `${Room}.${Verb}`
  }[keyof Calls[Room] & string]
}[keyof Calls & string]

/** Names of the calls whose value has this form. */
export type Like<Form> = Exclude<
  { [Room in keyof Calls & string]: `${Room}.${keyof Calls[Room] & string}` }[keyof Calls & string],
  Unlike<Form>
>
