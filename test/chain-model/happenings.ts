/** What befalls the chain of the model: branches, strangers, thieves, prices, and whoever holds the keys of its contracts. */
import { type Address, type Hex, keccak256, toHex, zeroAddress } from 'viem'
import { encodeSettle, KIND, packInstructions } from '../../src/chain/instructions.ts'
import { wallet } from '../settlement/fixture.ts'
import type { Random } from '../support/random.ts'
import { accountOf, limited, SETTLEMENT, type State, setWallet } from './contracts.ts'
import { ETHER, GWEI, type Network } from './network.ts'
import { WALLETS } from './orders.ts'

const THIEF = wallet(99)
/** What a thief mints each time. */
export const LOOT_MICRO = 77n
const PLENTY = 10n ** 15n

type Options = { network: Network; addresses: readonly Address[]; random: Random; say: (what: string) => void }
type Chances = {
  hasDeep: boolean
  hasThief: boolean
  /**
   * How often, among whatever else befalls the chain, blocks are taken back deeper than final, a thief settles, and blocks are taken back so deep while
   * wallets are frozen and freed.
   */
  weights: { deep: number; steal: number; fickle: number }
}

export function createHappenings(
  { network, addresses, random, say }: Options,
  { hasDeep, hasThief, weights }: Chances,
) {
  const { blocks, market } = network

  function useNonce(): void {
    const from = random.pick(addresses)
    const nonce = network.nextNonce(from) + BigInt(random.pick([0, 0, 1]))
    say(`somebody else uses nonce ${nonce} of ${from}`)
    network.offer({ from, nonce, to: from, data: '0x', gas: 21_000n }, 'stranger')
  }

  function steal(): void {
    const from = random.pick(addresses)
    const { lastBatchId, runningHash } = blocks.newest().state
    const tag = keccak256(toHex(`thief ${random.next()}`)).slice(0, 18) as Hex
    const packed = packInstructions([{ kind: KIND.MINT, from: zeroAddress, to: THIEF, amount: LOOT_MICRO, tag }])
    say(`a thief makes batch ${lastBatchId + 1n}`)
    const data = encodeSettle(lastBatchId + 1n, runningHash, packed)
    network.offer({ from, nonce: network.nextNonce(from), to: SETTLEMENT, data, gas: 500_000n }, 'thief')
  }

  function changePrice(): void {
    market.baseFee = random.pick([GWEI, 5n * GWEI, 60n * GWEI, 150n * GWEI])
    say(`base fee ${market.baseFee}`)
  }
  function changeBlocks(): void {
    market.gasLimit = random.pick([30_000_000n, 2_000_000n, 400_000n])
    say(`block gas limit ${market.gasLimit}`)
  }

  function changeLimit(): void {
    const kind = random.between(0, 2)
    const capacity = random.pick([0n, 3_000_000n, 12_000_000n, PLENTY])
    network.deed(`limit of ${kind}: ${capacity}`, (state, block) => {
      state.buckets = state.buckets.map((bucket, each) =>
        each === kind ? limited(bucket, capacity, 1_000_000n, block) : bucket,
      ) as unknown as State['buckets']
    })
  }
  /** Somebody with another key does something about this signer, wallet or stop. */
  function act(): { weight: number; do(): void }[] {
    const wei = random.pick([0n, 10n ** 13n, ETHER])
    const signer = random.pick(addresses)
    const holder = random.pick(WALLETS)
    const isOn = random.chance(0.5)
    const deed = (weight: number, what: string, work: (state: State) => void) => ({
      weight,
      do: () => network.deed(`${what}: ${isOn ? 'on' : 'off'}`, work),
    })
    return [
      deed(2, `${signer} has ${wei} wei`, (state) => {
        state.accounts.set(signer.toLowerCase(), { ...accountOf(state, signer), wei })
      }),
      deed(2, `role of ${signer}`, ({ signers }) => {
        if (isOn) signers.add(signer.toLowerCase())
        else signers.delete(signer.toLowerCase())
      }),
      deed(2, 'coin paused', (state) => {
        state.isCoinPaused = isOn
      }),
      deed(2, 'settlement paused', (state) => {
        state.isSettlementPaused = isOn
      }),
      deed(3, `${holder} frozen`, (state) => setWallet(state, holder, { isFrozen: isOn })),
      deed(2, `${holder} linked`, (state) => setWallet(state, holder, { isLinked: isOn })),
    ]
  }

  function reorganise(): void {
    const depth = random.between(1, 2)
    network.reorganise(hasDeep ? depth : Math.min(depth, network.shallow()))
  }

  /** What was in the blocks comes upon wallets as they were not before. */
  function changeMind(): void {
    const changes = WALLETS.filter(() => random.chance(0.7)).map((holder) => {
      const isFrozen = random.chance(0.4)
      const what = `${holder} frozen: ${isFrozen ? 'on' : 'off'}`
      return { what, do: (state: State) => setWallet(state, holder, { isFrozen }) }
    })
    say(changes.map(({ what }) => what).join(', '))
    network.reorganise(random.between(4, 9), changes)
  }

  return {
    befall(): void {
      const acts = act()
      const happens = random.weighted([
        { weight: 8, do: reorganise },
        { weight: hasDeep ? weights.deep : 0, do: () => network.reorganise(random.between(3, 8)) },
        { weight: 3, do: useNonce },
        { weight: 4, do: network.replay },
        { weight: hasThief ? weights.steal : 0, do: steal },
        { weight: weights.fickle, do: changeMind },
        { weight: 3, do: changePrice },
        { weight: 1, do: changeBlocks },
        { weight: 3, do: network.losePools },
        ...acts,
        { weight: 2, do: changeLimit },
      ])
      happens.do()
    },

    /** Wallets may be debited from the beginning. */
    begin(): void {
      network.deed('wallets are linked', (state) => {
        for (const each of WALLETS) setWallet(state, each, { isLinked: true })
      })
    },

    /** The faults are over; only gas may be dearer for good. */
    mendAll(): void {
      market.baseFee = random.pick([1n, 5n, 40n]) * GWEI
      market.gasLimit = 30_000_000n
      network.deed('everything is as it should be', (state, block) => {
        Object.assign(state, { isCoinPaused: false, isSettlementPaused: false })
        state.buckets = state.buckets.map((bucket) =>
          limited(bucket, PLENTY, PLENTY, block),
        ) as unknown as State['buckets']
        for (const address of addresses) {
          state.signers.add(address.toLowerCase())
          state.accounts.set(address.toLowerCase(), { ...accountOf(state, address), wei: ETHER })
        }
        for (const each of WALLETS) setWallet(state, each, { isFrozen: false, isLinked: true })
      })
    },
  }
}
