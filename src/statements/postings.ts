/** Lines as journal entries (pure). What belongs to a payout is booked with the payout's own life. */
import { addDays, BANK_OFFSET } from '../bank-files/day.ts'
import { type Account, accountOf } from '../ledger/accounts.ts'
import type { Entry } from '../ledger/postings.ts'
import type { Line } from './match.ts'

type BookedLine = Pick<Line, 'bankAccount' | 'place' | 'amountMicro' | 'bookedOn'>
type AssignedLine = BookedLine & Pick<Line, 'takenBack'>

/** The references of what happens to a line that was taken back before name how often it was. */
const again = (takenBack: number) => (takenBack === 0 ? '' : `/${takenBack + 1}`)

/** A line against the account that explains it. */
export function entryOfLine(line: BookedLine, explainedBy: Account, now: Date): Entry {
  const { bankAccount, place, amountMicro } = line
  return {
    reference: `statement/${place}`,
    effectiveAt: effectiveAtOf(line, now),
    lines: [
      { account: accountOf('reserve', bankAccount), amountMicro },
      { account: explainedBy, amountMicro: -amountMicro },
    ],
  }
}

/**
 * What an operator has explained is no longer unallocated.
 * @param chargesMicro of the line, what the bank has kept for itself: the issuer's own cost; below zero what it gave on top: the issuer's own, too
 */
export function entryOfAssignment(line: AssignedLine, explainedBy: Account, now: Date, chargesMicro = 0n): Entry {
  const { bankAccount, amountMicro } = line
  const charges = { account: accountOf('own_funds', bankAccount), amountMicro: chargesMicro }
  return {
    reference: referenceOf(line, true),
    effectiveAt: now,
    lines: [
      { account: accountOf('unallocated', bankAccount), amountMicro },
      { account: explainedBy, amountMicro: -amountMicro - chargesMicro },
      ...(chargesMicro === 0n ? [] : [charges]),
    ],
  }
}

/** The opposite of an assignment, so that nothing explains the line any more. */
export function entryOfUnassigned(line: AssignedLine, explainedBy: Account, now: Date, chargesMicro: bigint): Entry {
  const { lines } = entryOfAssignment(line, explainedBy, now, chargesMicro)
  return {
    reference: `statement/${line.place}/taken-back${again(line.takenBack)}`,
    effectiveAt: now,
    lines: lines.map(({ account, amountMicro }) => ({ account, amountMicro: -amountMicro })),
  }
}

/** A line that had no entry of its own, because what it paid was booked with the payment, is explained by nothing from now on. */
export function entryOfLineFreed(line: BookedLine, now: Date): Entry {
  return { ...entryOfLine(line, accountOf('unallocated', line.bankAccount), now), effectiveAt: now }
}

/** The reference of the entry by which a line belongs to what it belongs to. */
export function referenceOf({ place, takenBack }: Pick<Line, 'place' | 'takenBack'>, isAssigned: boolean): string {
  return isAssigned ? `statement/${place}/assigned${again(takenBack)}` : `statement/${place}`
}

/**
 * What a line belonged to is taken back: the opposite of the entry that said so, but the ringgit stays at the bank.
 * @param booked the lines of that entry
 */
export function entryOfTakingBack(line: AssignedLine, booked: Entry['lines'], now: Date): Entry {
  const { bankAccount, place } = line
  const reserve = accountOf('reserve', bankAccount)
  return {
    reference: `statement/${place}/taken-back${again(line.takenBack)}`,
    effectiveAt: now,
    lines: booked.map(({ account, amountMicro }) => ({
      account: account === reserve ? accountOf('unallocated', bankAccount) : account,
      amountMicro: -amountMicro,
    })),
  }
}

/** An assigned line shows what a rail had said before: what stood with the rail now stands with the bank. */
export function entryOfMove(
  { bankAccount, place, takenBack }: Pick<Line, 'bankAccount' | 'place' | 'takenBack'>,
  { from, amountMicro }: { from: Account; amountMicro: bigint },
  now: Date,
): Entry {
  return {
    reference: `statement/${place}/moved${again(takenBack)}`,
    effectiveAt: now,
    lines: [
      { account: accountOf('reserve', bankAccount), amountMicro },
      { account: from, amountMicro: -amountMicro },
    ],
  }
}

/** When a line took effect: the end of the bank's day on which it was booked, but not after now. */
export function effectiveAtOf({ bookedOn }: Pick<Line, 'bookedOn'>, now: Date): Date {
  const end = new Date(Date.parse(`${addDays(bookedOn, 1)}T00:00:00${BANK_OFFSET}`) - 1)
  return end > now ? now : end
}
