/**
 * What was seen on chains that nobody here asked for, and up to which of it somebody calls it known who lets them go on: what comes between their look and their
 * command, nobody has looked at.
 */
import { DatabaseUnavailableError, type Queryable } from '../db/database.ts'
import {
  countOpenMovements,
  endMovements,
  isMovement,
  listOpenMovements,
  type SeenMovement,
} from '../settlement/tables/movements.sql.ts'
import { OperatorError } from './errors.ts'

export type MovementView = {
  /** As `coin reconcile` names it: chain and number. */
  movement: string
  details: string
  seenBlock: string
  seenAt: string
}

/** Of each chain, the newest movement that is called known, and the oldest that is named: the same where only one is. */
export type Known = ReadonlyMap<number, { upTo: bigint; from: bigint }>

/** In a refusal. Who has read no more than that has not seen the others. */
const MOST_SAID = 10
/** For who looks: more than anybody reads. */
const MOST_SHOWN = 1_000
const NAME = /^(\d{1,16})\/(\d{1,18})$/

/** Reads names as `chain/number`, with commas between them. @throws OperatorError BAD_REQUEST */
export function parseKnown(names: string | undefined): Known {
  const known = new Map<number, { upTo: bigint; from: bigint }>()
  for (const name of names?.split(',') ?? []) {
    const [, chain = '', number = ''] = NAME.exec(name.trim()) ?? []
    const sentence = '"known" names movements as "coin chain status" does, chain/number, with commas between them.'
    if (number === '') throw new OperatorError('BAD_REQUEST', sentence)
    const each = BigInt(number)
    const { upTo, from } = known.get(Number(chain)) ?? { upTo: each, from: each }
    known.set(Number(chain), { upTo: upTo > each ? upTo : each, from: from < each ? from : each })
  }
  return known
}

/** What nobody has called known, newest first, and the oldest; none without the database, as the chains can be looked at all the same. */
export async function viewMovements(db: Queryable, chainId: number): Promise<MovementView[]> {
  try {
    const shown = await listOpenMovements(db, { chainId, limit: MOST_SHOWN })
    return [...shown, ...(shown.length < MOST_SHOWN ? [] : await findOldest(db, chainId))].map(viewOf)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return []
    throw error
  }
}

/** Behind as many as are shown: whoever calls all of them known has to name it. */
async function findOldest(db: Queryable, chainId: number): Promise<SeenMovement[]> {
  const { count, oldest } = await countOpenMovements(db, { chainId })
  if (oldest === null || count <= MOST_SHOWN) return []
  const between = `(the oldest; ${count - MOST_SHOWN - 1} between it and those named here are not shown)`
  const found = await listOpenMovements(db, { chainId, limit: 1, upTo: oldest })
  return found.map((each) => ({ ...each, details: `${each.details} ${between}` }))
}

function viewOf({ details, seenBlock, seenAt, ...name }: SeenMovement): MovementView {
  return { movement: nameOf(name), details, seenBlock: String(seenBlock), seenAt: seenAt.toISOString() }
}

const nameOf = ({ chainId, movementId }: Pick<SeenMovement, 'chainId' | 'movementId'>) => `${chainId}/${movementId}`

/** @throws OperatorError CONFLICT where something was seen there that is not called known; or what is, is not there: a number that is too great would call known what comes */
export async function requireKnown(db: Queryable, chainIds: readonly number[], known: Known): Promise<void> {
  const unknown: SeenMovement[] = []
  const newest: string[] = []
  let all = 0
  for (const chainId of chainIds) {
    const { upTo, from } = known.get(chainId) ?? {}
    for (const named of [upTo, from])
      if (named !== undefined && !(await isMovement(db, chainId, named))) throw noMovement(chainId, named)
    if (upTo !== undefined && from !== undefined) await requireSeen(db, chainId, { upTo, from })
    const open = await listOpenMovements(db, { chainId, limit: MOST_SAID })
    const { count } = await countOpenMovements(db, { chainId })
    all += count - (upTo === undefined ? 0 : (await countOpenMovements(db, { chainId, upTo })).count)
    if (open[0] !== undefined) newest.push(nameOf(open[0]))
    unknown.push(...open.filter(({ movementId }) => movementId > (upTo ?? 0n)))
  }
  if (unknown.length === 0) return
  const said = unknown
    .slice(0, MOST_SAID)
    .map((each) => `${nameOf(each)}, seen at ${each.seenAt.toISOString()}: ${each.details}.`)
  const rest = all - said.length
  const again =
    rest === 0
      ? `run it again with --known ${newest.join(',')}`
      : 'run it again with --known, by the oldest and the newest of each chain'
  const more = rest === 0 ? '' : `And ${rest} more. `
  const sentence = `Nobody here asked for this, and you have not called it known: ${said.join(' ')} ${more}Find out who did it ("coin chain status" lists all); once you know, ${again}.`
  throw new OperatorError('CONFLICT', sentence)
}

/** Whoever calls known more than a refusal says has seen all of it: then they can name the oldest, too. @throws OperatorError CONFLICT */
async function requireSeen(db: Queryable, chainId: number, { upTo, from }: { upTo: bigint; from: bigint }) {
  const { count, oldest } = await countOpenMovements(db, { chainId, upTo })
  if (count <= MOST_SAID || oldest === null || from <= oldest) return
  const sentence = `Up to ${nameOf({ chainId, movementId: upTo })} there are ${count} that nobody here asked for, and ${count - MOST_SAID} of them you may not have seen: look at all with "coin chain status", then name the oldest besides the newest, as --known ${chainId}/OLDEST,${chainId}/${upTo}. Nothing was resumed.`
  throw new OperatorError('CONFLICT', sentence)
}

function noMovement(chainId: number, movementId: bigint): OperatorError {
  const sentence = `Nothing that was seen is called ${nameOf({ chainId, movementId })}: take the name from "coin chain status" or "coin reconcile". Nothing was resumed.`
  return new OperatorError('CONFLICT', sentence)
}

/** Ends what is called known on a chain. What came after it stays, and keeps settlement from going on. @returns their names */
export async function endKnown(tx: Queryable, chainId: number, known: Known): Promise<string[]> {
  const named = known.get(chainId)
  if (named === undefined) return []
  return (await endMovements(tx, chainId, named.upTo)).map((movementId) => nameOf({ chainId, movementId }))
}
