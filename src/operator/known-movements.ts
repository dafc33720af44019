/**
 * What was seen on chains that nobody here asked for, and up to which of it somebody calls it known who lets them go on: what comes between their look and their
 * command, nobody has looked at.
 */
import { DatabaseUnavailableError, type Queryable } from '../db/database.ts'
import { endMovements, isMovement, listOpenMovements, type SeenMovement } from '../settlement/tables/movements.sql.ts'
import { OperatorError } from './errors.ts'

export type MovementView = {
  /** As `coin reconcile` names it: chain and number. */
  movement: string
  details: string
  seenBlock: string
  seenAt: string
}

/** Of each chain, the newest movement that is called known. */
export type Known = ReadonlyMap<number, bigint>

const MOST_SHOWN = 10
const NAME = /^(\d{1,16})\/(\d{1,18})$/

/** Reads names as `chain/number`, with commas between them. @throws OperatorError BAD_REQUEST */
export function parseKnown(names: string | undefined): Known {
  const known = new Map<number, bigint>()
  for (const name of names?.split(',') ?? []) {
    const [, chain = '', number = ''] = NAME.exec(name.trim()) ?? []
    const sentence = '"known" names movements as "coin chain status" does, chain/number, with commas between them.'
    if (number === '') throw new OperatorError('BAD_REQUEST', sentence)
    const before = known.get(Number(chain))
    if (before === undefined || before < BigInt(number)) known.set(Number(chain), BigInt(number))
  }
  return known
}

/** The newest that nobody has called known; none without the database, as the chains can be looked at all the same. */
export async function viewMovements(db: Queryable, chainId: number): Promise<MovementView[]> {
  try {
    return (await listOpenMovements(db, { chainId, limit: MOST_SHOWN })).map(viewOf)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return []
    throw error
  }
}

function viewOf({ details, seenBlock, seenAt, ...name }: SeenMovement): MovementView {
  return { movement: nameOf(name), details, seenBlock: String(seenBlock), seenAt: seenAt.toISOString() }
}

const nameOf = ({ chainId, movementId }: Pick<SeenMovement, 'chainId' | 'movementId'>) => `${chainId}/${movementId}`

/** @throws OperatorError CONFLICT where something was seen there that is not called known; or what is, is not there: a number that is too great would call known what comes */
export async function requireKnown(db: Queryable, chainIds: readonly number[], known: Known): Promise<void> {
  const unknown: SeenMovement[] = []
  const newest: string[] = []
  for (const chainId of chainIds) {
    const upTo = known.get(chainId)
    if (upTo !== undefined && !(await isMovement(db, chainId, upTo))) throw noMovement(chainId, upTo)
    const open = await listOpenMovements(db, { chainId, limit: MOST_SHOWN })
    if (open[0] !== undefined) newest.push(nameOf(open[0]))
    unknown.push(...open.filter(({ movementId }) => movementId > (upTo ?? 0n)))
  }
  if (unknown.length === 0) return
  const said = unknown
    .slice(0, MOST_SHOWN)
    .map((each) => `${nameOf(each)}, seen at ${each.seenAt.toISOString()}: ${each.details}.`)
  const sentence = `Nobody here asked for this, and you have not called it known: ${said.join(' ')} Find out who did it ("coin reconcile" lists all); once you know, run it again with --known ${newest.join(',')}.`
  throw new OperatorError('CONFLICT', sentence)
}

function noMovement(chainId: number, movementId: bigint): OperatorError {
  const sentence = `Nothing that was seen is called ${nameOf({ chainId, movementId })}: take the name from "coin chain status" or "coin reconcile". Nothing was resumed.`
  return new OperatorError('CONFLICT', sentence)
}

/** Ends what is called known on a chain. What came after it stays, and keeps settlement from going on. @returns how many there were */
export async function endKnown(tx: Queryable, chainId: number, known: Known): Promise<number> {
  const upTo = known.get(chainId)
  return upTo === undefined ? 0 : await endMovements(tx, chainId, upTo)
}
