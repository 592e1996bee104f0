import { type AnswerInput, type AnswerOutput, answerModel } from "@surety/testing/history/AnswerModel"
import { type ConsentInput, type ConsentOutput, consentModel } from "@surety/testing/history/ConsentModel"
import type { History, Model } from "@surety/testing/history/History"
import { linearizability } from "@surety/testing/history/Linearizability"
import { type RefundInput, type RefundOutput, refundModel } from "@surety/testing/history/RefundModel"
import { linesOfHistory, shrinkHistory } from "@surety/testing/history/shrinkHistory"
import { Draw } from "@surety/testing/simulation/world/Draw"
import { describe, expect, it } from "vitest"

/** A call's start, end, input and output. If the output is omitted, no response arrived and `toMillis` is unused. */
type Row<I, O> = readonly [fromMillis: number, toMillis: number, input: I, output?: O]

const historyOf = <I, O>(rows: ReadonlyArray<Row<I, O>>): History<I, O> =>
  rows.map(([calledAtMillis, atMillis, input, output], index) => ({
    client: `client ${index + 1}`,
    input,
    calledAtMillis,
    answered: output === undefined ? undefined : { atMillis, output }
  }))

interface Told<I, O> {
  readonly how: string
  readonly rows: ReadonlyArray<Row<I, O>>
}

const refund = (key: string, amountMinor: number): RefundInput => ({ _tag: "Refund", key, amountMinor })
const made = (refundId: string, answer = `{"refundId":"${refundId}"}`): RefundOutput => ({
  _tag: "Made",
  refundId,
  answer
})
const total = (refundedMinor: number): RefundOutput => ({ _tag: "Refunded", refundedMinor })
const exceeds = (refundedMinor: number): RefundOutput => ({ _tag: "Exceeds", refundedMinor })
const found = (isThere: boolean): RefundOutput => ({ _tag: "Found", isThere })
const listed = (...refunds: ReadonlyArray<readonly [string, number]>): RefundOutput => ({
  _tag: "Listed",
  refunds: refunds.map(([refundId, amountMinor]) => ({ refundId, amountMinor }))
})
const list: RefundInput = { _tag: "List" }
const read: RefundInput = { _tag: "Total" }

const soundRefunds: ReadonlyArray<Told<RefundInput, RefundOutput>> = [
  { how: "nothing", rows: [] },
  { how: "no answer at all", rows: [[0, 1, refund("k", 60)]] },
  {
    how: "two concurrent refunds of which one fits",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [0, 10, refund("b", 70), exceeds(60)]
    ]
  },
  {
    how: "a lost answer that took effect, told by the retry",
    rows: [
      [0, 1, refund("a", 60)],
      [20, 30, refund("b", 70), exceeds(60)],
      [40, 50, refund("a", 60), made("r1")]
    ]
  },
  {
    how: "a lost answer that never took effect",
    rows: [
      [0, 1, refund("a", 60)],
      [20, 30, refund("b", 70), made("r1")],
      [40, 50, refund("a", 60), exceeds(70)]
    ]
  },
  {
    how: "a lost call that takes effect long after",
    rows: [
      [0, 1, refund("a", 60)],
      [20, 30, read, total(0)],
      [40, 50, read, total(60)]
    ]
  },
  {
    how: "reads of either side during a refund",
    rows: [
      [0, 100, refund("a", 60), made("r1")],
      [10, 20, read, total(0)],
      [30, 40, read, total(60)],
      [50, 60, list, listed(["r1", 60])],
      [70, 80, { _tag: "Find", refundId: "r1" }, found(true)]
    ]
  },
  {
    how: "a repeated key with another amount",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [20, 30, refund("a", 50), { _tag: "KeyReused" }],
      [40, 50, refund("a", 60), made("r1")]
    ]
  }
]

const unsoundRefunds: ReadonlyArray<Told<RefundInput, RefundOutput>> = [
  {
    how: "an acknowledged refund is lost",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [20, 30, read, total(0)]
    ]
  },
  {
    how: "an acknowledged refund is not in the list",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [20, 30, list, listed()]
    ]
  },
  {
    how: "an acknowledged refund is not found",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [20, 30, { _tag: "Find", refundId: "r1" }, found(false)]
    ]
  },
  {
    how: "one key makes two refunds",
    rows: [
      [0, 10, refund("a", 40), made("r1")],
      [20, 30, refund("a", 40), made("r2")]
    ]
  },
  {
    how: "one key is refunded twice behind one answer",
    rows: [
      [0, 1, refund("a", 40)],
      [5, 10, refund("a", 40), made("r1")],
      [20, 30, read, total(80)]
    ]
  },
  {
    how: "an answer changes",
    rows: [
      [0, 10, refund("a", 40), made("r1", '{"status":"PENDING"}')],
      [20, 30, refund("a", 40), made("r1", '{"status":"COMPLETED"}')]
    ]
  },
  {
    how: "more is refunded than was paid",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [0, 10, refund("b", 70), made("r2")]
    ]
  },
  {
    how: "a read is stale",
    rows: [
      [0, 100, refund("a", 60), made("r1")],
      [10, 20, read, total(60)],
      [30, 40, read, total(0)]
    ]
  },
  {
    how: "a refund is refused although there is room",
    rows: [
      [0, 10, refund("a", 40), made("r1")],
      [20, 30, refund("b", 50), exceeds(40)]
    ]
  },
  {
    how: "a refusal takes effect",
    rows: [
      [0, 10, refund("a", 60), made("r1")],
      [20, 30, refund("b", 70), exceeds(60)],
      [40, 50, read, total(130)]
    ]
  },
  {
    how: "two keys share one refund",
    rows: [
      [0, 10, refund("a", 20), made("r1")],
      [20, 30, refund("b", 30), made("r1")]
    ]
  },
  {
    how: "a lost call's refund is another one later",
    rows: [
      [0, 1, refund("a", 20)],
      [20, 30, list, listed(["r1", 20])],
      [40, 50, refund("a", 20), made("r2")]
    ]
  }
]

const approve = (request: string, isOneTime = false): ConsentInput => ({ _tag: "Approve", request, isOneTime })
const revoke = (request: string): ConsentInput => ({ _tag: "Revoke", request })
const look: ConsentInput = { _tag: "Read" }

const soundConsents: ReadonlyArray<Told<ConsentInput, ConsentOutput>> = [
  {
    how: "a read beside a revocation that uses up another grant",
    rows: [
      [0, 5, approve("q1"), "Done"],
      [6, 10, approve("q2", true), "Done"],
      [20, 40, revoke("q1"), "Done"],
      [22, 42, look, "Done"],
      [50, 60, look, "Refused"]
    ]
  },
  {
    how: "reads around a revocation",
    rows: [
      [0, 10, approve("q1"), "Done"],
      [20, 100, revoke("q1"), "Done"],
      [30, 40, look, "Done"],
      [50, 60, look, "Refused"],
      [110, 120, look, "Refused"]
    ]
  },
  {
    how: "one of many reads of a one-time grant",
    rows: [
      [0, 10, approve("q1", true), "Done"],
      [20, 30, look, "Refused"],
      [20, 30, look, "Done"],
      [20, 30, look, "Refused"]
    ]
  },
  {
    how: "a one-time grant that a lost read used up",
    rows: [
      [0, 10, approve("q1", true), "Done"],
      [20, 21, look],
      [30, 40, look, "Refused"]
    ]
  },
  {
    how: "a lost revocation that takes effect later",
    rows: [
      [0, 10, approve("q1"), "Done"],
      [20, 21, revoke("q1")],
      [30, 40, look, "Done"],
      [50, 60, look, "Refused"]
    ]
  }
]

const unsoundConsents: ReadonlyArray<Told<ConsentInput, ConsentOutput>> = [
  {
    how: "a read after an acknowledged revocation",
    rows: [
      [0, 10, approve("q1"), "Done"],
      [20, 30, revoke("q1"), "Done"],
      [40, 50, look, "Done"]
    ]
  },
  {
    how: "a revocation is forgotten again",
    rows: [
      [0, 10, approve("q1"), "Done"],
      [20, 100, revoke("q1"), "Done"],
      [30, 40, look, "Refused"],
      [50, 60, look, "Done"]
    ]
  },
  {
    how: "a one-time grant is read twice",
    rows: [
      [0, 10, approve("q1", true), "Done"],
      [20, 30, look, "Done"],
      [20, 30, look, "Done"]
    ]
  },
  { how: "a read without a grant", rows: [[0, 10, look, "Done"]] },
  {
    how: "an acknowledged approval is lost",
    rows: [
      [0, 10, approve("q1"), "Done"],
      [20, 30, look, "Refused"]
    ]
  },
  {
    how: "one request is approved twice",
    rows: [
      [0, 10, approve("q1"), "Done"],
      [20, 30, approve("q1"), "Done"]
    ]
  }
]

const send: AnswerInput = { _tag: "Send" }
const answer = (id: string, text = id): AnswerOutput => ({ _tag: "Made", id, answer: text })

const soundAnswers: ReadonlyArray<Told<AnswerInput, AnswerOutput>> = [
  {
    how: "a lost call and its retries",
    rows: [
      [0, 1, send],
      [0, 10, send, { _tag: "InProgress" }],
      [20, 30, send, answer("d1")],
      [40, 50, { _tag: "Find", id: "d1" }, { _tag: "Found", isThere: true }]
    ]
  }
]

const unsoundAnswers: ReadonlyArray<Told<AnswerInput, AnswerOutput>> = [
  {
    how: "a key makes two records",
    rows: [
      [0, 10, send, answer("d1")],
      [5, 15, send, answer("d2")]
    ]
  },
  {
    how: "a stored answer is rewritten",
    rows: [
      [0, 10, send, answer("d1", "one")],
      [20, 30, send, answer("d1", "other")]
    ]
  },
  {
    how: "an acknowledged record is missing",
    rows: [
      [0, 10, send, answer("d1")],
      [20, 30, { _tag: "Find", id: "d1" }, { _tag: "Found", isThere: false }]
    ]
  }
]

const paidMinor = 100

const checks = <S, I, O>(
  name: string,
  model: Model<S, I, O>,
  sound: ReadonlyArray<Told<I, O>>,
  unsound: ReadonlyArray<Told<I, O>>
): void => {
  describe(`a history of ${name}`, () => {
    for (const { how, rows } of sound) {
      it(`may have ${how}`, () => {
        expect(linearizability(model, historyOf(rows))).toBe("Linearizable")
      })
    }
    for (const { how, rows } of unsound) {
      it(`is refused if ${how}`, () => {
        const history = historyOf(rows)
        expect(linearizability(model, history)).toBe("NotLinearizable")
        expect(linearizability(model, history.toReversed())).toBe("NotLinearizable")
        const short = shrinkHistory(model, history)
        expect(linearizability(model, short)).toBe("NotLinearizable")
        expect(short.length).toBeLessThanOrEqual(history.length)
      })
    }
  })
}

checks("refunds", refundModel(paidMinor), soundRefunds, unsoundRefunds)
checks("consent", consentModel, soundConsents, unsoundConsents)
checks("a key", answerModel, soundAnswers, unsoundAnswers)

/**
 * Draws the history of a sound refund service. Each operation takes effect at one moment between call and response. If
 * its response is lost, it may never take effect. At the end, one refund per key is sent and gets a response.
 */
const drawnHistory = (
  seed: number,
  { count, keys = 12, lost = 0.15, latency = 60 }: { count: number; keys?: number; lost?: number; latency?: number }
): History<RefundInput, RefundOutput> => {
  const draw = new Draw(seed, "history")
  const model = refundModel(5_000)
  const drawn = Array.from({ length: count }, () => ({
    key: `k${draw.below(keys)}`,
    atMillis: draw.below(1_000),
    isRead: draw.chance(0.4),
    isLost: draw.chance(lost)
  })).sort((one, other) => one.atMillis - other.atMillis)
  const atLast = Array.from({ length: keys }, (_, index) => ({
    key: `k${index}`,
    atMillis: 2_000 + index * 200,
    isRead: false,
    isLost: false
  }))
  let state = model.initial
  return [...drawn, ...atLast].map(({ atMillis, isLost, isRead, key }, index) => {
    const amountMinor = 500 + Number(key.slice(1))
    const input: RefundInput = isRead ? read : refund(key, amountMinor)
    const refundedMinor = [...state.values()].reduce((sum, one) => sum + one.amountMinor, 0)
    const isNew = !state.has(key)
    const output: RefundOutput = isRead
      ? total(refundedMinor)
      : isNew && refundedMinor + amountMinor > 5_000
        ? exceeds(refundedMinor)
        : made(`refund-${key}`)
    if (!isLost || draw.chance(0.5)) state = model.after(state, input, output)[0] ?? state
    return {
      client: `client ${index % 8}`,
      input,
      calledAtMillis: atMillis - draw.below(latency),
      answered: isLost ? undefined : { atMillis: atMillis + draw.below(latency), output }
    }
  })
}

it("every history of a sound service is accepted, and most changes of one answer are noticed", () => {
  const model = refundModel(5_000)
  let noticed = 0
  const seeds = Array.from({ length: 60 }, (_, index) => index + 1)
  for (const seed of seeds) {
    const history = drawnHistory(seed, { count: 120 })
    expect(linearizability(model, history), `seed ${seed}`).toBe("Linearizable")
    const at = history.findLastIndex(({ answered }) => answered?.output._tag === "Refunded")
    const changed = history.map((operation, index) =>
      index === at && operation.answered !== undefined
        ? { ...operation, answered: { ...operation.answered, output: total(499) } }
        : operation
    )
    noticed += Number(linearizability(model, changed) === "NotLinearizable")
  }
  expect(noticed).toBe(seeds.length)
})

it("says that it has not decided what takes too long to search", () => {
  expect(linearizability(refundModel(5_000), drawnHistory(3, { count: 120 }), 3)).toBe("Undecided")
})

it("shrinks a long history to the story of the violation", () => {
  const model = refundModel(5_000)
  const lost = "refund-lost"
  const history: History<RefundInput, RefundOutput> = [
    ...drawnHistory(7, { count: 100 }),
    {
      client: "merchant",
      input: refund("late", 7),
      calledAtMillis: 1_100,
      answered: { atMillis: 1_110, output: made(lost) }
    },
    {
      client: "reader",
      input: { _tag: "Find", refundId: lost },
      calledAtMillis: 1_120,
      answered: { atMillis: 1_130, output: found(false) }
    }
  ]
  const short = shrinkHistory(model, history)
  const answered = linesOfHistory(model, short).filter((line) => !line.includes("no answer"))
  expect(answered).toHaveLength(2)
  expect(answered[0]).toMatch(/merchant: refunds 7 by late → refund-lost$/)
  expect(answered[1]).toMatch(/reader: reads refund-lost → not found$/)
})

/** Draws the history of a sound consent service. An operation whose response is lost may never take effect. */
const drawnConsents = (seed: number, lost: number): History<ConsentInput, ConsentOutput> => {
  const draw = new Draw(seed, "consents")
  const asked = Array.from({ length: 2 }, (_, asker) =>
    Array.from({ length: 12 }, (__, index) => {
      const request = `q${asker}-${index}`
      const atMillis = index * 100 + draw.below(60)
      const first = { input: approve(request, draw.chance(0.4)), atMillis }
      return draw.chance(0.7) ? [first, { input: revoke(request), atMillis: atMillis + 30 }] : [first]
    }).flat()
  ).flat()
  const looks = Array.from({ length: 90 }, () => ({ input: look, atMillis: draw.below(1_200) }))
  let state = consentModel.initial
  return [...asked, ...looks]
    .sort((one, other) => one.atMillis - other.atMillis)
    .map(({ atMillis, input }, index) => {
      const isLost = draw.chance(lost)
      const [done] = consentModel.after(state, input, "Done")
      if (done !== undefined && (!isLost || draw.chance(0.5))) state = done
      return {
        client: `client ${index % 5}`,
        input,
        calledAtMillis: atMillis - draw.below(60),
        answered:
          isLost || (done === undefined && input._tag === "Revoke")
            ? undefined
            : { atMillis: atMillis + draw.below(60), output: done === undefined ? "Refused" : "Done" }
      }
    })
}

it("decides if most answers are lost", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const refunds = drawnHistory(seed, { count: 200, keys: 24, lost: 0.6, latency: 200 })
    expect(linearizability(refundModel(5_000), refunds, 50_000), `refunds, seed ${seed}`).toBe("Linearizable")
    for (const lost of [0.1, 0.6]) {
      const verdict = linearizability(consentModel, drawnConsents(seed, lost), 50_000)
      expect(verdict, `consents, seed ${seed}, ${lost} lost`).toBe("Linearizable")
    }
  }
})
