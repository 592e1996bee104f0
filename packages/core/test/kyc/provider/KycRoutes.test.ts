import { assert, describe, it } from "@effect/vitest"
import { nameFaults, parseKycRoutes, routeFaults, routesOver } from "@surety/core/kyc/provider/KycRoutes"
import { Result } from "effect"

const qoreid = { name: "qoreid", capabilities: { kinds: ["bvn", "nin"] } } as const
const kora = { name: "kora", capabilities: { kinds: ["bvn", "phone"] } } as const

describe("Routes", () => {
  it("name the providers of a kind in order, with any spaces", () => {
    const routes = { bvn: ["qoreid", "kora"], nin: ["youverify"] }
    for (const text of ["bvn=qoreid,kora;nin=youverify", " bvn = qoreid , kora ; nin=youverify; "]) {
      assert.deepStrictEqual(parseKycRoutes(text), Result.succeed(routes))
    }
    assert.deepStrictEqual(parseKycRoutes(""), Result.succeed({}))
  })

  it("are refused with every fault at once", () => {
    assert.deepStrictEqual(
      parseKycRoutes("passport=kora;bvn;nin=;phone=kora,,qoreid;vnin=kora,kora;nin_phone=a=b;=x;vnin=kora"),
      Result.fail([
        '"passport" is not one of bvn, nin, vnin, phone, nin_phone',
        "bvn must name its providers: bvn=first,second",
        "nin must name its providers: nin=first,second",
        "phone must name its providers: phone=first,second",
        "vnin names kora twice",
        "nin_phone must name its providers: nin_phone=first,second",
        '"" is not one of bvn, nin, vnin, phone, nin_phone',
        "vnin is listed twice"
      ])
    )
  })

  it("must lead to providers that exist and have the kind", () => {
    assert.deepStrictEqual(routeFaults({ bvn: ["qoreid", "kora"], phone: ["kora"] }, [qoreid, kora]), [])
    assert.deepStrictEqual(routeFaults({ bvn: ["qoreid", "acme"], nin: ["kora"] }, [qoreid, kora]), [
      "bvn names acme, which is not configured",
      "kora does not verify nin"
    ])
  })

  it("lead by default to every provider of a kind, in their order", () => {
    assert.deepStrictEqual(routesOver([kora, qoreid]), { bvn: ["kora", "qoreid"], nin: ["qoreid"], phone: ["kora"] })
  })

  it("go by names of lower-case letters, digits and hyphens, none of them twice, none the sandbox's", () => {
    const faultsOf = (...names: ReadonlyArray<string>) => nameFaults(names.map((name) => ({ name })))
    assert.deepStrictEqual(faultsOf("a", "kora-2", `k${"0".repeat(63)}`), [])
    for (const name of ["", "Kora", "2kora", "-kora", "kora_2", " kora", "kora ", "kora\n", `k${"0".repeat(64)}`]) {
      assert.deepStrictEqual(faultsOf(name), [`"${name}" is not a name of lower-case letters, digits and hyphens`])
    }
    assert.deepStrictEqual(faultsOf("kora", "sandbox", "kora", "K", "mono", "kora"), [
      "sandbox is reserved for TEST",
      "kora is listed twice",
      '"K" is not a name of lower-case letters, digits and hyphens',
      "kora is listed twice"
    ])
  })
})
