export { type Finished, type FinishOptions, finishConsent } from "./finishConsent.js"
export { type ConsentEnd, newState, type OpenOptions, openConsent } from "./openConsent.js"
