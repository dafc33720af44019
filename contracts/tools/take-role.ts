/**
 * Takes a role from a key, with the key of a pauser: for the hour in which a key was stolen. It needs a node and nothing else of the
 * service. Settings come only from environment variables (contracts/README.md), so that no key is seen in a process list.
 *
 *   node contracts/tools/take-role.ts
 */
import {
  type Address,
  BaseError,
  createPublicClient,
  createWalletClient,
  HttpRequestError,
  http,
  InsufficientFundsError,
  isAddress,
  isHex,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { receiptOf } from '../../src/chain/deployment/receipt.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { labelOfUrl } from '../../src/chain/node.ts'
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
  // Sent once: of a repetition a node says "already known", which looks like a failure.
  const transport = http(url, { retryCount: 0 })
  const pauser = createWalletClient({ account: privateKeyToAccount(key as `0x${string}`), transport })
  const call = { address, abi: coinAbi, args: [ROLE_IDS[role], holder] } as const
  if (!(await node.readContract({ ...call, functionName: 'hasRole' }))) {
    const before = await findTaking(node, { address, role, holder })
    if (before === undefined)
      throw new Error(`${holder} is no ${role} of ${address}: it was taken before, or this is the other contract.`)
    console.log(JSON.stringify({ contract: address, role, taken: holder, ...before }))
    return
  }
  const taker = pauser.account.address
  if (!(await node.readContract({ ...call, functionName: 'hasRole', args: [ROLE_IDS.pauser, taker] }))) {
    throw new Error(`${taker} is no pauser of ${address}: PAUSER_PRIVATE_KEY is another's.`)
  }
  const hash = await pauser.writeContract({ ...call, functionName: 'revokeRole', chain: null }).catch((error) => {
    throw isOf(error, InsufficientFundsError)
      ? new Error(`The pauser ${taker} has too little gas money: send it native coin. Nothing was taken.`)
      : error
  })
  const { status, blockNumber } = await receiptOf(node, hash)
  if (status !== 'success') throw new Error(`Transaction ${hash} reverted: is it the key of a pauser?`)
  console.log(
    JSON.stringify({ contract: address, role, taken: holder, txHash: hash, blockNumber: String(blockNumber) }),
  )
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

function isOf(error: unknown, kind: typeof InsufficientFundsError | typeof HttpRequestError): boolean {
  return error instanceof BaseError && error.walk((one) => one instanceof kind) !== null
}

/** Without what viem adds: the address of the node, which may hold a secret. */
function explain(error: unknown): string {
  const text = error instanceof BaseError ? error.shortMessage : error instanceof Error ? error.message : String(error)
  const url = process.env.RPC_URL?.trim()
  if (url && isOf(error, HttpRequestError)) return `${labelOfUrl(url)} does not answer: try another RPC_URL.`
  return url ? text.replaceAll(url, labelOfUrl(url)) : text
}

try {
  await run()
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}
