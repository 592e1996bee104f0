import type { ConsolePage } from "@surety/console/page/ConsolePage"
import { pages } from "@surety/console/page/pages"
import type { Environment } from "@surety/core/Environment"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { Merchants } from "@surety/core/merchant/Merchants"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Effect } from "effect"
import * as Scene from "./Scene.js"

const everything = {
  actor: undefined,
  kind: undefined,
  target: undefined,
  merchantId: undefined,
  serviceId: undefined,
  since: undefined,
  until: undefined
}

/** A page to open, and how its record has to stand for its forms to be there. */
export interface Stop {
  readonly page: ConsolePage
  readonly name: string
  readonly prepare: (records: Records) => Effect.Effect<unknown, unknown, never>
}

/** The records of a walk: one of each kind, in one environment. */
export type Records = Effect.Success<ReturnType<typeof recordsIn>>

/** Makes records for the parameters of every page. */
export const recordsIn = Effect.fnUntraced(function* ({ run }: Scene.Scene, environment: Environment, name?: string) {
  const seeded = yield* run(Scene.seed(environment, name))
  const { data } = yield* run(
    Effect.flatMap(EventLog, (log) => log.list(seeded.scope, { limit: 10, cursor: undefined }))
  )
  const event = data.find(({ topic }) => topic === "refund.completed")
  return {
    ...seeded,
    environment,
    run,
    params: {
      merchantId: seeded.merchant.id,
      refundId: seeded.refund.id,
      endpointId: seeded.endpoint.id,
      eventId: event?.id ?? "none",
      consumerId: seeded.consumer.serviceId,
      paymentId: seeded.payment.id
    }
  }
})

/** The address of a page below the public url's path, with these parameters. */
export const pathOf = (
  { path }: Pick<ConsolePage, "path">,
  environment: Environment,
  params: Readonly<Record<string, string>>
): string =>
  `/console/${environment.toLowerCase()}/${path.replace(/:(\w+)/gu, (_, name: string) => {
    const value = params[name]
    if (value === undefined)
      throw new Error(`Add "${name}" of the page "${path}" to recordsIn in test/support/walking.ts`)
    return value
  })}`

const asIs = () => Effect.void

/** How the record of a page has to stand. Pages that are not named show their forms as the records are. */
const prepared: Readonly<Record<string, Stop["prepare"]>> = {
  "merchants/:merchantId/activate": ({ merchant, run }) =>
    run(
      Effect.flatMap(Merchants, (merchants) =>
        merchants.changeStatus(merchant.id, { to: "SUSPENDED", actor: "test", reason: "To be activated again" })
      )
    )
}

/** Pages that are opened once more, with their records in another state. */
const again: ReadonlyArray<Omit<Stop, "page"> & { readonly path: string }> = [
  {
    path: "endpoints/:endpointId",
    name: "endpoints/:endpointId, disabled",
    prepare: ({ endpoint, merchant, run }) =>
      run(Effect.flatMap(WebhookEndpoints, (all) => all.update(merchant.id, endpoint.id, { status: "DISABLED" })))
  }
]

/** Every page of the table, and those that have other forms in another state. */
export const stops: ReadonlyArray<Stop> = [
  ...pages.map((page) => ({ page, name: page.path, prepare: prepared[page.path] ?? asIs })),
  ...again.flatMap(({ path, ...more }) => pages.filter((page) => page.path === path).map((page) => ({ page, ...more })))
]

/** What a form could have changed, as one text: to compare before and after. */
export const standing = ({ endpoint, merchant, run, scope }: Records) =>
  run(
    Effect.gen(function* () {
      const actions = yield* (yield* OperatorActions).list(everything, { limit: 100, cursor: undefined })
      const { settings, status } = yield* (yield* Merchants).get(merchant.id)
      const endpoints = yield* (yield* WebhookEndpoints).get(merchant.id, endpoint.id)
      const deliveries = yield* (yield* EventLog).listDeliveries(
        { environment: scope.environment, status: undefined, merchantId: merchant.id, endpointId: undefined },
        { limit: 100, cursor: undefined }
      )
      const changes = actions.data.filter(({ kind }) => !kind.startsWith("session."))
      return {
        actions: changes,
        text: JSON.stringify([changes.length, settings, status, endpoints.status, deliveries.data])
      }
    })
  )
