/** Every fault that a run can make, as data. inject.ts says what each does. */
import { LIES, LOSSES, SILENCES } from '../world/nodes.ts'
import { CUTS } from '../world/wire.ts'

export type FaultSpec = {
  name: string
  weight: number
  /** At most one fault of a group is under way at a time. */
  group: string
  /** Whom it hits; one is chosen. */
  targets: readonly string[]
  /** How long it lasts, from – to. */
  lastsMs: readonly [number, number]
  /**
   * How long after the fault everything it touched may take to come to its end; a fault too late for that is not made.
   */
  recoversMs: number
  /** Why the fault is left out unless asked for: today's code does not yet hold under it. */
  openIssue?: string
}

const NODE_NUMBERS = ['0', '1', '2']
/** A lost lease is taken over after 10 s, failures back off up to 10 s. */
const SETTLER_RECOVERS_MS = 22_000
/** A delivery in flight is claimed for 30 s. */
const COURIER_RECOVERS_MS = 36_000
const QUICKLY_MS = 12_000

/** Name of a fault → why it is left out. */
const OPEN: Readonly<Record<string, string>> = {}

const processFaults: readonly FaultSpec[] = [
  fault('kill -9', 6, 'api', ['api-1', 'api-2'], [100, 3_000], QUICKLY_MS),
  fault('kill -9', 5, 'settler', ['settler-1', 'settler-2'], [100, 3_000], SETTLER_RECOVERS_MS),
  // What the payer was asking the bank is asked again soon: the settling phase retries waiting payouts as an operator
  // does.
  fault('kill -9', 4, 'payer', ['payer'], [100, 2_000], QUICKLY_MS),
  fault('kill -9', 3, 'courier', ['courier'], [100, 2_000], COURIER_RECOVERS_MS),
  fault('SIGTERM', 2, 'api', ['api-1', 'api-2'], [100, 2_000], 20_000),
  fault('SIGTERM', 2, 'settler', ['settler-1', 'settler-2'], [100, 2_000], 20_000),
  fault('SIGTERM', 1, 'payer', ['payer'], [100, 2_000], 20_000),
  fault('SIGTERM', 1, 'courier', ['courier'], [100, 2_000], 20_000),
  fault('suspend', 2, 'settler', ['settler-1', 'settler-2'], [1_000, 13_000], SETTLER_RECOVERS_MS),
  fault('suspend', 1, 'api', ['api-1', 'api-2'], [500, 4_000], QUICKLY_MS),
  fault('suspend', 1, 'payer', ['payer'], [500, 8_000], QUICKLY_MS),
]

const nodeFaults: readonly FaultSpec[] = [
  ...SILENCES.map((name) => fault(`node ${name}`, 2, 'node silence', NODE_NUMBERS, [1_000, 6_000], QUICKLY_MS)),
  ...SILENCES.map((name) => fault(`all nodes: ${name}`, 1, 'node silence', ['all'], [500, 4_000], SETTLER_RECOVERS_MS)),
  ...LOSSES.map((name) => fault(`all nodes: ${name}`, 1, 'node silence', ['all'], [500, 4_000], SETTLER_RECOVERS_MS)),
  ...LIES.map((name) => fault(`node ${name}`, 2, 'node lie', NODE_NUMBERS, [1_000, 7_000], SETTLER_RECOVERS_MS)),
]

const chainFaults: readonly FaultSpec[] = [
  fault('reorganisation', 6, 'chain', ['1', '2'], [0, 0], SETTLER_RECOVERS_MS),
  fault('pool is emptied', 3, 'chain', ['pool'], [0, 0], SETTLER_RECOVERS_MS),
  fault('no blocks', 2, 'chain', ['chain'], [2_000, 6_000], QUICKLY_MS),
  fault('signer has no gas', 2, 'signer', ['signer', 'second'], [1_000, 5_000], SETTLER_RECOVERS_MS),
  fault('nonce taken', 2, 'signer', ['signer', 'second'], [0, 0], SETTLER_RECOVERS_MS),
  fault('signer without its role', 2, 'signer', ['signer', 'second'], [1_000, 5_000], SETTLER_RECOVERS_MS),
  fault('base fee above the cap', 1, 'fees', ['chain'], [1_500, 5_000], SETTLER_RECOVERS_MS),
  fault('mint limit lowered', 1, 'limit', ['coin'], [1_000, 5_000], SETTLER_RECOVERS_MS),
  fault('coin paused', 2, 'coin', ['coin'], [1_000, 5_000], SETTLER_RECOVERS_MS),
  fault('wallet frozen', 4, 'freeze', ['0', '1', '2', '3', '4', '5', '6', '7'], [1_500, 6_000], QUICKLY_MS),
]

const databaseFaults: readonly FaultSpec[] = [
  fault('connections cut', 4, 'database', ['some', 'all'], [0, 0], COURIER_RECOVERS_MS),
  ...CUTS.map((name) => fault(`commits: ${name}`, 2, 'database', ['some'], [500, 4_000], COURIER_RECOVERS_MS)),
  fault('database stalls', 2, 'database', ['database'], [300, 3_000], COURIER_RECOVERS_MS),
  fault('orders locked', 1, 'database', ['orders'], [300, 3_000], QUICKLY_MS),
  fault('customers locked', 1, 'database', ['customers'], [300, 3_000], QUICKLY_MS),
  // As long as a restart may take, so that the database is not crashed while it starts.
  fault('database crashes', 1, 'database', ['database'], [10_000, 10_000], COURIER_RECOVERS_MS - 5_000),
]

const outsideFaults: readonly FaultSpec[] = [
  fault('orders held', 3, 'operator', ['operator'], [500, 5_000], QUICKLY_MS),
  fault('bank: refuse', 2, 'bank', ['bank'], [1_000, 5_000], QUICKLY_MS),
  fault('bank: hang before paying', 1, 'bank', ['bank'], [1_000, 4_000], QUICKLY_MS),
  fault('bank: hang after paying', 2, 'bank', ['bank'], [1_000, 4_000], QUICKLY_MS),
  fault('bank: pay and answer 500', 2, 'bank', ['bank'], [1_000, 5_000], QUICKLY_MS),
  fault('bank: pay and reset', 2, 'bank', ['bank'], [1_000, 5_000], QUICKLY_MS),
  fault('receiver: answer 500', 2, 'receiver', ['receiver'], [500, 4_000], QUICKLY_MS),
  fault('receiver: answer too late', 1, 'receiver', ['receiver'], [500, 2_000], 2 * QUICKLY_MS),
  fault('receiver: reset', 1, 'receiver', ['receiver'], [500, 4_000], QUICKLY_MS),
]

export const CATALOGUE: readonly FaultSpec[] = [
  ...processFaults,
  ...nodeFaults,
  ...chainFaults,
  ...databaseFaults,
  ...outsideFaults,
].map((spec) => {
  const openIssue = Object.entries(OPEN).find(([name]) => spec.name.endsWith(name))?.[1]
  return openIssue === undefined ? spec : { ...spec, openIssue }
})

function fault(
  name: string,
  weight: number,
  group: string,
  targets: readonly string[],
  lastsMs: readonly [number, number],
  recoversMs: number,
): FaultSpec {
  return { name, weight, group, targets, lastsMs, recoversMs }
}
