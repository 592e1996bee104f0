/**
 * What Youverify does not document, or documents in two ways, in one place. Each value is the safest possibility: if it
 * is wrong, a verification ends as `ERROR`, and never as `VERIFIED`. Nothing here was checked against Youverify's
 * sandbox (2026-11-22).
 */

/** Its pages name the header in two ways. A signature under either is checked by the same key. */
export const signatureHeaders = ["x-youverify-signature", "x-yv-signature"] as const

/** The name of the field of compared values: Youverify's BVN page and its NIN page differ. */
export const validationField = { bvn: "validation", nin: "validations", vnin: "validations" } as const

/** A number that does not exist is 200 with `not_found`. Public clients also saw 404 with a message of this form. */
export const notFoundMessage = /\bnot[ _]found\b/iu

/** A path that does not exist is 404 with a message of its framework. */
export const noSuchRoute = /^cannot (?:get|post) |\broute\b/iu
