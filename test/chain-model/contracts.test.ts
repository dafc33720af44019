// engine: pglite; both in test:long
/** The contracts of the model do what the real ones do: both are told the same, and asked the same after each of it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Abi, type Address, encodeFunctionData, type Hex, keccak256, numberToHex, zeroAddress } from 'viem'
import { readContractHead } from '../../src/chain/batch-reads.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, type Instruction, KIND, packInstructions } from '../../src/chain/instructions.ts'
import { connectNode, type RpcNode } from '../../src/chain/node.ts'
import { readBlock, readCall, readGasEstimate, readNonce } from '../../src/chain/reads.ts'
import {
  failureReasons,
  readBuckets,
  readExecutionEstimate,
  readOutcome,
  readReceipt,
  revertName,
} from '../../src/chain/settlement-reads.ts'
import { account, deployChain, linkOf, wallet } from '../settlement/fixture.ts'
import { startAnvil } from '../support/anvil.ts'
import { createRandom } from '../support/random.ts'
import { createBlocks, type Deed, type ModelBlock } from './blocks.ts'
import { limited, type State, setWallet } from './contracts.ts'
import { createNode } from './nodes.ts'

const SIGNERS = [account('signer').address, account('second').address] as const
const STRANGER = account('limiter').address
const WALLETS = [1, 2, 3, 4].map(wallet)
const STEPS = 70
const GAS = 3_000_000n

let anvil: Awaited<ReturnType<typeof startAnvil>>
before(async () => {
  anvil = await startAnvil()
})
after(() => anvil.stop())

type Place = { coin: Address; settlement: Address }
type Side = { node: RpcNode } & Place

/** What one of the two sides says, of everything that settlement asks. */
async function saidBy({ node, coin, settlement }: Side, batchId: bigint) {
  const newest = await readBlock(node, 'latest')
  const at = { blockHash: newest?.hash as Hex }
  const balances = WALLETS.map(async (each) =>
    BigInt(
      await readCall(
        node,
        { to: coin, data: encodeFunctionData({ abi: coinAbi, functionName: 'balanceOf', args: [each] }) },
        at,
      ),
    ),
  )
  const { blockNumber, ...outcome } = await readOutcome(node, settlement, batchId, at)
  return {
    head: await readContractHead(node, { coin: { address: coin }, settlement }, at),
    outcome,
    isInThisBlock: blockNumber === newest?.number,
    buckets: await readBuckets(node, settlement),
    balances: await Promise.all(balances),
  }
}

test('whatever is told to both, the contracts of the model say what the real ones say', async () => {
  const config = await deployChain(anvil.rpcUrl)
  await connectNode(anvil.rpcUrl).request('evm_setAutomine', [false])
  const random = createRandom('contracts')
  const real: Side = { node: connectNode(anvil.rpcUrl), coin: config.coin.address, settlement: config.settlement }
  const begin = (await readBlock(real.node, 'latest'))?.timestamp ?? 0n
  const place = { coin: real.coin, settlement: real.settlement }
  const blocks = createBlocks(SIGNERS, 10n ** 22n, begin, place)
  const model: Side = { node: createNode('model', blocks, () => 0n), ...place }
  let nonces = await Promise.all([...SIGNERS, STRANGER].map((each) => readNonce(real.node, each, 'latest')))
  const first = [...nonces]
  const seen = new Set<string>()

  async function tellReal(from: Address, to: Address, data: Hex): Promise<Hex> {
    const timestamp = numberToHex(blocks.newest().timestamp)
    await real.node.request('evm_setNextBlockTimestamp', [timestamp])
    const asked = [{ from, to, data, gas: numberToHex(GAS) }]
    const hash = (await real.node.request('eth_sendTransaction', asked)) as Hex
    await real.node.request('evm_mine', [])
    return hash
  }
  async function both(
    what: string,
    from: Address,
    contract: keyof Place,
    call: { abi: Abi; name: string; args?: readonly unknown[] },
    work: Deed['do'],
  ) {
    const deed = { what, do: work }
    blocks.mine([], { deeds: [deed], seconds: BigInt(random.between(1, 5)) })
    const data = encodeFunctionData({ abi: call.abi, functionName: call.name, args: call.args ?? [] } as never)
    const receipt = await readReceipt(real.node, await tellReal(from, real[contract], data))
    assert.equal(receipt?.succeeded, true, what)
  }
  const coinCall = (name: string, ...args: unknown[]) => ({ abi: coinAbi as Abi, name, args })
  const settlementCall = (name: string, ...args: unknown[]) => ({ abi: settlementAbi as Abi, name, args })

  async function settleBoth(isSound = false): Promise<string> {
    const { lastBatchId, runningHash } = blocks.newest().state
    const batchId = lastBatchId + (isSound ? 1n : random.pick([1n, 1n, 1n, 1n, 0n, 2n]))
    const previous = isSound || random.chance(0.95) ? runningHash : keccak256(runningHash)
    const told = Array.from({ length: random.between(1, 5) }, (_, index) => instruction(index))
    const sender = isSound ? SIGNERS[0] : random.pick([...SIGNERS, SIGNERS[0], STRANGER])
    const packed = !isSound && random.chance(0.06) ? random.pick(['0x', '0x05'] as const) : packInstructions(told)
    const data = encodeSettle(batchId, previous, packed)
    const foreseen = await Promise.all(
      [real, model].map(async (side) => {
        const call = { from: sender, to: side.settlement, data }
        return await readGasEstimate(side.node, call).then(
          () => 'taken',
          (error: unknown) => revertName(error),
        )
      }),
    )
    assert.equal(foreseen[1], foreseen[0], 'what is foreseen')
    const behind = await Promise.all(
      [real, model].map(
        async (side) =>
          await readExecutionEstimate(side.node, side, packed).then(
            () => 'taken',
            (error: unknown) => revertName(error),
          ),
      ),
    )
    assert.equal(behind[1], behind[0], 'what is foreseen behind others')
    const index = [...SIGNERS, STRANGER].indexOf(sender)
    const own = (nonces[index] as bigint) - (first[index] as bigint)
    nonces = nonces.with(index, (nonces[index] as bigint) + 1n)
    const hash = keccak256(numberToHex(blocks.newest().number))
    const priced = { gas: GAS, maxFee: 10n ** 11n, tip: 1n }
    const transaction = { hash, from: sender, nonce: own, to: place.settlement, data, ...priced }
    if (sender === STRANGER) blocks.newest().state.accounts.set(STRANGER.toLowerCase(), { nonce: own, wei: 10n ** 22n })
    assert.equal(blocks.mine([transaction], { seconds: BigInt(random.between(1, 5)) }).length, 1)
    const realHash = await tellReal(sender, real.settlement, data)
    const [ours, theirs] = await Promise.all([readReceipt(model.node, hash), readReceipt(real.node, realHash)])
    assert.equal(ours?.succeeded, theirs?.succeeded, `${foreseen[0]} was foreseen`)
    if (theirs === undefined || ours === undefined) throw new Error('there is no receipt')
    assert.deepEqual(failureReasons(ours, place.settlement, batchId), failureReasons(theirs, real.settlement, batchId))
    seen.add(foreseen[0] ?? '')
    return `batch ${batchId}: ${foreseen[0]}`
  }

  function instruction(index: number): Instruction {
    const kind = random.pick([KIND.MINT, KIND.MINT, KIND.REDEEM, KIND.TRANSFER])
    const amount = random.pick([0n, 1n, 5n, 5n, 20n, 100n])
    const tag = numberToHex(index + 1, { size: 8 })
    const to = random.pick([...WALLETS, ...WALLETS, place.coin, place.settlement, zeroAddress])
    const from = random.pick(WALLETS)
    if (kind === KIND.MINT) return { kind, from: zeroAddress, to, amount, tag }
    return { kind, from, to: kind === KIND.REDEEM ? zeroAddress : to, amount, tag }
  }

  const change = (what: (state: State, block: ModelBlock) => void): Deed['do'] => what
  const deeds = [
    (each: Address) =>
      both(
        'freeze',
        account('freezer').address,
        'coin',
        coinCall('freeze', each),
        change((s) => setWallet(s, each, { isFrozen: true })),
      ),
    (each: Address) =>
      both(
        'unfreeze',
        account('freezer').address,
        'coin',
        coinCall('unfreeze', each),
        change((s) => setWallet(s, each, { isFrozen: false })),
      ),
    (each: Address) =>
      both(
        'link',
        account('linker').address,
        'coin',
        coinCall('linkWallet', each, linkOf(each).account, 0n, '0x'),
        change((s) => setWallet(s, each, { isLinked: true })),
      ),
    (each: Address) =>
      both(
        'unlink',
        account('linker').address,
        'coin',
        coinCall('unlinkWallet', each, linkOf(each).account),
        change((s) => setWallet(s, each, { isLinked: false })),
      ),
    async () => {
      await both(
        'pause coin',
        account('pauser').address,
        'coin',
        coinCall('pause'),
        change((s) => {
          s.isCoinPaused = true
        }),
      )
      await settleBoth(true)
      await both(
        'unpause coin',
        account('unpauser').address,
        'coin',
        coinCall('unpause'),
        change((s) => {
          s.isCoinPaused = false
        }),
      )
    },
    async () => {
      await both(
        'pause settlement',
        account('pauser').address,
        'settlement',
        settlementCall('pause'),
        change((s) => {
          s.isSettlementPaused = true
        }),
      )
      await settleBoth(true)
      await both(
        'unpause settlement',
        account('unpauser').address,
        'settlement',
        settlementCall('unpause'),
        change((s) => {
          s.isSettlementPaused = false
        }),
      )
    },
    () => {
      const [kind, capacity, refill] = [
        random.between(0, 2),
        random.pick([0n, 10n, 120n, 10n ** 9n]),
        random.pick([0n, 3n, 100n]),
      ]
      const limit = { capacity, refillPerSecond: refill }
      return both(
        'limit',
        account('limiter').address,
        'settlement',
        settlementCall('setLimit', kind, limit),
        change((s, block) => {
          s.buckets = s.buckets.map((bucket, each) =>
            each === kind ? limited(bucket, capacity, refill, block) : bucket,
          ) as unknown as State['buckets']
        }),
      )
    },
    async () => {
      const args = [ROLE_IDS.signer, SIGNERS[1]]
      await both(
        'revoke',
        account('deployer').address,
        'settlement',
        settlementCall('revokeRole', ...args),
        change((s) => void s.signers.delete(SIGNERS[1].toLowerCase())),
      )
      await settleBoth(true)
      await both(
        'grant',
        account('deployer').address,
        'settlement',
        settlementCall('grantRole', ...args),
        change((s) => void s.signers.add(SIGNERS[1].toLowerCase())),
      )
    },
  ]
  // Both begin with the same limits.
  for (const kind of [0, 1, 2])
    await both(
      'limit',
      account('limiter').address,
      'settlement',
      settlementCall('setLimit', kind, { capacity: 120n, refillPerSecond: 3n }),
      change((s, block) => {
        s.buckets = s.buckets.map((bucket, each) =>
          each === kind ? limited(bucket, 120n, 3n, block) : bucket,
        ) as unknown as State['buckets']
      }),
    )
  for (let step = 0; step < STEPS; step += 1) {
    if (random.chance(0.35)) await random.pick(deeds)(random.pick(WALLETS))
    const told = await settleBoth()
    const { lastBatchId } = blocks.newest().state
    const [ours, theirs] = await Promise.all([saidBy(model, lastBatchId), saidBy(real, lastBatchId)])
    assert.deepEqual(ours, theirs, told)
  }
  const refused = ['NotNextBatch', 'WrongPrevious', 'AccessControlUnauthorizedAccount', 'MintLimitExceeded']
  for (const each of ['taken', 'EnforcedPause', 'SettlementPaused', ...refused])
    assert.ok(seen.has(each), `${each} was not tried, but ${[...seen].join()}`)
})
