/** Makes faults happen. Beginning a fault returns the function that ends it. */
import type { Random } from '../../support/random.ts'
import type { BankFault } from '../world/bank.ts'
import type { KeyName } from '../world/contracts.ts'
import type { NodeFault } from '../world/nodes.ts'
import { holdOrders, releaseOrders } from '../world/operator.ts'
import type { ReceiverFault } from '../world/receiver.ts'
import type { Cut } from '../world/wire.ts'
import type { World } from '../world/world.ts'
import type { PlannedFault } from './plan.ts'

export type End = () => Promise<void> | void

/**
 * Of two processes that do the same work, only one at a time is disturbed, or a machine that starts them slowly would
 * see no load at all.
 */
const SIBLINGS: Readonly<Record<string, string>> = {
  'api-1': 'api-2',
  'api-2': 'api-1',
  'settler-1': 'settler-2',
  'settler-2': 'settler-1',
}

const nothing: End = () => {}
const SOME = 0.4
/** Of commits, in a service that makes a hundred a second. */
const CUT_SHARE = 0.05

/** @returns the function that ends the fault, to be called when its time is over */
export async function begin(world: World, { name, target }: PlannedFault, random: Random): Promise<End> {
  const { processes, chain, database } = world
  switch (name) {
    case 'kill -9':
      return await down(world, target, 'SIGKILL')
    case 'SIGTERM':
      return await down(world, target, 'SIGTERM')
    case 'suspend':
      requireSibling(world, target)
      processes.signal(target, 'SIGSTOP')
      return () => processes.signal(target, 'SIGCONT')
    case 'reorganisation':
      await chain.reorganise(Number(target))
      return nothing
    case 'pool is emptied':
      await chain.rpc('anvil_dropAllTransactions')
      return nothing
    case 'no blocks':
      chain.setMining(false)
      return async () => chain.setMining(true)
    case 'signer has no gas':
      await chain.setGasMoney(target as KeyName, false)
      return () => chain.setGasMoney(target as KeyName, true)
    case 'nonce taken':
      await chain.takeNonce(target as KeyName)
      return nothing
    case 'signer without its role':
      await chain.setSignerRole(target as KeyName, false)
      return () => chain.setSignerRole(target as KeyName, true)
    case 'orders held':
      await holdOrders(world.operator)
      return async () => void (await releaseOrders(world.operator))
    case 'base fee above the cap':
      await chain.setBaseFee(true)
      return () => chain.setBaseFee(false)
    case 'mint limit lowered':
      await chain.setMintLimit(true)
      return () => chain.setMintLimit(false)
    case 'coin paused':
      await chain.setPaused(true)
      return () => chain.setPaused(false)
    case 'wallet frozen':
      return await freeze(world, Number(target))
    case 'connections cut':
      await database.cut(random, target === 'all' ? 1 : SOME)
      return nothing
    case 'database stalls':
      return await database.stall()
    case 'orders locked':
      return await database.lock('lock table orders in access exclusive mode')
    case 'customers locked':
      return await database.lock('select 1 from customers for update')
    case 'database crashes':
      await database.crash()
      return nothing
    default:
      return outside(world, name, target, random)
  }
}

async function down(world: World, name: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<End> {
  requireSibling(world, name)
  await world.processes.stop(name, signal)
  return () => world.processes.start(name)
}

/** @throws Error when the sibling does not serve */
function requireSibling({ processes }: World, target: string): void {
  const sibling = SIBLINGS[target]
  if (sibling !== undefined && !processes.serves(sibling)) throw new Error(`${sibling} does not serve`)
}

async function freeze({ chain, parties }: World, index: number): Promise<End> {
  const customers = parties.integrations.flatMap((integration) => integration.customers)
  const wallet = customers[index]?.wallet
  if (wallet === undefined) return nothing
  await chain.setFrozen(wallet, true)
  return () => chain.setFrozen(wallet, false)
}

function outside({ nodes, bank, receiver, database }: World, name: string, target: string, random: Random): End {
  const [, what = ''] = /^(?:node|all nodes:|bank:|receiver:|commits:) (.*)$/.exec(name) ?? []
  if (name.startsWith('commits:')) return database.wire.cutCommits(what as Cut, CUT_SHARE, random)
  if (name.startsWith('bank:')) {
    bank.fault = what as BankFault
    return () => {
      bank.fault = undefined
    }
  }
  if (name.startsWith('receiver:')) {
    receiver.fault = what as ReceiverFault
    return () => {
      receiver.fault = undefined
    }
  }
  const hit = [...nodes.faults.keys()].filter((index) => target === 'all' || target === String(index))
  for (const index of hit) nodes.faults[index] = what as NodeFault
  return () => {
    for (const index of hit) if (nodes.faults[index] === what) nodes.faults[index] = undefined
  }
}
