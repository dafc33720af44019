/** The chain of the model with its three nodes: blocks are made of what pools have, and taken back. */
import { type Address, keccak256, toHex } from 'viem'
import type { Random } from '../support/random.ts'
import { createBlocks, type Deed, type Transaction } from './blocks.ts'
import { accountOf } from './contracts.ts'
import { createNode, keyOf, poolsOf, sweep } from './nodes.ts'

export const ETHER = 10n ** 18n
export const GWEI = 10n ** 9n
/** So many blocks stay above the newest that nodes call finalized. */
const UNFINALIZED = 4n
const DAY_SECONDS = 86_400
/** From this depth on a reorganisation undoes what was final. */
const DEEP = 3

export type Network = ReturnType<typeof createNetwork>

/** @param kept how often what was in blocks that are taken back is kept by a pool */
export function createNetwork(
  addresses: readonly Address[],
  random: Random,
  kept: number,
  say: (what: string) => void,
) {
  const beginsAt = BigInt(Math.floor(Date.now() / 1_000) - DAY_SECONDS)
  const blocks = createBlocks(addresses, ETHER, beginsAt)
  const finalized = () => (blocks.newest().number > UNFINALIZED ? blocks.newest().number - UNFINALIZED : 0n)
  const nodes = ['one', 'two', 'three'].map((label) => createNode(label, blocks, finalized))
  const market = { baseFee: GWEI, gasLimit: 30_000_000n }
  const count = { reorganisations: 0, deep: 0 }
  let deeds: Deed[] = []
  let highest = 0n

  /** @param share how many of the pools are seen by whoever makes the block */
  function mine(share = 1): void {
    const offered = poolsOf(nodes.filter(() => random.chance(share)))
    const taken = blocks.mine(offered, { deeds, ...market })
    deeds = []
    sweep(nodes, blocks.newest())
    const { number, receipts } = blocks.newest()
    if (number > highest) highest = number
    const failed = receipts.filter(({ succeeded }) => !succeeded).length
    if (taken.length > 0) say(`  block ${number}: ${taken.length} transactions, ${failed} of them reverted`)
  }

  return {
    blocks,
    nodes,
    market,
    count,
    mine,
    /** To be done in the next block. */
    deed(what: string, work: Deed['do']): void {
      say(what)
      deeds.push({ what, do: work })
    },
    nextNonce: (address: Address) => accountOf(blocks.newest().state, address).nonce,

    /** Pools tell one another what they have. */
    gossip(share: number): void {
      for (const { pool } of nodes)
        for (const transaction of poolsOf(nodes)) if (random.chance(share)) pool.set(keyOf(transaction), transaction)
    },
    /** Bytes of somebody else, for a high fee. */
    offer(transaction: Omit<Transaction, 'hash' | 'maxFee' | 'tip'>, salt: string): void {
      const dear = { maxFee: 900n * GWEI, tip: random.pick([1n, 90n]) * GWEI }
      const whole = { ...transaction, ...dear, hash: keccak256(toHex(`${salt}/${random.next()}`)) }
      for (const { pool } of nodes) if (random.chance(0.7)) pool.set(keyOf(whole), whole)
    },
    /** Anybody may send again what was ever sent. */
    replay(): void {
      const seen = nodes.flatMap((node) => [...node.seen.values()])
      if (seen.length === 0) return
      const again = Array.from({ length: random.between(1, 6) }, () => random.pick(seen))
      say(`somebody sends again ${again.map(({ nonce }) => nonce).join()}`)
      for (const transaction of again) random.pick(nodes).pool.set(keyOf(transaction), transaction)
    },
    losePools(): void {
      for (const { pool } of nodes) if (random.chance(0.6)) pool.clear()
      say('pools are emptied')
    },

    /** How many blocks may be taken back where nothing that was final ever is: the chain may be shorter than it was. */
    shallow: (): number => Number(blocks.newest().number - highest) + DEEP - 1,
    /**
     * Takes blocks back and makes others; what was in them goes back to a pool, or is lost.
     * @param others deeds before whatever else is in those, behind the deeds that were in the old ones
     */
    reorganise(depth: number, others: readonly Deed[] = []): void {
      if (depth <= 0) return
      const gone = blocks.takeBack(depth)
      count.reorganisations += 1
      if (depth >= DEEP) count.deep += 1
      const isKept = random.chance(kept)
      say(`reorganisation of ${gone.length}${isKept ? '' : ', its transactions are lost'}`)
      deeds.push(...gone.flatMap((block) => block.deeds), ...others)
      if (isKept)
        for (const { transaction } of gone.flatMap(({ receipts }) => receipts))
          random.pick(nodes).pool.set(keyOf(transaction), transaction)
      const again = gone.length + random.pick([1, 1, 0, -1])
      for (let made = 0; made < again; made += 1) mine(random.pick([1, 0.5, 0]))
    },
  }
}
