/**
 * Assumptions about Youverify's undocumented or inconsistently documented behaviour, in one place. Each is the safest
 * choice: if it is wrong, a verification may end as `ERROR` or `FAILED`, but is never wrongly `VERIFIED`. None was
 * checked against Youverify's sandbox (2026-11-22).
 */

/**
 * Names of the signature header. The documentation gives two. A webhook is authentic if either has a valid signature.
 */
export const signatureHeaders = ["x-youverify-signature", "x-yv-signature"] as const

/** Name of the field with the values to compare. Youverify's documentation names it differently for BVN and NIN. */
export const validationField = { bvn: "validation", nin: "validations", vnin: "validations" } as const

/**
 * Matches the message of a 404 for a number that does not exist. It also matches some messages for an unknown path,
 * which `noSuchRoute` excludes. The documented response is a 200 with `not_found`, but public clients have also seen a
 * 404.
 */
export const notFoundMessage = /\bnot[ _]found\b/iu

/** Matches the message of a 404 for an unknown path, as sent by Youverify's framework. */
export const noSuchRoute = /^cannot (?:get|post) |\broute\b/iu
