import { type Address, getAddress, type Hex, isAddressEqual, keccak256, type PublicClient, toHex, zeroHash } from 'viem'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'

/** Who is to hold which power. `admin` holds it over both contracts; the others over the one that knows their role. */
export type DeploymentRoles = {
  admin: Address
  operators: readonly Address[]
  pauser: Address
  freezer: Address
  linker: Address
}

/** The roles of both contracts, as they name them on chain. */
export const ROLE_IDS = {
  admin: zeroHash,
  settler: keccak256(toHex('SETTLER_ROLE')),
  pauser: keccak256(toHex('PAUSER_ROLE')),
  freezer: keccak256(toHex('FREEZER_ROLE')),
  linker: keccak256(toHex('LINKER_ROLE')),
  operator: keccak256(toHex('OPERATOR_ROLE')),
} as const

type RoleName = keyof typeof ROLE_IDS

/**
 * Compares who holds which role, replayed from every grant and revocation since `fromBlock`, with who should, and checks
 * that Settlement settles this coin.
 *
 * @param deployed the proxies, and a block not later than their creation
 * @returns one sentence for each difference; none when all is as wanted
 */
export async function findDeploymentProblems(
  client: PublicClient,
  deployed: { coin: Address; settlement: Address; fromBlock: bigint },
  roles: DeploymentRoles,
): Promise<string[]> {
  const { coin, settlement, fromBlock } = deployed
  const [settledCoin, coinHolders, settlementHolders] = await Promise.all([
    client.readContract({ address: settlement, abi: settlementAbi, functionName: 'coin' }),
    readHolders(client, coin, fromBlock),
    readHolders(client, settlement, fromBlock),
  ])
  const wantedOfCoin = [
    holds('admin', roles.admin),
    holds('settler', settlement),
    holds('pauser', roles.pauser),
    holds('freezer', roles.freezer),
    holds('linker', roles.linker),
  ]
  const wantedOfSettlement = [
    holds('admin', roles.admin),
    ...roles.operators.map((holder) => holds('operator', holder)),
  ]
  return [
    ...(isAddressEqual(settledCoin, coin) ? [] : [`Settlement settles ${settledCoin}, not ${coin}.`]),
    ...differences('Coin', coinHolders, new Set(wantedOfCoin)),
    ...differences('Settlement', settlementHolders, new Set(wantedOfSettlement)),
  ]
}

/** A role and its holder as one comparable string. */
function holds(role: RoleName, holder: Address): string {
  return `${role} ${getAddress(holder)}`
}

function nameOf(id: Hex): string {
  const entry = Object.entries(ROLE_IDS).find(([, known]) => known === id)
  return entry ? entry[0] : id
}

async function readHolders(client: PublicClient, address: Address, fromBlock: bigint): Promise<Set<string>> {
  const logs = await client.getContractEvents({ address, abi: coinAbi, fromBlock, strict: true })
  const holders = new Set<string>()
  for (const { eventName, args } of logs) {
    if (eventName === 'RoleGranted') holders.add(`${nameOf(args.role)} ${getAddress(args.account)}`)
    if (eventName === 'RoleRevoked') holders.delete(`${nameOf(args.role)} ${getAddress(args.account)}`)
  }
  return holders
}

function differences(contract: string, actual: Set<string>, wanted: Set<string>): string[] {
  return [
    ...[...wanted.difference(actual)].map((missing) => `${contract}: ${missing} is missing.`),
    ...[...actual.difference(wanted)].map((extra) => `${contract}: ${extra} should not be.`),
  ]
}
