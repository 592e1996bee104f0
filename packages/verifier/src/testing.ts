export { samplePayloads } from "./samplePayloads.generated.js"
export { newSecret, type SignedRequest, type SignInput, sign } from "./signature/sign.js"
