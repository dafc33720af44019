/**
 * The sandbox's bank writes statements: it debits what the simulated rail was told to pay, and a moment after a mint is
 * settled the partner pays it. Statements arrive in the folder of the transport, as a real bank's do.
 */
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { readDetails } from '../../bank-details/bank-details.sql.ts'
import type { BankDetails } from '../../bank-details/bank-details.ts'
import { BANK_TIME_ZONE, localTime } from '../../bank-files/day.ts'
import { prepareFolders } from '../../bank-files/folder/layout.ts'
import { toSwiftText } from '../../bank-files/swift-text.ts'
import type { Queryable } from '../../db/database.ts'
import { findRemitter } from '../../integrations/remitters.sql.ts'
import { SEN_IN_MICRO } from '../../money.ts'
import { type Behaviour, DEBITED_LATE_MS, SLOW_MS } from '../../payouts/rails/simulated-accounts.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import { findLast } from '../../statements/chain.sql.ts'
import { findOwedMints, findPaidOut, type Owed, type PaidOut } from './movements.sql.ts'
import { DEMO_REMITTER, OTHER_REMITTER, SANDBOX_ACCOUNT } from './setup.ts'
import { type SimulatedLine, writeSimulatedStatement } from './statement.ts'

/** When a statement that was not taken is written once more: one that is set aside would be, again and again. */
const NOT_TAKEN_MS = 60_000

/** Makes the bank. @returns what puts the next statement into the folder, when something has happened or a day has begun */
export function createSimulatedBank(
  { db, secrets }: { db: Queryable; secrets: SecretBox },
  folder: string,
  now: () => Date = () => new Date(),
): () => Promise<void> {
  let written = { statementId: '', atMs: 0 }
  return async () => {
    const last = await findLast(db, SANDBOX_ACCOUNT.key)
    const statementId = `SIM-${(last?.position ?? 0n) + 1n}`
    const nowMs = now().getTime()
    if (written.statementId === statementId && Math.abs(nowMs - written.atMs) < NOT_TAKEN_MS) return
    const today = localTime(BANK_TIME_ZONE, now()).day
    const lines = await newLines(db, secrets)
    if (lines.length === 0 && last !== undefined && last.closedOn >= today) return
    const text = writeSimulatedStatement({
      statementId,
      account: SANDBOX_ACCOUNT.account,
      createdAt: now(),
      day: last !== undefined && last.closedOn > today ? last.closedOn : today,
      openingSen: (last?.closingMicro ?? 0n) / SEN_IN_MICRO,
      lines,
    })
    await deliver(folder, `${statementId}.xml`, text)
    written = { statementId, atMs: nowMs }
  }
}

async function newLines(db: Queryable, secrets: SecretBox): Promise<SimulatedLine[]> {
  const [paidOut, owed] = [await findPaidOut(db), await findOwedMints(db)]
  const due = paidOut.filter(({ isDebited, behaviour, ageMs }) => isDebited || ageMs >= delayOf(behaviour))
  const paid = await readDetails(
    db,
    secrets,
    due.map(({ bankId }) => bankId),
  )
  const demo = owed.length === 0 ? undefined : await findRemitter(db, secrets, DEMO_REMITTER)
  return [
    ...owed.map((mint) => creditOf(mint, mint.integrationId === demo)),
    ...due.map((payment) => lineOf(payment, paid.get(payment.bankId))),
  ]
}

/** A mint of part of a sen is paid with a whole one: banks move nothing smaller. */
function creditOf({ orderId, referenceId, amountMicro }: Owed, isDemo: boolean): SimulatedLine {
  return {
    reference: `SIMC${orderId}`,
    isCredit: true,
    amountSen: (amountMicro + SEN_IN_MICRO - 1n) / SEN_IN_MICRO,
    endToEndId: null,
    text: referenceId,
    party: { name: 'Sandbox Partner', account: isDemo ? DEMO_REMITTER : OTHER_REMITTER },
  }
}

function lineOf(
  { endToEndId, amountSen, reference, isDebited }: PaidOut,
  details: BankDetails | undefined,
): SimulatedLine {
  return {
    reference: `${isDebited ? 'SIMR' : 'SIMD'}${endToEndId}`,
    isCredit: isDebited,
    amountSen,
    endToEndId,
    text: isDebited ? 'RETURNED' : carried(reference),
    party: { name: carried(details?.name ?? ''), account: details?.account ?? '' },
  }
}

/** As a file of payments carries it: what a bank has no characters for never reaches its statement. */
function carried(text: string): string {
  return toSwiftText(text, '?')
}

function delayOf(behaviour: Behaviour | null): number {
  if (behaviour === 'slow') return SLOW_MS
  return behaviour === 'debitedLate' ? DEBITED_LATE_MS : 0
}

/** Under a hidden name until it is complete. */
async function deliver(folder: string, name: string, text: string): Promise<void> {
  const folders = await prepareFolders(fs, folder)
  const part = path.join(folders.in, `.${name}.part`)
  await fs.writeFile(part, text)
  await fs.rename(part, path.join(folders.in, name))
}
