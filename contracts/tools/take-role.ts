/**
 * Takes a role from a key, with the key of a pauser: for the hour in which a key was stolen. It needs a node and nothing else of the
 * service. Settings come only from environment variables (contracts/README.md), so that no key is seen in a process list.
 *
 *   node contracts/tools/take-role.ts
 */
import { pino } from 'pino'
import {
  type Address,
  BaseError,
  createPublicClient,
  type Hex,
  HttpRequestError,
  http,
  isAddress,
  isHex,
  type PublicClient,
  zeroHash,
} from 'viem'
import { encodeCall } from '../../src/chain/call-data.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { KeyActionLateError, KeyActionUnpaidError } from '../../src/chain/key-action-errors.ts'
import { connectNode, labelOfUrl } from '../../src/chain/node.ts'
import { createSigner, type Signer } from '../../src/chain/signer.ts'
import { performStop } from '../../src/chain/stop.ts'
import { whyNotDone } from '../../src/start/no-arguments.ts'

const ROLES = Object.keys(ROLE_IDS).filter((name) => name !== 'admin')

function setting(name: string, isRight: (text: string) => boolean, wanted: string): string {
  const text = process.env[name]?.trim() ?? ''
  if (!isRight(text)) throw new Error(`${name} has to be ${wanted}`)
  return text
}

async function run(): Promise<void> {
  const refusal = whyNotDone(
    'This takes a role from a key; its settings are environment variables (contracts/README.md).',
  )
  if (refusal !== undefined) throw new Error(refusal)
  const url = setting('RPC_URL', URL.canParse, 'an http or https URL')
  const key = setting('PAUSER_PRIVATE_KEY', (text) => isHex(text) && text.length === 66, '0x and 64 hexadecimal digits')
  const address = setting('CONTRACT', isAddress, 'the address of the coin or of Settlement') as Address
  const role = setting('ROLE', (text) => ROLES.includes(text), `one of ${ROLES.join(', ')}`) as keyof typeof ROLE_IDS
  const holder = setting('HOLDER', isAddress, 'the address of the key that loses the role') as Address
  const node = createPublicClient({ transport: http(url) })
  const signer = createSigner({ type: 'key', privateKey: key as Hex })
  const call = { address, abi: coinAbi, args: [ROLE_IDS[role], holder] } as const
  if (!(await node.readContract({ ...call, functionName: 'hasRole' }))) {
    const before = await findTaking(node, { address, role, holder })
    if (before === undefined)
      throw new Error(`${holder} is no ${role} of ${address}: it was taken before, or this is the other contract.`)
    console.log(JSON.stringify({ contract: address, role, taken: holder, ...before }))
    return
  }
  if (!(await node.readContract({ ...call, functionName: 'hasRole', args: [ROLE_IDS.pauser, signer.address] })))
    throw new Error(`${signer.address} is no pauser of ${address}: PAUSER_PRIVATE_KEY is another's.`)
  const hash = await take(url, await node.getChainId(), signer, call)
  const taking = (await placeOf(node, hash)) ?? (await findTaking(node, { address, role, holder })) ?? { txHash: hash }
  console.log(JSON.stringify({ contract: address, role, taken: holder, ...taking }))
}

/** Its gas money alone says what the pauser may offer. */
const NO_CEILING_WEI = 10n ** 30n

/**
 * Takes the role as the coin is stopped: in the place of whatever waits under the key's next nonce, as of a run before, and for more with each block. A
 * thief goes on for as long as it takes.
 */
async function take(
  url: string,
  chainId: number,
  signer: Signer,
  { address: to, args }: { address: Address; args: readonly [Hex, Address] },
): Promise<Hex | undefined> {
  const encode = (functionName: 'revokeRole' | 'hasRole') => encodeCall(coinAbi, functionName, args)
  const action = {
    name: 'revokeRole',
    to,
    data: encode('revokeRole'),
    effect: { data: encode('hasRole'), expected: zeroHash },
  }
  const config = { chainId, confirmations: 1, pollIntervalMs: 500, stopMaxFeePerGasWei: NO_CEILING_WEI }
  const deps = { config, nodes: [connectNode(url)], logger: pino({ level: 'silent' }) }
  try {
    return await performStop(deps, { signer, action, rivals: [] })
  } catch (error) {
    if (error instanceof KeyActionUnpaidError)
      throw new Error(`The pauser ${signer.address} has too little gas money: send it native coin. Nothing was taken.`)
    if (error instanceof KeyActionLateError)
      throw new Error(
        'It was not taken within three minutes. Run it again: what waits is replaced by what offers more.',
      )
    throw error
  }
}

/** Where a transaction was mined; undefined where it was not, as where one that offered less was mined in its place. */
async function placeOf(
  node: PublicClient,
  txHash: Hex | undefined,
): Promise<{ txHash: string; blockNumber: string } | undefined> {
  if (txHash === undefined) return undefined
  const receipt = await node.getTransactionReceipt({ hash: txHash }).catch(() => undefined)
  return receipt?.status === 'success' ? { txHash, blockNumber: String(receipt.blockNumber) } : undefined
}

/** Where the role was taken before, so that whoever runs this twice is not sent to another contract. Not every node serves old logs. */
async function findTaking(
  node: PublicClient,
  { address, role, holder }: { address: Address; role: keyof typeof ROLE_IDS; holder: Address },
): Promise<{ txHash: string; blockNumber: string } | undefined> {
  const wanted = { address, abi: coinAbi, eventName: 'RoleRevoked', fromBlock: 0n } as const
  const args = { role: ROLE_IDS[role], account: holder }
  const last = (await node.getContractEvents({ ...wanted, args }).catch(() => [])).at(-1)
  return last && { txHash: last.transactionHash, blockNumber: String(last.blockNumber) }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof HttpRequestError) !== null
}

/** Without what viem adds: the address of the node, which may hold a secret. */
function explain(error: unknown): string {
  const text = error instanceof BaseError ? error.shortMessage : error instanceof Error ? error.message : String(error)
  const url = process.env.RPC_URL?.trim()
  if (url && isUnreachable(error)) return `${labelOfUrl(url)} does not answer: try another RPC_URL.`
  return url ? text.replaceAll(url, labelOfUrl(url)) : text
}

try {
  await run()
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}
