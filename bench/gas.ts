/**
 * Gas per order in a full batch, compared with one OpenZeppelin mint in a transaction of its own. Everything is whole
 * transaction gas (base, calldata, execution) on a fresh anvil.
 */
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  size,
  slice,
  toHex,
  zeroAddress,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { startAnvil } from '../contracts/tools/anvil.ts'
import { compile } from '../contracts/tools/compile.ts'
import { deployContracts } from '../src/chain/deployment/deploy.ts'
import { coinAbi } from '../src/chain/generated/coin.ts'
import {
  digestOf,
  encodeSettle,
  type Instruction,
  KIND,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
} from '../src/chain/instructions.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { currentLoad, publish, round } from './support/report.ts'

const BATCH = 255
const AMOUNT_MICRO = 1_234_567_890n
const EXISTING = 'mint, existing wallet'
const FRESH = 'mint, fresh wallet'
const CALL_BYTES = 4 + 4 * 32
/** What EIP-7825 allows one transaction. */
const MOST_GAS = 2 ** 24
const loadBefore = currentLoad()

type Measured = { gasUsed: bigint; calldata: Hex }

function tagOf(index: number): Hex {
  return slice(keccak256(toHex(`tag-${index}`)), 0, 8)
}

function wallets(label: string): Address[] {
  return Array.from({ length: BATCH }, (_, index) => slice(keccak256(toHex(`${label}-${index}`)), 12))
}

/** The least a transaction pays for its calldata (EIP-7623): 21,000 + 10 per token, a non-zero byte being 4 tokens. */
function calldataFloor(calldata: Hex): bigint {
  const bytes = Buffer.from(calldata.slice(2), 'hex')
  const nonZero = bytes.filter((byte) => byte !== 0).length
  return 21_000n + 10n * BigInt(bytes.length - nonZero + 4 * nonZero)
}

async function setUp(rpcUrl: string) {
  const account = mnemonicToAccount('test test test test test test test test test test test junk')
  const client = createPublicClient({ chain: foundry, transport: http(rpcUrl), pollingInterval: 20 })
  const wallet = createWalletClient({ account, chain: foundry, transport: http(rpcUrl, { retryCount: 0 }) })
  const send = async (to: Address | null, calldata: Hex): Promise<Measured & { contractAddress: Address | null }> => {
    const hash = await wallet.sendTransaction({ to, data: calldata })
    // viem's own waiting looks again when a next block comes, and here none may: each transaction is one.
    const { gasUsed, status, contractAddress } = await waitFor(`the receipt of ${hash}`, () =>
      client.getTransactionReceipt({ hash }).catch(() => undefined),
    )
    if (status !== 'success') throw new Error(`transaction ${hash} reverted`)
    return { gasUsed, calldata, contractAddress: contractAddress ?? null }
  }
  const me = account.address
  const unlimited = { capacityMicro: 10n ** 18n, refillPerSecondMicro: 10n ** 18n }
  const kind = { limit: unlimited, ceiling: unlimited }
  const { coin, settlement } = await deployContracts({
    rpcUrl,
    chainId: foundry.id,
    deployer: account,
    roles: { admin: me, signers: [me], limiters: [me], linkers: [me], freezers: [me], pausers: [me], unpausers: [me] },
    token: { name: 'Bench', symbol: 'BENCH' },
    limits: { mint: kind, burn: kind, transfer: kind },
    maximum: unlimited,
    unsafe: { admin: true, linkWithoutConsent: true },
    pollingIntervalMs: 20,
  })
  let batchId = 0n
  let runningHash = NO_HISTORY
  const settle = (instructions: Instruction[]): Promise<Measured> => {
    batchId += 1n
    const packed = packInstructions(instructions)
    const previous = runningHash
    runningHash = runningHashAfter(previous, digestOf(packed))
    return send(settlement, encodeSettle(batchId, previous, packed))
  }
  const link = (linked: Address): Promise<Measured> => {
    const args = [linked, keccak256(linked), 0n, '0x'] as const
    return send(coin, encodeFunctionData({ abi: coinAbi, functionName: 'linkWallet', args }))
  }
  return { send, settle, link }
}

type Chain = Awaited<ReturnType<typeof setUp>>

async function measureReference({ send }: Chain): Promise<{ fresh: bigint; existing: bigint }> {
  const { PlainCoin } = compile({ 'contracts/test/support/PlainCoin.sol': 'PlainCoin' })
  if (!PlainCoin) throw new Error('PlainCoin was not compiled')
  const { contractAddress } = await send(null, PlainCoin.bytecode)
  const mint = async (to: Address | undefined): Promise<bigint> => {
    const data = encodeFunctionData({ abi: PlainCoin.abi, functionName: 'mint', args: [to, AMOUNT_MICRO] })
    return (await send(contractAddress, data)).gasUsed
  }
  const [first, second] = wallets('reference')
  await mint(first)
  return { fresh: await mint(second), existing: await mint(second) }
}

async function measureBatches({ settle, link }: Chain): Promise<Record<string, Measured>> {
  const [targets, receivers, newcomers] = [wallets('wallet'), wallets('receiver'), wallets('newcomer')]
  const [whole, part] = [AMOUNT_MICRO, AMOUNT_MICRO / 4n]
  const mints = targets.map(
    (to, index): Instruction => ({ kind: KIND.MINT, from: zeroAddress, to, amount: whole, tag: tagOf(index) }),
  )
  const burns = targets.map(
    (from, index): Instruction => ({ kind: KIND.REDEEM, from, to: zeroAddress, amount: part, tag: tagOf(index) }),
  )
  const transfers = targets.map((from, index): Instruction => {
    const to = receivers[index] ?? zeroAddress
    return { kind: KIND.TRANSFER, from, to, amount: part, tag: tagOf(index) }
  })
  const failing = mints.map((mint) => ({ ...mint, amount: 0n }))
  await settle(mints.slice(0, 1))
  const fresh = await settle(mints.map((mint, index) => ({ ...mint, to: receivers[index] ?? zeroAddress })))
  await settle(mints)
  const existing = await settle(mints)
  for (const wallet of targets) await link(wallet)
  return {
    [FRESH]: fresh,
    [EXISTING]: existing,
    'burn, something left': await settle(burns),
    'transfer, existing recipient': await settle(transfers),
    'transfer, fresh recipient': await settle(
      transfers.map((transfer, index) => ({ ...transfer, to: newcomers[index] ?? zeroAddress })),
    ),
    'failed (zero amount)': await settle(failing),
    'mint, batch of one, existing wallet': await settle(mints.slice(0, 1)),
  }
}

const anvil = await startAnvil()
try {
  const chain = await setUp(anvil.rpcUrl)
  const reference = await measureReference(chain)
  const batches = await measureBatches(chain)
  report(reference, batches)
} finally {
  await anvil.stop()
}

function report(reference: { fresh: bigint; existing: bigint }, batches: Record<string, Measured>): void {
  const rows = Object.entries(batches).map(([what, { gasUsed, calldata }]) => {
    const each = Number(gasUsed) / (what.includes('batch of one') ? 1 : BATCH)
    const against = Number(what.includes('fresh') ? reference.fresh : reference.existing)
    return { what, gasUsed: Number(gasUsed), each, ratio: each / against, floor: Number(calldataFloor(calldata)) }
  })
  const of = (what: string) => rows.find((row) => row.what === what) ?? { ratio: Number.NaN, each: Number.NaN }
  const bytesOf = (what: string): number => {
    const { calldata } = batches[what] ?? { calldata: '0x' }
    // Selector, batch id, running hash, position and length of the instructions; padding to a whole word.
    return Math.floor((size(calldata) - CALL_BYTES) / BATCH)
  }
  const largest = Math.max(...rows.map(({ gasUsed }) => gasUsed))
  if (largest > MOST_GAS) throw new Error(`the largest batch takes ${largest} gas`)
  publish({
    name: 'gas',
    title: 'Gas',
    method: `Whole transaction gas (base, calldata, execution) on a fresh anvil. A full batch is ${BATCH} instructions. The reference is an OpenZeppelin ERC-20
with a mint, not upgradeable and without roles, called in a transaction of its own: ${round(Number(reference.existing))} gas to an existing wallet,
${round(Number(reference.fresh))} to a fresh one.`,
    rows: [
      ['full batch of', 'gas', 'per order', '÷ reference', 'calldata floor (EIP-7623)'],
      ...rows.map(({ what, gasUsed, each, ratio, floor }) => [what, gasUsed, each, ratio.toFixed(3), floor]),
    ],
    measured: {
      gasExisting: of(EXISTING).ratio,
      gasFresh: of(FRESH).ratio,
      calldataMint: bytesOf(EXISTING),
      calldataTransfer: bytesOf('transfer, existing recipient'),
    },
    numbers: { existing: of(EXISTING).each, fresh: of(FRESH).each },
    notes: [
      `The largest batch takes ${round(largest)} gas; EIP-7825 allows one transaction ${round(MOST_GAS)}, and a block has 30,000,000 or more.`,
    ],
    loadBefore,
  })
}
