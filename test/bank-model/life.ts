/** A life of a bank and of our side of it: some weeks of payments, what goes wrong in them, and the end, when everything is told. */
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { createRandom } from '../support/random.ts'
import { type Account, createAccount } from './account.ts'
import { createBank } from './bank.ts'
import { judgeEnd, judgeMoment } from './judge.ts'
import { createOperators } from './operators.ts'
import { createPayments } from './payments.ts'
import { type Backup, createService, type Service } from './service.ts'

const DAYS = 14
/** Rounds after the last day in which payouts that come back are paid again, until none is open. */
const LEAST_ROUNDS = 4
const MOST_ROUNDS = 25
const OPEN = `select 1 as found from payouts where status in ('queued', 'held', 'rejected', 'returned') limit 1`
/** Of what was told in the life's last days of the story an error is made of. */
const TOLD_LAST = 60

/** From this seed on the bank does more: the lives before it stay as they were when they found their faults. */
const RICH_FROM = 100
/** And from this one once more. */
const RICHER_FROM = 1_000
/** And from this one it also tells days again that it has told, and before they are over. */
const AGAIN_FROM = 10_000

/** What happened in a life, to be counted. */
export type Lived = { payments: number; files: number; restores: number }

/** Plays a life, the same for the same seed. @throws what the judge found, with what happened before it */
export async function playLife(seed: string): Promise<Lived> {
  const told: string[] = []
  const life = await createLife(seed, (what) => void told.push(what))
  try {
    for (let day = 0; day < DAYS; day += 1) await life.playDay()
    await life.end()
    return life.lived()
  } catch (error) {
    const story = told.slice(-TOLD_LAST).join('\n')
    throw new Error(`BANK_SEED=${seed}: ${error instanceof Error ? error.message : error}\n${story}`, { cause: error })
  } finally {
    await life.close()
  }
}

/** Withdraws what waits though others tell some of it, or all; and asks the bank once more for the rest. */
async function withdrawTold(db: Service['db'], account: Account, say: (what: string) => void): Promise<void> {
  const told = await db.query<{ statementNo: bigint; statementId: string; lines: bigint; told: bigint }>(
    `select s.statement_no as "statementNo", s.statement_id as "statementId", count(*) as lines,
       count(*) filter (where exists (select from bank_lines t join bank_statements a using (statement_no)
         where a.position is not null and t.servicer_reference = l.servicer_reference and t.bank_account = l.bank_account)) as told
     from bank_statements s join bank_lines l using (statement_no)
     where s.position is null and s.withdrawn_at is null and l.made_by is null group by 1, 2 order by 1`,
  )
  for (const { statementNo, statementId, ...of } of told) {
    if (of.told === 0n) continue
    say(`operator withdraws ${statementId}, of whose ${of.lines} lines others tell ${of.told}`)
    await db.transaction((tx) => withdrawStatement(tx, statementNo, 'others tell it'))
    if (of.told < of.lines) account.sendAgain(statementId)
  }
}

async function createLife(seed: string, say: (what: string) => void) {
  const random = createRandom(seed)
  const hasRestores = random.chance(0.6)
  /** How much of what is to do operators do on the same day. */
  const diligence = { assign: random.pick([0.5, 0.15]), tend: 0.5 }
  const service = await createService(random.fork('service'), say)
  const payments = createPayments(random.fork('payments'), service.ownerOf)
  const again = Number(seed) >= AGAIN_FROM ? random.fork('again') : undefined
  const account = createAccount(random.fork('account'), payments, again)
  const does = { isRich: Number(seed) >= RICH_FROM, isRicher: Number(seed) >= RICHER_FROM }
  const bank = createBank(random.fork('bank'), { payments, account, say, ...does })
  const people = { random: random.fork('operators'), payByHand: !hasRestores }
  const operators = createOperators({ ...people, service, bank, account, payments, say })
  let backups: (Backup & { said: number })[] = []
  let step = 0
  let restores = 0

  const setDay = (isLate = false) => service.setDay(account.day(), isLate)
  const judge = () => judgeMoment(service)
  /** The bank's day ends, and what is due of its files comes. @param all whatever it ever wrote */
  async function endDay(all = false): Promise<void> {
    account.closeDay(step)
    setDay()
    await service.take(account.takeDue(all ? Number.POSITIVE_INFINITY : step))
  }

  async function restore(): Promise<void> {
    const backup = random.pick(backups)
    const isEarly = random.chance(0.4)
    say(`restore to what was backed up as ${backup.copy}${isEarly ? ', the bank first' : ''}`)
    restores += 1
    const lost = operators.forgetFrom(backup.said)
    await service.restore(backup, () => operators.retryAgain(lost), isEarly)
    for (let round = 0; round < 3; round += 1) {
      await operators.sayAgain(lost)
      await service.pay()
    }
    // What was backed up later is of a history that never was.
    backups = backups.slice(0, backups.indexOf(backup) + 1)
  }

  return {
    lived: (): Lived => ({ payments: payments.all().length, files: payments.files().size, restores }),
    close: service.close,

    async playDay(): Promise<void> {
      setDay(random.chance(0.3))
      say(`${account.day()}, step ${step}`)
      // The first statement opens the account in the books, so nothing is paid before it has come.
      for (let orders = step === 0 ? 0 : random.between(0, 3); orders > 0; orders -= 1) await service.order()
      await service.pay()
      await judge()
      for (const file of await service.handOver()) bank.receive(file)
      bank.move()
      for (const messageId of payments.files().keys()) if (random.chance(0.25)) account.report(messageId, step)
      await endDay()
      await judge()
      // What was under way when a disk was full is what a backup may hold half of.
      if (hasRestores && random.chance(service.hadFullDisk() ? 0.7 : 0.2))
        backups.push({ ...(await service.backUp()), said: operators.said() })
      await operators.tend(diligence)
      await judge()
      if (random.chance(0.5)) await service.pay()
      if (backups.length > 0 && random.chance(0.15)) await restore()
      await judge()
      step += 1
    },

    /** The bank carries out what waits, and gives nothing back any more; it tells everything, and operators do all that is to do. */
    async end(): Promise<void> {
      say('the end')
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        setDay()
        await service.pay()
        await service.file()
        for (const file of await service.handOver()) bank.receive(file)
        bank.settlePending()
        for (const messageId of payments.files().keys()) account.report(messageId, step)
        await endDay(true)
        await withdrawTold(service.db, account, say)
        await operators.tend({ assign: 1, tend: 1 })
        await judge()
        if (round >= LEAST_ROUNDS && (await service.db.query(OPEN)).length === 0) break
      }
      for (let day = 0; day < 2; day += 1) {
        await endDay(true)
        await withdrawTold(service.db, account, say)
        await operators.assign(1, true)
      }
      await judge()
      await judgeEnd(service, account, payments)
    },
  }
}
