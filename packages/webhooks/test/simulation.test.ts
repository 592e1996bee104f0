import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import type { SimulatedReceivers } from "@surety/testing/simulation/host/SimulatedReceivers"
import { storyOf, type Told, tell } from "@surety/testing/simulation/Simulation"
import type { SimulatedParts } from "@surety/testing/simulation/world/Cluster"
import { Duration, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { describe, expect, it } from "vitest"
import { type RetrySchedule, standardRetrySchedule } from "../src/delivery/RetrySchedule.js"
import * as NodeMac from "../src/node/NodeMac.js"
import { defaultWebhookSettings, WebhookSettings } from "../src/WebhookSettings.js"
import * as Webhooks from "../src/Webhooks.js"

/** Number of steps to run with the default settings. A deliberate mistake must be found within `stepsToFind` steps. */
const steps = 60_000
const stepsToFind = 10_000

/**
 * Returns an HTTP client that delivers to the simulated receivers. Responses have no body, since reading one requires
 * promises, which a simulation cannot await.
 */
const clientOf = (receivers: SimulatedReceivers): HttpClient.HttpClient =>
  HttpClient.make((request) => {
    const { body, headers, url } = request
    const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
    return Effect.flatMap(receivers.bring(url, headers["webhook-id"] ?? "", text), (status) =>
      status === undefined
        ? Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, cause: new Error("simulated reset") })
            })
          )
        : Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
    )
  })

const partsOf = (settings: Partial<WebhookSettings> = {}): SimulatedParts => ({
  webhooks: (receivers) =>
    Webhooks.layer.pipe(
      Layer.provide([
        Layer.succeed(HttpClient.HttpClient, clientOf(receivers)),
        Layer.succeed(WebhookSettings, { ...defaultWebhookSettings, ...settings }),
        TargetPolicy.layerDevelopment,
        NodeMac.layer
      ])
    )
})

/**
 * Plays stories until one violates an invariant or `mostSteps` are taken. Returns the violation and the outcomes
 * reached.
 */
const play = (parts: SimulatedParts, mostSteps: number) => {
  const reached = new Set<string>()
  let taken = 0
  let told: Told | undefined
  for (let seed = 1; taken < mostSteps && told?.violation === undefined; seed += 1) {
    told = tell(storyOf(seed), parts)
    taken += told.steps
    for (const what of told.coverage.keys()) reached.add(what)
  }
  return { violation: told?.violation, reached }
}

describe("the dispatcher in a simulation", () => {
  it("sends what committed and nothing else, over a network that loses, doubles and delays", {
    timeout: 120_000
  }, () => {
    const { reached, violation } = play(partsOf(), steps)
    expect(violation).toBeUndefined()
    for (const road of ["well", "late", "twice", "lost", "unanswered"])
      expect(reached).toContain(`webhook went ${road}`)
    for (const status of ["200", "500", "410", "nothing"]) expect(reached).toContain(`receiver answered ${status}`)
    expect(reached).toContain("delivery PENDING → DELIVERED")
  })

  it("is caught giving a delivery up early", { timeout: 120_000 }, () => {
    const retrySchedule: RetrySchedule = {
      ...standardRetrySchedule,
      delays: { LIVE: [Duration.zero], TEST: [Duration.zero] }
    }
    expect(play(partsOf({ retrySchedule }), stepsToFind).violation?.invariant).toBe("told_iff_committed")
  })
})
