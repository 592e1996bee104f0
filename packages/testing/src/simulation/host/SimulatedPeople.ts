import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { ConsumerDirectory } from "@surety/core/consumer/ConsumerDirectory"
import type { DataRequestId, UserId } from "@surety/core/Ids"
import { Effect, Redacted, type Schema } from "effect"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"

/** The host's records of people, and the channel that sends people their links. */
export interface SimulatedPeople {
  readonly directory: ConsumerDirectory["Service"]
  readonly notifier: ConsentNotifier["Service"]
  /**
   * For each request, the token of the latest consent link to reach the person, or the merchant in TEST. Requests are
   * ordered by the arrival of their first links.
   */
  readonly tokens: Map<DataRequestId, { readonly token: Redacted.Redacted<string>; readonly userId: UserId }>
}

export const tokenIn = (url: Redacted.Redacted<string>): Redacted.Redacted<string> => {
  const text = Redacted.value(url)
  return Redacted.make(text.slice(text.lastIndexOf("/") + 1))
}

const answerTo = (field: string): Schema.Json => (field === "phone_verified" ? true : `a ${field}`)

export const makePeople = (world: World): SimulatedPeople => {
  const tokens = new Map<DataRequestId, { readonly token: Redacted.Redacted<string>; readonly userId: UserId }>()

  /**
   * Identity reads as first recorded, with their original user ids, since an erasure replaces those ids in the store.
   */
  const reads: Array<IdentityRead> = []
  observe(world.state.identityReads, (_, before, read) => {
    if (before === undefined && read !== undefined) reads.push(read)
  })
  const wasRecorded = (userId: UserId, fields: ReadonlyArray<string>): boolean =>
    reads.some((read) => read.userId === userId && fields.every((field) => read.fields.some((one) => one === field)))

  return {
    tokens,
    directory: ConsumerDirectory.of({
      values: ({ userId }, fields) =>
        Effect.sync(() => {
          world.require(
            wasRecorded(userId, fields),
            "reads_need_grant",
            () => `${fields.join(", ")} of ${world.nameOf(userId)} were fetched without a recorded read`
          )
          return Object.fromEntries(fields.map((field) => [field, Redacted.make(answerTo(field))]))
        })
    }),
    notifier: ConsentNotifier.of({
      notify: (notification) =>
        Effect.sync(() => {
          const { dataRequestId, userId } = notification
          world.reach(notification.isReminder ? "person reminded" : "person notified")
          world.tell(() => `${world.nameOf(userId)}: gets the link of ${world.nameOf(dataRequestId)}`)
          tokens.set(dataRequestId, { token: tokenIn(notification.url), userId })
        })
    })
  }
}
