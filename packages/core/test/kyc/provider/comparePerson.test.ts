import { comparePerson } from "@surety/core/kyc/provider/comparePerson"
import { Redacted } from "effect"
import { expect, it } from "vitest"

const person = { firstName: "ADA-MARIA", lastName: "O'BRIEN", middleName: "Ngozi", dateOfBirth: "01-02-1990" }
const first = (name: string, known = person) => comparePerson({ firstName: Redacted.make(name) }, known).first_name
const last = (name: string, known = person) => comparePerson({ lastName: Redacted.make(name) }, known).last_name
const born = (date: string, known: Partial<typeof person> = person) =>
  comparePerson({ dateOfBirth: Redacted.make(date) }, known).date_of_birth

it("matches a name by its letters", () => {
  for (const name of ["Áda María", "ada maria", "Adamaria", " ADA-MARIA "]) expect(first(name)).toBe("MATCH")
  for (const name of ["OBrien", "o’brien", "O BRIEN"]) expect(last(name)).toBe("MATCH")
})

it("matches letters whose capitals are spelt otherwise", () => {
  expect(last("Strauß", { ...person, lastName: "STRAUSS" })).toBe("MATCH")
  expect(last("STRAUSS", { ...person, lastName: "Strauß" })).toBe("MATCH")
  expect(last("Straus", { ...person, lastName: "STRAUSS" })).toBe("NO_MATCH")
  expect(last("Işık", { ...person, lastName: "ISIK" })).toBe("MATCH")
})

it("matches a name with middle names after it", () => {
  expect(first("Ada-Maria Ngozi")).toBe("MATCH")
  expect(last("O'Brien Ngozi")).toBe("MATCH")
  expect(last("Ngozi O'Brien")).toBe("PARTIAL")
})

it("matches no middle name alone, nor one behind another's name", () => {
  const unnamed = { middleName: "Ngozi Amaka" }
  for (const name of ["Ngozi", "Ngozi Amaka"]) {
    expect(comparePerson({ firstName: Redacted.make(name) }, unnamed).first_name).toBe("PARTIAL")
  }
  expect(first("Bola Chidi Ngozi")).toBe("PARTIAL")
  expect(last("Okafor Bello Ngozi")).toBe("PARTIAL")
})

it("matches in part at best by a full name, which does not say which word is the first name", () => {
  const known = { fullName: "OBI ADA" }
  const sent = { firstName: Redacted.make("Ada"), lastName: Redacted.make("Okafor") }
  expect(comparePerson(sent, known)).toMatchObject({ first_name: "PARTIAL", last_name: "NO_MATCH" })
})

it("matches in part by a shared word or another name of the person", () => {
  for (const name of ["Ada", "Maria Ada", "Ngozi", "Brien", "Ada Okafor"]) expect(first(name)).toBe("PARTIAL")
  for (const name of ["Ngozi", "Ada"]) expect(last(name)).toBe("PARTIAL")
})

it("does not match another name, however many names the registry knows", () => {
  const known = { firstName: "Ada", fullName: "Okafor" }
  expect(comparePerson({ firstName: Redacted.make("Bola") }, known).first_name).toBe("NO_MATCH")
  expect(comparePerson({ firstName: Redacted.make("Bola") }, { ...known, fullName: "Ada Obi" }).first_name).toBe(
    "NO_MATCH"
  )
})

it("does not match another name, or a part of a word", () => {
  for (const name of ["Ad", "Adamar", "Bola"]) expect(first(name)).toBe("NO_MATCH")
  expect(last("Brie")).toBe("NO_MATCH")
})

it("takes no initial for a shared name", () => {
  const known = { ...person, middleName: "N" }
  for (const name of ["N", "Bola N", "O Bola"]) expect(first(name, known)).toBe("NO_MATCH")
  expect(first("Ada-Maria N", known)).toBe("MATCH")
  expect(first("N", { ...known, firstName: "N." })).toBe("MATCH")
})

it("checks nothing that was not sent or that the registry does not know", () => {
  expect(comparePerson({}, person)).toEqual({
    first_name: "NOT_CHECKED",
    last_name: "NOT_CHECKED",
    date_of_birth: "NOT_CHECKED"
  })
  expect(first("!!")).toBe("NOT_CHECKED")
  expect(comparePerson({ firstName: Redacted.make("Ada") }, {}).first_name).toBe("NOT_CHECKED")
  expect(comparePerson({ firstName: Redacted.make("Ada") }, { lastName: "Obi" }).first_name).toBe("NOT_CHECKED")
})

it("compares days in any form of a date", () => {
  expect(born("1990-02-01")).toBe("MATCH")
  expect(born("1990-02-01", { dateOfBirth: "1990-02-01" })).toBe("MATCH")
  expect(born("1990-02-02")).toBe("PARTIAL")
  expect(born("1991-02-01")).toBe("NO_MATCH")
  expect(born("1990-02-01", { dateOfBirth: "Feb 1990" })).toBe("NOT_CHECKED")
  expect(born("1990-02-01", {})).toBe("NOT_CHECKED")
  expect(born("soon")).toBe("NOT_CHECKED")
})
