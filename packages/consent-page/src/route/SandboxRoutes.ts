import { consentUntil } from "@surety/core/kyc/provider/SandboxKycProvider"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { DateTime, Effect, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { registryEndScreen, registryScreen } from "../screen/RegistryScreens.js"
import { answering, formStale, type PageFailed } from "./answering.js"
import { readPageForm } from "./PageForm.js"
import type { PageKit, Visited } from "./PageKit.js"
import { paths } from "./paths.js"

type Response = HttpServerResponse.HttpServerResponse

const unknown = { _tag: "ConsentLinkUnknown" } as const

/** The sandbox's registry: `GET` asks the holder, `POST` takes their word. Its texts are for developers: English only. */
export const addSandboxRoutes = Effect.fnUntraced(function* (kit: PageKit) {
  const router = yield* HttpRouter.HttpRouter
  const verifications = yield* Verifications

  /** Until when the holder can act. Fails for an address that is none of the sandbox's. */
  const openUntil = ({ token }: Visited) =>
    Option.match(consentUntil(Redacted.value(token)), {
      onNone: () => Effect.fail(unknown),
      onSome: (until) => Effect.succeed(until)
    })

  const show = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
    const until = yield* openUntil(visit)
    if (DateTime.isLessThanOrEqualTo(until, yield* DateTime.now)) {
      return kit.draw(visit.frame, registryEndScreen("over"), 410)
    }
    const screen = registryScreen(visit.frame, {
      guard: yield* kit.guardField(visit),
      action: kit.hrefOf(paths.sandboxKyc, visit.token),
      until
    })
    return kit.drawIn({ ...visit, frame: { ...visit.frame, languages: [] } }, screen)
  })

  const decide = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
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
