export interface Misbehaviour {
  readonly name: string
  readonly act: () => unknown
}

export const boom = new Error("socket hang up")

class Credited {
  get credited() {
    return true
  }
}

const cyclic: Record<string, unknown> = { credited: true }
cyclic.self = cyclic

const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error("a proxy")
    },
    ownKeys: () => {
      throw new Error("a proxy")
    }
  }
)

const answers: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  "an empty string": "",
  "a word": "credited",
  VERIFIED: "VERIFIED",
  zero: 0,
  "a bigint": 1n,
  NaN: Number.NaN,
  "a symbol": Symbol("credited"),
  "an empty list": [],
  "a list of the right answer": [{ credited: true }],
  "a refusal in other words": { credited: false, error: "frozen" },
  "the right word as text": { credited: "true" },
  "a success with an error": { credited: true, error: "frozen" },
  "both at once": { credited: true, declined: "frozen" },
  "a reason that is no text": { declined: true },
  "another environment's answer": { credited: true, environment: "LIVE" },
  "a status alone": { status: "VERIFIED" },
  "a status with less than it needs": { status: "VERIFIED", checks: {} },
  "an allowance without numbers": { isAllowed: true },
  "an allowance in words": { isAllowed: "no", remaining: "many", resetMillis: "soon" },
  "an inherited answer": Object.create({ credited: true }),
  "a getter of a class": new Credited(),
  "a cyclic answer": cyclic,
  "a proxy that throws": throwing,
  "an Error that was returned": Object.assign(new Error("returned"), { credited: true }),
  "a Map": new Map([["credited", true]]),
  "a function": () => ({ credited: true }),
  "a Response": new Response('{"credited":true}', { status: 500 })
}

const deeds: Readonly<Record<string, () => unknown>> = {
  "throws synchronously": () => {
    throw boom
  },
  "throws a string": () => {
    throw "out of order"
  },
  "rejects with undefined": () => Promise.reject(undefined),
  "rejects with null": () => Promise.reject(null),
  rejects: () => Promise.reject(boom),
  // biome-ignore lint/suspicious/noThenProperty: hosts may use other promise libraries
  "is a thenable that rejects": () => ({ then: (_: unknown, reject: (cause: unknown) => void) => reject(boom) }),
  "is a thenable that throws": () => ({
    // biome-ignore lint/suspicious/noThenProperty: as above
    then: () => {
      throw boom
    }
  })
}

const silences: Readonly<Record<string, () => unknown>> = {
  "never settles": () => new Promise(() => {}),
  // biome-ignore lint/suspicious/noThenProperty: as above
  "is a thenable that never settles": () => ({ then: () => {} })
}

/**
 * Misbehaviours of host parts, except returning `undefined` or `{}`. A test filters out results that its part may
 * return.
 */
export const misbehaviours: ReadonlyArray<Misbehaviour> = [
  ...Object.entries(answers).map(([name, value]) => ({ name: `answers ${name}`, act: async () => value })),
  ...Object.entries({ ...deeds, ...silences }).map(([name, act]) => ({ name, act }))
]

export const answersUndefined: Misbehaviour = { name: "answers undefined", act: async () => undefined }
export const answersEmpty: Misbehaviour = { name: "answers an empty object", act: async () => ({}) }
