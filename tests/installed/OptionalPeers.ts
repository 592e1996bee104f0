import type { Manifest } from "./PackedPackage.js"

/** A library whose objects a host passes in: used by their shape, and never imported. */
interface StructuralPeer {
  readonly peer: string
  /** The versions whose objects are tested. */
  readonly range: string
}

/** `pg`: `inTransaction` and `postgresStore` take its `Pool` and clients from the host. */
export const structuralPeers: ReadonlyArray<StructuralPeer> = [{ peer: "pg", range: ">=8.11.0 <9" }]

/**
 * Faults of a manifest's structural peers. Each is a peer and nothing else, is optional, has its tested range, and is
 * not imported.
 */
export const peerFaults = (manifest: Manifest, imported: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  return structuralPeers.flatMap(({ peer, range }) => [
    ...(Object.hasOwn({ ...dependencies, ...optionalDependencies }, peer) ? [`${peer} is installed with it`] : []),
    ...(imported.includes(peer) ? [`${peer} is imported`] : []),
    ...(Object.hasOwn(peerDependencies, peer) && peerDependencies[peer] !== range ? [`${peer} is not ${range}`] : []),
    ...(Object.hasOwn(peerDependencies, peer) && peerDependenciesMeta[peer]?.optional !== true
      ? [`${peer} is not optional`]
      : [])
  ])
}
