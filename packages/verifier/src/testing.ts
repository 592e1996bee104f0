export { samplePayloads } from "./samplePayloads.js"
export { newSecret, type SignedRequest, type SignInput, sign } from "./signature/sign.js"
