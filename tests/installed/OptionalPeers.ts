import type { Manifest } from "./PackedPackage.js"

/** A library whose objects a host passes in. Surety relies only on their shape and never imports the library. */
interface StructuralPeer {
  readonly peer: string
  readonly range: string
}

/** `pg`: `postgresStore` takes the host's pool, and `inTransaction` takes a client. */
export const structuralPeers: ReadonlyArray<StructuralPeer> = [{ peer: "pg", range: ">=8.11.0 <9" }]

/**
 * Returns the faults of a manifest's structural peers. A structural peer must be neither a dependency nor in
 * `imported`, the packages that the code imports. If the manifest lists it as a peer, it must be optional and have the
 * supported range.
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
