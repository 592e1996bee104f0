import {
  type ConsumerDirectory,
  DirectoryUnavailable,
  type IdentityValues,
  type Person
} from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as HostDirectory from "@surety/core/consumer/HostDirectory"
import type { IdentityField } from "@surety/core/consumer/IdentityField"
import { type ReadAnswer, reading } from "@surety/core/host/HostAnswer"
import { EventId } from "@surety/core/Ids"
import { Effect, type Layer, Option, Result, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HookCaller, type HookTarget } from "./HookCaller.js"

/** Decodes a platform's response without checking the names or types of its `fields`. */
export const readFields = reading(
  Schema.Struct({ fields: Schema.Record(Schema.String, Schema.Unknown) }),
  "{ fields: an object }",
  "ignore"
)

/**
 * Returns a decoder for a platform's response (contract 15.1). It reads the requested fields and checks each field's
 * type.
 */
export const readingValues =
  (fields: ReadonlyArray<string>): ReadAnswer<IdentityValues> =>
  (answer) =>
    Result.flatMap(readFields(answer), ({ fields: told }) => HostDirectory.readAsked(told, fields))

/** Builds the body of a request to the directory hook. Omits an undefined `externalId`. */
export const directoryBody = (
  { serviceId, userId }: Person,
  externalId: string | undefined,
  fields: ReadonlyArray<string>
) => ({ userId, ...(externalId === undefined ? {} : { externalId }), serviceId, fields })

type Needs = HookCaller | ConsumerStore | SecureRandom.SecureRandom

/**
 * Reads the platform's records of people through a hook (contract 15.1). A call requests only the fields needed for one
 * merchant's read or one preview for the person. No response is stored. TEST people exist only in Surety, so no call is
 * made for them.
 */
export const layer = (target: HookTarget): Layer.Layer<ConsumerDirectory, never, Needs> =>
  HostDirectory.layer<Needs>({
    environments: ["LIVE"],
    values: Effect.fnUntraced(
      function* (person: Person, fields: ReadonlyArray<IdentityField>) {
        const hooks = yield* HookCaller
        const consumers = yield* ConsumerStore
        const found = yield* consumers.findByServiceId(person.environment, person.serviceId)
        const externalId = Option.getOrUndefined(
          Option.filter(found, ({ userId }) => userId === person.userId)
        )?.externalId
        const call = {
          hook: "directory",
          target,
          id: yield* EventId.next,
          topic: "directory.read",
          environment: person.environment,
          body: directoryBody(person, externalId, fields)
        } as const
        return yield* hooks.ask(call, readingValues(fields))
      },
      Effect.mapError((cause) => new DirectoryUnavailable({ cause }))
    )
  })
