/** The keys of a chain by name: what the rules of `live` look at, one by one. */
import type { ChainConfig, DeploymentConfig, SignerConfig } from './types.ts'

/** `role`: where `deployment` lists who may hold such a key. */
export type ChainKey = { name: string; signer: SignerConfig; role: keyof DeploymentConfig['roles'] }

/** Every key that the chains file names for this chain. */
export function chainKeysOf({ signers, linker, freezer, pauser, unpauser }: ChainConfig): ChainKey[] {
  const named = [
    ...signers.map((signer, index) => ({ name: `signers[${index}]`, signer, role: 'signers' as const })),
    { name: 'linker', signer: linker, role: 'linkers' as const },
    { name: 'freezer', signer: freezer, role: 'freezers' as const },
    { name: 'pauser', signer: pauser, role: 'pausers' as const },
    { name: 'unpauser', signer: unpauser, role: 'unpausers' as const },
  ]
  return named.flatMap(({ signer, ...rest }) => (signer === undefined ? [] : { ...rest, signer }))
}
