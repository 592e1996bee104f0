import { consentUntil } from "@surety/core/kyc/provider/SandboxKycProvider"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { DateTime, Effect, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { registryEndScreen, registryScreen } from "../screen/RegistryScreens.js"
import { englishCatalog } from "../words/Catalog.js"
import * as Words from "../words/Words.js"
import { answering, formStale, type PageFailed, type PageKit, readPageForm, type Visited } from "./PageKit.js"
import { paths } from "./paths.js"

type Response = HttpServerResponse.HttpServerResponse

const unknown = { _tag: "ConsentLinkUnknown" } as const

/**
 * Adds the sandbox's stand-in for a registry's page, on which the holder of a sandbox number agrees or refuses. `GET`
 * shows the page, `POST` records the decision.
 */
export const addSandboxRoutes = Effect.fnUntraced(function* (kit: PageKit) {
  const router = yield* HttpRouter.HttpRouter
  const verifications = yield* Verifications

  /** The page is for developers, so its text is only in English. */
  const words = Words.make(englishCatalog, kit.settings.timeZone)
  const inEnglish = (visit: Visited): Visited => ({ ...visit, frame: { ...visit.frame, words, languages: [] } })

  /**
   * Returns the holder's deadline for acting. Fails with `ConsentLinkUnknown` unless the token has the form of a
   * reference that needs the holder's consent. Does not check that the verification exists.
   */
  const openUntil = ({ token }: Visited) =>
    Option.match(consentUntil(Redacted.value(token)), {
      onNone: () => Effect.fail(unknown),
      onSome: (until) => Effect.succeed(until)
    })

  const show = Effect.fnUntraced(function* (visited: Visited): Effect.fn.Return<Response, PageFailed> {
    const visit = inEnglish(visited)
    const until = yield* openUntil(visit)
    if (DateTime.isLessThanOrEqualTo(until, yield* DateTime.now)) {
      return kit.draw(visit.frame, registryEndScreen("over"), 410)
    }
    const screen = registryScreen(visit.frame, {
      guard: yield* kit.guardField(visit),
      action: kit.hrefOf(paths.sandboxKyc, visit.token),
      until
    })
    return kit.drawIn(visit, screen)
  })

  const decide = Effect.fnUntraced(function* (visited: Visited): Effect.fn.Return<Response, PageFailed> {
    const visit = inEnglish(visited)
    yield* openUntil(visit)
    const form = yield* readPageForm(kit, visit)
    const decision = form.first("decision")
    if (decision !== "agree" && decision !== "refuse") return yield* Effect.fail(formStale)
    const isNews = yield* verifications.consentInSandbox(Redacted.value(visit.token), decision === "agree")
    if (!isNews) return kit.draw(visit.frame, registryEndScreen("over"), 409)
    return kit.draw(visit.frame, registryEndScreen(decision === "agree" ? "agreed" : "refused"))
  })

  yield* router.add("GET", paths.sandboxKyc, answering(kit, show))
  yield* router.add("POST", paths.sandboxKyc, answering(kit, decide))
})
