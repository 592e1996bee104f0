import { ProviderReference } from "@surety/core/kyc/verification/Verification"
import { Verifications } from "@surety/core/kyc/verification/Verifications"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { Exchange, jsonAnswer } from "../Exchange.js"
import { pageJson, readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { BodyRoom } from "../form/BodyRoom.js"
import { formOf, readForm } from "../form/Form.js"
import { submitVerification } from "./submitVerification.js"
import { CodeRequestBody } from "./VerificationFields.js"
import { verificationJson } from "./VerificationRecord.js"
import { verificationRefusals } from "./VerificationRefusals.js"

/**
 * Reads a verification's reference from a path: Surety's or the provider's. The schema of provider references accepts
 * both.
 */
const referenceIn = pathId(ProviderReference, "verification_not_found")

const codeForm = formOf(CodeRequestBody)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "verifications">,
  never,
  MerchantAccess | Verifications | BodyRoom
> = HttpApiBuilder.group(
  Api,
  "verifications",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    const submit = submitVerification(verifications, yield* BodyRoom)

    return handlers
      .handleRaw("submit", ({ request }) =>
        answer(
          verificationRefusals.submit,
          Effect.gen(function* () {
            return yield* submit(request, yield* Exchange, yield* CurrentPrincipal)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          verificationRefusals.get,
          Effect.gen(function* () {
            const verification = yield* verifications.get(yield* CurrentPrincipal, yield* referenceIn(params.reference))
            return jsonAnswer(yield* Exchange, verificationJson(verification), 200)
          })
        )
      )
      .handle("list", ({ query }) =>
        answer(
          verificationRefusals.list,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const key = ["verifications.list", scope.merchantId, scope.environment] as const
            const page = yield* readPage(key, query, (request) => verifications.list(scope, request))
            return jsonAnswer(yield* Exchange, pageJson(page, verificationJson), 200)
          })
        )
      )
      .handleRaw("submitCode", ({ params, request }) =>
        answer(
          verificationRefusals.submitCode,
          Effect.gen(function* () {
            const { channel, code } = yield* readForm(request, codeForm, { numbers: "unquoted" })
            const reference = yield* referenceIn(params.reference)
            const verification = yield* verifications.submitCode(yield* CurrentPrincipal, reference, code, channel)
            return jsonAnswer(yield* Exchange, verificationJson(verification), 201)
          })
        )
      )
  })
)
