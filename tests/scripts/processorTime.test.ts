import { expect, it } from "vitest"
import { parseStat, secondsBelow } from "../../scripts/ProcessorTime.ts"

const line = (id: number, parent: number, ticks: readonly [number, number, number, number], name = "node") =>
  `${id} (${name}) S ${parent} ${id} ${id} 0 -1 4194304 100 0 0 0 ${ticks.join(" ")} 20 0 11 0 1000 0 0`

it("counts a process's own time and that of its ended children under any name", () => {
  expect(parseStat(line(7, 3, [10, 20, 30, 40], "a) S (9"))).toEqual({ id: 7, parent: 3, ticks: 100 })
})

it("adds up a process and all below it, and nothing beside it", () => {
  const processes = [
    line(1, 0, [900, 0, 0, 0]),
    line(2, 1, [100, 0, 0, 0]),
    line(3, 2, [20, 0, 0, 0]),
    line(4, 3, [3, 0, 0, 0]),
    line(5, 1, [500, 0, 0, 0])
  ].map(parseStat)
  expect(secondsBelow(processes, 2)).toBe(1.23)
  expect(secondsBelow(processes, 9)).toBe(0)
})
