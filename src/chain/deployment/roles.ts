/** The roles of both contracts, by their names on chain, and who should hold them. */
import { type Address, type Hex, keccak256, toHex, zeroHash } from 'viem'

export const ROLE_IDS = {
  admin: zeroHash,
  settler: keccak256(toHex('SETTLER_ROLE')),
  signer: keccak256(toHex('SIGNER_ROLE')),
  limiter: keccak256(toHex('LIMITER_ROLE')),
  linker: keccak256(toHex('LINKER_ROLE')),
  freezer: keccak256(toHex('FREEZER_ROLE')),
  pauser: keccak256(toHex('PAUSER_ROLE')),
  unpauser: keccak256(toHex('UNPAUSER_ROLE')),
} as const satisfies Record<string, Hex>

export type RoleName = keyof typeof ROLE_IDS

/** Who should hold which power. Admin, pausers and unpausers hold theirs over both contracts, the others over one. */
export type DeploymentRoles = {
  admin: Address
  signers: readonly Address[]
  limiters: readonly Address[]
  linkers: readonly Address[]
  freezers: readonly Address[]
  pausers: readonly Address[]
  unpausers: readonly Address[]
}

/** Every planned holder on every contract, including the Settlement contract. */
export function wantedHolders(
  roles: DeploymentRoles,
  settlement: Address,
): Record<'coin' | 'settlement', Partial<Record<RoleName, readonly Address[]>>> {
  const both = { admin: [roles.admin], pauser: roles.pausers, unpauser: roles.unpausers }
  return {
    coin: { ...both, settler: [settlement], linker: roles.linkers, freezer: roles.freezers },
    settlement: { ...both, signer: roles.signers, limiter: roles.limiters },
  }
}
