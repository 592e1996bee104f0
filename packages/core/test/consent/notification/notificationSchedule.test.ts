import { assert, describe, it } from "@effect/vitest"
import {
  attemptAt,
  isReminderAt,
  nextAttemptAfter,
  reminderOf
} from "@surety/core/consent/notification/notificationSchedule"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { DateTime, Duration, Option } from "effect"
import * as ConsentSamples from "../ConsentSamples.js"

const request: DataRequest = ConsentSamples.request()
const after = (duration: Duration.Duration) => DateTime.addDuration(request.createdAt, duration)
const nextAfter = (duration: Duration.Duration) =>
  Duration.toSeconds(DateTime.distance(request.createdAt, nextAttemptAfter(request, after(duration))))

describe("The schedule of notices", () => {
  it("is that of webhooks, then once a day", () => {
    const hour = 3_600
    const due: Array<number> = []
    let age = 0
    for (let attempt = 1; attempt <= 12; attempt++) {
      assert.strictEqual(attemptAt(request, after(Duration.seconds(age))), attempt)
      age = nextAfter(Duration.seconds(age))
      due.push(age)
    }
    const waits = due.map((at, index) => at - (due[index - 1] ?? 0))
    assert.deepStrictEqual(waits, [
      ...[5, 300, 1_800, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
      ...[24 * hour, 24 * hour, 24 * hour]
    ])
  })

  it("puts a late attempt's next one where it belongs", () => {
    assert.strictEqual(nextAfter(Duration.minutes(6)), 2_105)
    assert.strictEqual(nextAfter(Duration.millis(0)), 5)
  })

  it("reminds a day before the end, if there is time for it", () => {
    const remindAt = Option.getOrThrow(reminderOf(request))
    assert.strictEqual(Duration.toHours(DateTime.distance(remindAt, request.expiresAt)), 24)
    assert.isFalse(isReminderAt(request, DateTime.subtract(remindAt, { milliseconds: 1 })))
    assert.isTrue(isReminderAt(request, remindAt))
    const short = { ...request, expiresAt: after(Duration.hours(47)) }
    assert.isTrue(Option.isNone(reminderOf(short)))
    assert.isFalse(isReminderAt(short, after(Duration.hours(46))))
  })
})
