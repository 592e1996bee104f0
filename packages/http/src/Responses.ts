import { Responses } from "@surety/core/idempotency/Responses"
import { Layer } from "effect"
import { dataRequestJson } from "./consent/DataRequestRecord.js"
import { verificationJson } from "./kyc/VerificationRecord.js"
import { refundJson } from "./refund/RefundRecord.js"

/** Layer of the encoders of responses to keyed commands. The encoded bodies are stored and returned on a replay. */
export const layer: Layer.Layer<Responses> = Layer.succeed(Responses, {
  refund: refundJson,
  dataRequest: dataRequestJson,
  verification: verificationJson
})
