/** The books as the sandbox's operator sees them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatAmount, parseAmount, SEN_IN_MICRO } from '../../money.ts'
import type { Printer } from './printer.ts'

const WAIT_MS = 30_000
const LOOK_EVERY_MS = 500
const SHOWN = /^(reserve|mint_receivable|coins|payout_clearing|residual|unallocated):/

/** What every account comes to, in micro units, by its name such as `reserve:sandbox`. */
type Books = ReadonlyMap<string, bigint>
export type ReadBooks = () => Promise<Books>

/** @returns undefined when no operator API answers there */
export async function openBooks(operatorUrl: string, token: string): Promise<ReadBooks | undefined> {
  const read: ReadBooks = async () => {
    const response = await fetch(`${operatorUrl}/operator/v1/ledger/balances`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(5_000),
    })
    if (!response.ok) throw new Error(`the operator API answered ${response.status}`)
    const { accounts } = (await response.json()) as { accounts: { account: string; owner: string; balance: string }[] }
    return new Map(accounts.map(({ account, owner, balance }) => [`${account}:${owner}`, microOf(balance)]))
  }
  return await read().then(
    () => read,
    () => undefined,
  )
}

/** Waits for the bank's statement and shows what the books come to. @returns whether they balance */
export async function showBooks(printer: Printer, read: ReadBooks): Promise<boolean> {
  printer.step("The bank's statement: the partner's ringgit has arrived, the payout has left")
  const deadline = performance.now() + WAIT_MS
  let books = await read()
  while (!checksOf(books).every(([, holds]) => holds) && performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS)
    books = await read()
  }
  for (const [name, balanceMicro] of [...books].sort()) {
    if (SHOWN.test(name)) printer.note(`${name.padEnd(46)} ${formatAmount(balanceMicro)}`)
  }
  const checks = checksOf(books)
  for (const [text, holds] of checks) printer.check(text, holds)
  return checks.every(([, holds]) => holds)
}

/** Parts of a sen are never at the bank. */
function checksOf(books: Books): [string, boolean][] {
  const sum = (kind: string) =>
    [...books].reduce((total, [name, balanceMicro]) => (name.startsWith(`${kind}:`) ? total + balanceMicro : total), 0n)
  return [
    ['there is ringgit at the bank', sum('reserve') > 0n],
    ['every mint was paid for', sum('mint_receivable') < SEN_IN_MICRO],
    ['no payout is on its way', sum('payout_clearing') === 0n],
    ['the ringgit at the bank covers the coin', sum('reserve') + sum('coins') > -SEN_IN_MICRO],
  ]
}

function microOf(balance: string): bigint {
  const isNegative = balance.startsWith('-')
  const parsed = parseAmount(isNegative ? balance.slice(1) : balance)
  if (!parsed.ok) return 0n
  return isNegative ? -parsed.amountMicro : parsed.amountMicro
}
