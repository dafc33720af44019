/**
 * The way on when the bank has issued a statement again that was applied, with another closing balance: what it has corrected is booked as
 * a line that nothing explains, or several, between that statement and the one that waits. Likewise without a line, where the balances agree and the bank
 * has left out a number.
 */
import { contentHashOf } from '../bank-files/definitions.ts'
import type { Queryable } from '../db/database.ts'
import { sayRinggit } from '../money.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { applyFollowing, findLast, findSame, type Last } from './chain.sql.ts'
import { digestOf } from './digest.ts'
import type { NewStatement } from './statement.ts'
import { insertImport, insertStatement, lockRecording } from './store.sql.ts'
import { findFirstWaiting, findWaiting, missingNumbers, type WaitingStatement } from './waiting.sql.ts'

export type Bridged =
  | { result: 'bridged'; bankAccount: string; statementId: string; differenceMicro: bigint }
  | { result: 'not_waiting' }
  /** What was written must not stay. */
  | { result: 'refused'; sentence: string }

/**
 * Bridges the difference before a statement that waits, which is applied then, with all that follow.
 * @param differenceMicro what the one that waits opens with beyond what the last one closed with, as whoever approved it has seen it
 * @param partsMicro of which lines it consists, where several things were corrected; otherwise it is one
 */
export async function bridgeStatement(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  statementNo: bigint,
  differenceMicro: bigint,
  partsMicro: readonly bigint[] = [],
): Promise<Bridged> {
  // Nobody applies a statement meanwhile.
  await lockRecording(tx)
  const next = await findWaiting(tx, statementNo)
  if (next === undefined) return { result: 'not_waiting' }
  const [last, first] = [await findLast(tx, next.bankAccount), await findFirstWaiting(tx, next.bankAccount)]
  const sentence = last === undefined ? 'No statement of its account was applied yet.' : whyNot(last, next, first)
  if (last === undefined || sentence !== undefined) return { result: 'refused', sentence: sentence ?? '' }
  const dueMicro = next.openingMicro - last.closingMicro
  if (dueMicro !== differenceMicro) {
    return { result: 'refused', sentence: `The difference is ${sayRinggit(dueMicro)}, not what you gave.` }
  }
  const wrongParts = whyNotOf(partsMicro, dueMicro)
  if (wrongParts !== undefined) return { result: 'refused', sentence: wrongParts }
  const usual = bridgeBetween(last, next, partsMicro)
  // The bank may correct the same twice on a day, or have given that name itself.
  const isTaken = (await findSame(tx, usual)) !== undefined
  const bridge = isTaken ? bridgeBetween(last, next, partsMicro, Number(last.position)) : usual
  const contentHash = contentHashOf(
    new TextEncoder().encode(`bridge/${bridge.bankAccount}/${last.position}/${statementNo}`),
  )
  const file = { contentHash, name: `bridge to ${next.statementId}`, definition: 'bridge', messageId: contentHash }
  await insertImport(tx, { ...file, refusal: null })
  await insertStatement(tx, secrets, bridge, contentHash)
  await applyFollowing(tx, bridge.bankAccount)
  if ((await findLast(tx, bridge.bankAccount))?.statementId === bridge.statementId) {
    return { result: 'refused', sentence: sayAgain(last) }
  }
  return { result: 'bridged', bankAccount: bridge.bankAccount, statementId: bridge.statementId, differenceMicro }
}

function whyNot(last: Last, next: WaitingStatement, first: WaitingStatement | undefined): string | undefined {
  if (first?.statementNo !== next.statementNo)
    return `${first?.statementId ?? '?'} waits before it: see to that one first.`
  const missing = missingNumbers({ sequence: next.sequence, lastSequence: last.sequence })
  const isFollowing = next.openingMicro === last.closingMicro
  if (missing !== '' && !isFollowing) return `The bank's ${missing} is missing: ask for that statement.`
  if (next.closedOn < last.closedOn) return `It closes before ${last.statementId}, which was applied: withdraw it.`
  // It would have been applied.
  if (missing === '' && isFollowing)
    return `It opens with the last closing balance, so there is nothing to bridge. ${sayAgain(last)}`
  return undefined
}

function sayAgain({ closedOn }: Last): string {
  return `It tells again what was told up to ${closedOn}: withdraw it, and ask the bank for one that begins after that.`
}

function whyNotOf(partsMicro: readonly bigint[], dueMicro: bigint): string | undefined {
  if (partsMicro.length === 0) return undefined
  if (dueMicro === 0n) return 'There is no difference that could consist of parts: nothing is booked.'
  const partedMicro = partsMicro.reduce((sum, each) => sum + each, 0n)
  return partedMicro === dueMicro
    ? undefined
    : `The parts come to ${sayRinggit(partedMicro)}, and not to the difference.`
}

/**
 * Dated as the statement before it, and counted as that one; as the last of the numbers that are missing, where nothing else is.
 * @param serial tells it from one that has bridged the same before, in its name and as the place of its lines
 */
function bridgeBetween(last: Last, next: WaitingStatement, partsMicro: readonly bigint[], serial = 1): NewStatement {
  const amountMicro = next.openingMicro - last.closingMicro
  const isNumber = amountMicro === 0n
  const day = last.closedOn
  const parts = partsMicro.length > 0 ? partsMicro : [amountMicro]
  const lines = isNumber ? [] : parts.map((part, index) => lineOf(part, day, { entry: serial, detail: index + 1 }))
  const head = {
    bankAccount: next.bankAccount,
    openedOn: day,
    closedOn: day,
    openingMicro: last.closingMicro,
    closingMicro: next.openingMicro,
  }
  const name = `${last.statementId}-${isNumber ? 'skipped' : 'corrected'}`
  const statementId = serial === 1 ? name : `${name}-${serial}`
  const sequence = isNumber ? String(BigInt(next.sequence ?? '') - 1n) : last.sequence
  return { ...head, statementId, sequence, lines, digest: digestOf(head, lines) }
}

/** It has no words, so that it is taken for nobody's money. */
function lineOf(
  amountMicro: bigint,
  day: string,
  place: { entry: number; detail: number },
): NewStatement['lines'][number] {
  return {
    ...place,
    amountMicro,
    bookedOn: day,
    valueOn: day,
    isReversal: false,
    servicerReference: null,
    endToEndId: null,
    remittance: '',
    remitterName: null,
    remitterAccount: null,
    returnCode: null,
    ownAccount: null,
    together: null,
  }
}
