// engine: postgres; only in test:long
/**
 * A restore between real processes, from a base backup and the archive of the log: the database is what it was some minutes ago, the chain,
 * the bank and the people are ahead of it. The service is started as the runbook says, nothing is minted or paid twice, and whom
 * somebody stopped meanwhile gets nothing.
 */
// Runbook: Backup and restore
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { waitFor } from '../support/wait-for.ts'
import { archiving, momentOf, restoreTo, takeBaseBackup } from './base-backup.ts'
import { CHAIN_ID, type GoingLive, startGoingLive } from './going-live.ts'
import { goLive, type Standing, standingOf } from './standing.ts'

const PATIENT = { timeoutMs: 120_000, everyMs: 300 }

let live: GoingLive
let standing: Standing
const { archive, settings } = archiving()

before(async () => {
  live = await startGoingLive('anvil', settings)
  standing = standingOf(live)
  await goLive(live)
})
after(() => live?.close())

const call = (method: string, url: string, body?: Record<string, unknown>) =>
  standing.call<Record<string, unknown>>(method, url, body)
const mint = (referenceId: string, amountMyr: string) =>
  call('POST', '/mints', { referenceId, amountMyr, fiatConfirmed: true })
const redeem = (referenceId: string, amountCoin: string) => call('POST', '/redeems', { referenceId, amountCoin })
const completed = (kind: 'mints' | 'redeems', referenceId: string) =>
  waitFor(
    `${referenceId} to be completed`,
    async () => (await call('GET', `/${kind}/${referenceId}`)).status === 'completed',
    PATIENT,
  )

type Books = { ok: boolean; supply: string; expected: string; differences: { kind: string }[] }
const reconcile = () => live.coin<Books>('Devi', 'reconcile')

const statusOf = async (referenceId: string) => (await call('GET', `/mints/${referenceId}`)).status

const listed = (what: 'payout' | 'approval', status: string) =>
  live.coin<{ payouts?: { payoutId: string }[]; approvals?: { approvalId: string }[] }>(
    ...(['Gita', what, 'list', '--status', status] as const),
  )

/** What the service has logged of commands since it was started first. */
function commandsLogged(): string[] {
  const lines = live.services.flatMap((service) => service.output().split('\n'))
  return lines.flatMap((line) => {
    if (!line.includes('"an operator ran a command"')) return []
    const { command, target } = JSON.parse(line) as { command: string; target: string }
    return [`${command} ${target}`]
  })
}

it('takes nobody’s money twice, and ends with books that agree', { timeout: 500_000 }, async () => {
  const people = { Esther: 'compliance', Faisal: 'compliance', Gita: 'treasury', Hana: 'treasury' }
  for (const [name, role] of Object.entries(people)) await live.hire(name, role)
  const backup = await takeBaseBackup(live.server, archive)
  await mint('early-mint', '1000')
  await completed('mints', 'early-mint')
  // At the moment of the restore its payout is refused; later it is asked for again, and paid.
  live.bank.script.push('refuse')
  await redeem('refused-redeem', '30')
  const refused = async () => (await listed('payout', 'rejected')).payouts?.[0]?.payoutId
  await waitFor('the refusal', async () => (await refused()) !== undefined, PATIENT)
  const payoutId = (await refused()) ?? assert.fail()
  const askedFor = await live.coin<{ approvalId: string }>('Gita', 'payout', 'retry', payoutId)
  // At the moment of the restore both are pending; later the redeem is carried out, and the mint is rejected.
  await live.coin('Devi', 'chain', 'pause', '--settlement-only')
  await redeem('early-redeem', '100.25')
  await mint('fraud-mint', '500')
  const moment = await momentOf(live.server, archive)

  await live.type('Hana', `coin approval approve '${askedFor.approvalId}'`)
  await live.coin('Gita', 'payout', 'retry', payoutId, '--approval', askedFor.approvalId)
  await completed('redeems', 'refused-redeem')
  const integrationId = await live.shells.variable('Mei Ling', 'integrationId')
  const fraud = `${integrationId}/fraud-mint`
  await live.coin('Devi', 'order', 'hold', fraud, '--reason', 'a stolen key')
  await live.approved('Esther', 'Faisal', 'order', 'reject', fraud, '--reason', 'a stolen key')
  assert.equal(await statusOf('fraud-mint'), 'failed')
  await live.approved('Aminah', 'Bala', 'chain', 'resume', '--settlement-only')
  await completed('redeems', 'early-redeem')
  await mint('lost-mint', '17')
  await completed('mints', 'lost-mint')
  await redeem('lost-redeem', '19')
  await completed('redeems', 'lost-redeem')
  const { supply } = await reconcile()
  assert.equal(live.bank.payments.size, 3)
  const asked = live.bank.requests.length

  // 1. Everything is stopped, and restored; then the owner prepares it.
  await standing.stop()
  await momentOf(live.server, archive)
  await restoreTo(live.server, backup, moment)
  await live.type('On the machine', `DATABASE_URL='${ownerUrl()}' COIN_ENVIRONMENT=live npm run -s migrate`)
  // 2. Operators alone: the log says whom somebody stopped.
  assert.ok(commandsLogged().includes(`order reject ${fraud}`), commandsLogged().join())
  assert.ok(commandsLogged().includes(`payout retry ${payoutId}`), commandsLogged().join())
  await standing.start({ COIN_ROLES: 'operator' })
  const { orders } = await live.coin<{ orders: { referenceId: string; status: string }[] }>('Devi', 'order', 'list')
  assert.deepEqual(
    orders.map(({ referenceId, status }) => `${referenceId} ${status}`),
    [
      'fraud-mint pending',
      'early-redeem pending',
      'refused-redeem processing',
      'early-mint completed',
      'first-mint completed',
    ],
  )
  // What has been approved and run since waits to be approved once more.
  assert.deepEqual(
    (await listed('approval', 'waiting')).approvals?.map((each) => each.approvalId),
    [askedFor.approvalId],
  )
  await live.type('Hana', `coin approval approve '${askedFor.approvalId}'`)
  await live.coin('Gita', 'payout', 'retry', payoutId, '--approval', askedFor.approvalId)
  await live.coin('Devi', 'order', 'hold', fraud, '--reason', 'a stolen key')
  await standing.stop()
  // 3. With the settler, until nothing holds it.
  await standing.start({ COIN_ROLES: 'settler,operator' })
  const heldFor = async () => {
    const metrics = await (await fetch(`${live.operatorUrl}/metrics`)).text()
    return new RegExp(`^settlement_held\\{chain="${CHAIN_ID}",reason="(.+)"\\} 1$`, 'm').exec(metrics)?.[1]
  }
  await waitFor('nothing to hold the settler', async () => (await heldFor()) === 'none', PATIENT)
  await live.approved('Esther', 'Faisal', 'order', 'reject', fraud, '--reason', 'a stolen key')
  await standing.stop()

  // 5. The others; the bank is asked about what it may have paid before it is told to pay.
  await standing.start()
  await completed('redeems', 'early-redeem')
  await completed('redeems', 'refused-redeem')
  assert.equal(await statusOf('fraud-mint'), 'failed')
  // 4. What the database has lost is listed, and posted again it is what it was.
  const unexplained = async () =>
    (await live.coin<{ batches: unknown[] }>('Devi', 'batch', 'list', '--unexplained')).batches.length
  assert.ok((await unexplained()) > 0)
  await mint('lost-mint', '17')
  await redeem('lost-redeem', '19')
  await completed('mints', 'lost-mint')
  await completed('redeems', 'lost-redeem')
  assert.equal(await unexplained(), 0)

  // 7.
  const books = await reconcile()
  assert.deepEqual([books.ok, books.supply, books.differences], [true, supply, []])
  assert.equal(live.bank.payments.size, 3)
  assert.deepEqual(live.bank.conflicts, [])
  // What was asked for again is one the bank has under its id.
  const again = live.bank.requests.slice(asked)
  assert.deepEqual(
    again.filter((request) => request.payoutId !== payoutId),
    [],
    'the bank was told to pay again',
  )
})

function ownerUrl(): string {
  const owner = { username: 'coin_owner', password: live.setting('secrets.env', 'OWNER_PASSWORD') }
  return Object.assign(new URL(live.server.url), { ...owner, pathname: '/stablecoin' }).href
}
