import { Context, DateTime, Effect, Layer } from "effect"
import { DataRequestNotFound } from "../consent/ConsentError.js"
import { type DataRequest, isPending } from "../consent/request/DataRequest.js"
import type { Environment } from "../Environment.js"
import type { StoreError } from "../StoreError.js"
import type { OperatorActionDraft } from "./OperatorAction.js"
import { OperatorActions } from "./OperatorActions.js"
import { sightChanges, sightsOf, type Viewer } from "./sightsOf.js"

/**
 * Tracks which consent links an operator's session may see: only those shown by `show`, which records an operator's
 * action. Other links stay hidden, since the bearer of a link can decide for the person.
 */
export class LinkSights extends Context.Service<
  LinkSights,
  {
    /**
     * Records that the operator asked to see the link of a pending request, and why. The session may then see the link
     * for `sightLasts`. Fails with `DataRequestNotFound` if the request is not pending or is of another environment.
     */
    readonly show: (
      viewer: Viewer,
      request: DataRequest,
      reason: string
    ) => Effect.Effect<void, DataRequestNotFound | StoreError>

    /** Returns the ids of requests whose links the session may see now. */
    readonly inSight: (viewer: Viewer) => Effect.Effect<ReadonlySet<string>, StoreError>
  }
>()("@surety/core/operator/LinkSights") {}

/** Maximum number of an operator's latest viewings to read. Older viewings do not count, even within `sightLasts`. */
const readBack = 200

/** Describes the viewing of a list of consent links as one action. Returns undefined for an empty list. */
export const linksShown = (
  environment: Environment,
  requests: ReadonlyArray<Pick<DataRequest, "id">>
): OperatorActionDraft | undefined =>
  requests.length === 0
    ? undefined
    : {
        kind: "consent_link.shown",
        target: "data_requests.pending",
        environment,
        changes: requests.map(({ id }) => ({ field: "dataRequest", to: id }))
      }

export const layer: Layer.Layer<LinkSights, never, OperatorActions> = Layer.effect(
  LinkSights,
  Effect.gen(function* () {
    const actions = yield* OperatorActions

    const show = Effect.fn("LinkSights.show")(function* (
      { environment, operator, session }: Viewer,
      request: DataRequest,
      reason: string
    ) {
      const { id, merchantId, serviceId } = request
      const waits = request.environment === environment && isPending(request, yield* DateTime.now)
      yield* actions.record(
        operator,
        waits ? Effect.void : Effect.fail(new DataRequestNotFound({ dataRequestId: id })),
        () => ({
          kind: "consent_link.shown",
          target: id,
          environment,
          merchantId,
          serviceId,
          reason,
          changes: sightChanges(session)
        })
      )
    })

    const inSight = Effect.fn("LinkSights.inSight")(function* (viewer: Viewer) {
      const given = yield* sightsOf(actions, viewer, {
        kind: "consent_link.shown",
        serviceId: undefined,
        atMost: readBack
      })
      return new Set<string>(given.map(({ target }) => target))
    })

    return LinkSights.of({ show, inSight })
  })
)
