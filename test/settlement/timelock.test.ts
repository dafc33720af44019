// engine: postgres; both in test:long
/** The watch over the timelock of a real chain: what is scheduled, by whom and from when on, and what becomes of it. */
// Runbook: The timelock was told to do something
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Address, concat, encodeFunctionData, type Hex, keccak256, pad, toHex, zeroHash } from 'viem'
import { type Anvil, startAnvil } from '../../contracts/tools/anvil.ts'
import { deployContracts } from '../../src/chain/deployment/deploy.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { timelockAbi } from '../../src/chain/generated/timelock.ts'
import { connectNode, RpcAnswerError, type RpcNode } from '../../src/chain/node.ts'
import { agreedHead } from '../../src/chain/quorum.ts'
import { acquireLease, type Lease } from '../../src/leases/leases.sql.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { findPendingOperations, findTimelockBlock } from '../../src/settlement/tables/timelock.sql.ts'
import { watchChain } from '../../src/settlement/watch/watch.ts'
import type { Work } from '../../src/settlement/work.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { addressOf, callOf, newTimelock, planFor, roles, sendAs } from '../support/deployment.ts'

const CHAIN = 31_337
const THIEF = addressOf('thief')
const DEPTH = 2
const [PROPOSER, EXECUTOR] = [addressOf('proposer'), addressOf('executor')]

let anvil: Anvil
let db: TestDatabase
let watched: Awaited<ReturnType<typeof watching>>
before(async () => {
  ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
})
beforeEach(async () => {
  await db.query('truncate chains, signers, leases cascade')
  watched = await watching()
})
after(async () => {
  await db.close()
  await anvil.stop()
})

/** A settler's watch over contracts of its own, whose timelock has its last name. */
async function watching() {
  const plan = planFor(anvil.rpcUrl)
  const { coin, settlement, admin } = await deployContracts(plan)
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash) values ($1, $2, $3, '0x0')`,
    [CHAIN, coin, settlement],
  )
  const lease = (await acquireLease(db, `settlement:${CHAIN}`, 'this', 600_000)) as Lease
  const { mint, burn, transfer } = plan.limits
  const ceilings = { mint: mint.ceiling, burn: burn.ceiling, transfer: transfer.ceiling }
  const refused = new Set<string>()
  const state = { isPruned: false }
  const own = connectNode(anvil.rpcUrl)
  const node: RpcNode = {
    label: own.label,
    async request(method, params) {
      if (refused.has(method)) throw new RpcAnswerError(own.label, -32_601, 'not available', undefined)
      if (state.isPruned && method === 'eth_call' && typeof params[1] === 'string' && params[1] !== 'latest')
        throw new RpcAnswerError(own.label, -32_000, 'missing trie node', undefined)
      return await own.request(method, params)
    },
  }
  const deployment = { roles: { ...roles, admin }, ceilings, unsafe: undefined }
  const config = { chainId: CHAIN, coin: { address: coin }, settlement, deployment, quorum: 1, confirmations: DEPTH }
  const counted: unknown[] = []
  const unread: number[] = []
  const warned: string[] = []
  const silent = () => {}
  const make = () =>
    ({
      db,
      otherChainIds: [],
      lease,
      onForeignMovement: 'pause',
      memory: freshMemory(),
      chain: { config, nodes: [node] },
      logger: {
        fatal: silent,
        error: silent,
        debug: silent,
        warn: ({ err }: { err: Error }, message: string) => void warned.push(`${message}: ${err.message}`),
      },
      metrics: {
        foreignMovement: (_: number, kind: string) => void counted.push(kind),
        timelockUnread: (_: number, blocks: number) => void unread.push(blocks),
      },
    }) as unknown as Work
  let work = make()
  return {
    coin,
    settlement,
    timelock: admin,
    counted,
    unread,
    warned,
    refused,
    /** Whether nodes have forgotten the state of all blocks but the newest. */
    state,
    node,
    /** As another settler would, which remembers nothing. */
    restart(): void {
      work = make()
    },
    /** Makes what was sent final, unless fewer blocks are asked for, or nodes call ones final that are so many behind, and looks. */
    async look({ blocks = 4, behind = 0 } = {}): Promise<void> {
      await own.request('anvil_mine', [toHex(blocks)])
      const at = await agreedHead([node], 1)
      await watchChain(work, { ...at, finalBlock: at.head.number - BigInt(DEPTH + behind) + 1n })
    },
    pending: () => findPendingOperations(db, CHAIN),
    movements: () =>
      db.query<{ details: string; pauses: boolean; transactions: { txHash: string }[] }>(
        'select details, pauses, transactions from foreign_movements order by movement_id',
      ),
  }
}

async function tell(as: Address, functionName: string, ...args: unknown[]): Promise<void> {
  const data = encodeFunctionData({ abi: timelockAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  assert.equal(await sendAs(anvil, as, watched.timelock, data), true, functionName)
}
const schedule = (target: Address, data: Hex, salt: Hex = zeroHash) =>
  tell(PROPOSER, 'schedule', target, 0n, data, zeroHash, salt, BigInt(newTimelock.delaySeconds))
const granting = (role: keyof typeof ROLE_IDS, holder: Address) =>
  callOf({ functionName: 'grantRole', args: [ROLE_IDS[role], holder] })

async function passDelay(): Promise<void> {
  await watched.node.request('evm_increaseTime', [newTimelock.delaySeconds + 1])
}

test('what is scheduled is told once, pauses nothing, and is pending until it is cancelled', async () => {
  await watched.look()
  assert.deepEqual(await watched.pending(), [])
  await schedule(watched.coin, granting('settler', THIEF))
  await watched.look()
  const [operation, ...more] = await watched.pending()
  assert.ok(operation)
  assert.deepEqual(more, [])
  assert.deepEqual(operation.calls, [
    { contract: 'coin', target: watched.coin, value: '0', call: `grantRole(settler, ${THIEF})` },
  ])
  assert.equal(operation.sentBy, PROPOSER)
  const [movement] = await watched.movements()
  assert.match(
    movement?.details ?? '',
    new RegExp(
      `${operation.operationId} was scheduled.*by ${PROPOSER} and can be executed from .*: the coin: grantRole`,
    ),
  )
  assert.ok(movement?.details.includes(operation.readyAt.toISOString()))
  assert.deepEqual([movement?.pauses, movement?.transactions[0]?.txHash], [false, operation.txHash])
  watched.restart()
  await watched.look()
  assert.deepEqual(watched.counted, ['timelock'])
  await tell(PROPOSER, 'cancel', operation.operationId)
  await watched.look()
  assert.deepEqual(await watched.pending(), [])
  assert.equal(watched.counted.length, 1)
})

test('what was cancelled and is scheduled again is pending again, and told again', async () => {
  await watched.look()
  await schedule(watched.coin, granting('freezer', THIEF))
  await watched.look()
  const [first] = await watched.pending()
  await tell(PROPOSER, 'cancel', first?.operationId)
  await schedule(watched.coin, granting('freezer', THIEF))
  await watched.look()
  const [again] = await watched.pending()
  assert.equal(again?.operationId, first?.operationId)
  assert.ok(again && first && again.block > first.block)
  assert.equal(watched.counted.length, 2)
})

test('what the chains file asks for is pending without a word, and an operation is told when one of its calls is not asked for', async () => {
  await watched.look()
  await schedule(watched.settlement, granting('signer', roles.signers[1] as Address))
  await watched.look()
  assert.equal((await watched.pending()).length, 1)
  assert.deepEqual(watched.counted, [])
  const calls = [granting('signer', roles.signers[1] as Address), granting('signer', THIEF)]
  const targets = [watched.settlement, watched.settlement]
  const args = [targets, [0n, 0n], calls, zeroHash, zeroHash, BigInt(newTimelock.delaySeconds)]
  await tell(PROPOSER, 'scheduleBatch', ...args)
  await watched.look()
  const batch = (await watched.pending()).find((each) => each.calls.length === 2)
  assert.deepEqual(
    batch?.calls.map(({ call }) => call),
    [`grantRole(signer, ${roles.signers[1]})`, `grantRole(signer, ${THIEF})`],
  )
  assert.equal(watched.counted.length, 1)
})

test('what is executed is no longer pending; what was scheduled before the first look is told only while it is pending', async () => {
  await schedule(watched.coin, granting('linker', THIEF))
  await passDelay()
  await tell(EXECUTOR, 'execute', watched.coin, 0n, granting('linker', THIEF), zeroHash, zeroHash)
  await schedule(watched.coin, granting('pauser', THIEF))
  await watched.look()
  assert.deepEqual(
    (await watched.pending()).map(({ calls }) => calls[0]?.call),
    [`grantRole(pauser, ${THIEF})`],
  )
  assert.equal(watched.counted.filter((kind) => kind === 'timelock').length, 1)
  await passDelay()
  await tell(EXECUTOR, 'execute', watched.coin, 0n, granting('pauser', THIEF), zeroHash, zeroHash)
  await watched.look()
  assert.deepEqual(await watched.pending(), [])
})

test('what was executed in a block that the chain then loses is pending again, and over once it is executed for good', async () => {
  const execute = () => tell(EXECUTOR, 'execute', watched.coin, 0n, granting('linker', THIEF), zeroHash, zeroHash)
  const ids = async () => (await watched.pending()).map(({ operationId }) => operationId)
  await watched.look()
  await schedule(watched.coin, granting('linker', THIEF))
  await watched.look()
  const [operation, ...others] = await watched.pending()
  assert.deepEqual([operation !== undefined, others], [true, []])
  await passDelay()
  const before = await watched.node.request('evm_snapshot', [])
  await execute()
  watched.restart()
  await watched.look({ blocks: 0 })
  assert.deepEqual(await ids(), [])
  await watched.node.request('evm_revert', [before])
  watched.restart()
  await watched.look()
  assert.deepEqual(await watched.pending(), [operation])
  await passDelay()
  await execute()
  await watched.look()
  await watched.look()
  assert.deepEqual(await ids(), [])
})

test('nor is it over for good where it was executed once more when its first block would have been final, and that is lost, too', async () => {
  const execute = () => tell(EXECUTOR, 'execute', watched.coin, 0n, granting('linker', THIEF), zeroHash, zeroHash)
  await watched.look()
  await schedule(watched.coin, granting('linker', THIEF))
  await watched.look()
  const pending = await watched.pending()
  assert.equal(pending.length, 1)
  await passDelay()
  const first = await watched.node.request('evm_snapshot', [])
  await execute()
  watched.restart()
  await watched.look({ blocks: 0 })
  await watched.node.request('evm_revert', [first])
  await passDelay()
  await watched.node.request('anvil_mine', [toHex(DEPTH + 3)])
  const second = await watched.node.request('evm_snapshot', [])
  await execute()
  watched.restart()
  await watched.look({ blocks: 0 })
  assert.deepEqual(await watched.pending(), [])
  await watched.node.request('evm_revert', [second])
  watched.restart()
  await watched.look()
  assert.deepEqual(await watched.pending(), pending)
})

const executeGrant = () => tell(EXECUTOR, 'execute', watched.coin, 0n, granting('linker', THIEF), zeroHash, zeroHash)

test('where nodes have forgotten the state of final blocks, what is scheduled is told all the same, and what is over is so for good once that is final', async () => {
  watched.state.isPruned = true
  await watched.look()
  await schedule(watched.coin, granting('linker', THIEF))
  await watched.look()
  await passDelay()
  await executeGrant()
  await watched.look()
  await schedule(watched.settlement, granting('signer', THIEF))
  await watched.look()
  const told = await watched.movements()
  assert.match(told.at(-1)?.details ?? '', /the settlement: grantRole\(signer/)
  assert.equal((await watched.pending()).length, 1)
  await watched.look()
  const ended = `select from timelock_operations where status = 'executed' and ended_block <= (select timelock_block from chains)`
  assert.equal((await db.query(ended)).length, 1)
  assert.deepEqual(watched.warned, [])
})

test('nor is it over for good there where the block in which it was seen to be over is lost', async () => {
  watched.state.isPruned = true
  await watched.look()
  await schedule(watched.coin, granting('linker', THIEF))
  await watched.look()
  const pending = await watched.pending()
  assert.equal(pending.length, 1)
  await passDelay()
  const first = await watched.node.request('evm_snapshot', [])
  await executeGrant()
  await watched.look({ blocks: 1 })
  assert.deepEqual(await watched.pending(), [])
  await watched.node.request('evm_revert', [first])
  await passDelay()
  await watched.node.request('anvil_mine', [toHex(DEPTH + 3)])
  const second = await watched.node.request('evm_snapshot', [])
  await executeGrant()
  await watched.look({ blocks: 0 })
  assert.deepEqual(await watched.pending(), [])
  await watched.node.request('evm_revert', [second])
  await watched.look()
  assert.deepEqual(await watched.pending(), pending)
})

test('who is given or loses a role of the timelock is told; it pauses when nobody had scheduled it', async () => {
  const CANCELLER = keccak256(toHex('CANCELLER_ROLE'))
  const asRole = (functionName: 'grantRole' | 'revokeRole') =>
    encodeFunctionData({ abi: timelockAbi, functionName, args: [CANCELLER, THIEF] })
  await watched.look()
  assert.deepEqual(watched.counted, [], 'those of its constructor are no news')
  await schedule(watched.timelock, asRole('grantRole'))
  await watched.look()
  await passDelay()
  await tell(EXECUTOR, 'execute', watched.timelock, 0n, asRole('grantRole'), zeroHash, zeroHash)
  await watched.look()
  assert.equal(await sendAs(anvil, watched.timelock, watched.timelock, asRole('revokeRole')), true)
  await watched.look()
  await watched.node.request('anvil_setStorageAt', [watched.timelock, adminSlotOf(THIEF), toHex(1n, { size: 32 })])
  assert.equal(await sendAs(anvil, THIEF, watched.timelock, asRole('grantRole')), true)
  await watched.look()
  const told = (await watched.movements()).slice(1).map(({ details, pauses }) => [details, pauses])
  const name = `the canceller role of the timelock ${watched.timelock}`
  assert.deepEqual(told, [
    [`${THIEF} was given ${name} by an operation of it`, false],
    [`${name} was taken from ${THIEF} by an operation of it`, false],
    [`${THIEF} was given ${name} by ${THIEF}, without any operation`, true],
  ])
  assert.deepEqual(watched.counted, ['timelock', 'role', 'role', 'role'])
})

/** Where the timelock keeps whether somebody has its admin role: `_roles[0].hasRole[holder]`. */
function adminSlotOf(holder: Address): Hex {
  const role = keccak256(concat([zeroHash, zeroHash]))
  return keccak256(concat([pad(holder), role]))
}

test('what was told is not told again where another settler hears of an older final block', async () => {
  await watched.look()
  await schedule(watched.coin, granting('settler', THIEF))
  await watched.node.request('anvil_setStorageAt', [watched.timelock, adminSlotOf(THIEF), toHex(1n, { size: 32 })])
  const gift = encodeFunctionData({ abi: timelockAbi, functionName: 'grantRole', args: [keccak256('0x'), THIEF] })
  assert.equal(await sendAs(anvil, THIEF, watched.timelock, gift), true)
  await watched.look()
  const before = await findTimelockBlock(db, CHAIN)
  watched.restart()
  await watched.look({ behind: 20 })
  assert.equal(await findTimelockBlock(db, CHAIN), before)
  assert.equal(watched.unread.at(-1), 0)
  assert.equal((await watched.pending()).length, 1)
  await watched.look()
  assert.deepEqual(watched.counted, ['timelock', 'role'])
  assert.ok(((await findTimelockBlock(db, CHAIN)) ?? 0n) > (before ?? 0n))
})

test('a chain that has fewer blocks than were read of it is read from there on', async () => {
  await watched.look()
  await db.query('update chains set timelock_block = timelock_block + 1000')
  watched.restart()
  await watched.look()
  await schedule(watched.coin, granting('settler', THIEF))
  await watched.look()
  assert.deepEqual(watched.counted, ['timelock'])
})

test('while no node serves logs, the blocks are counted as unread, and read once one does', async () => {
  await watched.look()
  watched.refused.add('eth_getLogs')
  await schedule(watched.coin, granting('unpauser', THIEF))
  const before = await findTimelockBlock(db, CHAIN)
  await watched.look()
  assert.ok((watched.unread.at(-1) ?? 0) > 0)
  assert.equal(await findTimelockBlock(db, CHAIN), before)
  watched.refused.clear()
  await watched.look()
  assert.equal(watched.unread.at(-1), 0)
  assert.equal((await watched.pending()).length, 1)
})

test('that the timelock is not read is told with what the nodes say, once, and not of one look alone', async () => {
  await watched.look()
  for (const failures of [1, 3, 2]) {
    watched.refused.add('eth_getLogs')
    for (let look = 0; look < failures; look += 1) await watched.look()
    watched.refused.clear()
    await watched.look()
  }
  assert.equal(watched.warned.length, 2, watched.warned.join())
  for (const line of watched.warned) assert.match(line, /^the timelock is not read: .*not available/)
})

test('a call of something else is shown by its selector, and a sender that no node knows is none', async () => {
  await watched.look()
  watched.refused.add('eth_getTransactionByHash')
  await schedule(THIEF, '0x1234567890')
  await watched.look()
  const [operation] = await watched.pending()
  assert.deepEqual(
    [operation?.calls, operation?.sentBy],
    [[{ contract: null, target: THIEF, value: '0', call: '0x12345678 with 1 bytes' }], null],
  )
})
