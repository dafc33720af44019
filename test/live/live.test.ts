// engine: postgres
/**
 * docs/GOING-LIVE.md is typed as it stands, from an empty machine to the first mint; then money goes to the bank, and a wallet is frozen.
 * What changes later is in `changes`. With LIVE_NODE=edr on Hardhat's chain instead of anvil.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ACCOUNT_NUMBER, type GoingLive, STEPS, startGoingLive } from './going-live.ts'
import { FUNDED, type Standing, standingOf } from './standing.ts'

let live: GoingLive
let standing: Standing

before(async () => {
  live = await startGoingLive(process.env.LIVE_NODE === 'edr' ? 'edr' : 'anvil')
  standing = standingOf(live)
})
after(() => live?.close())

/** What is done by hand between commands, by the step that asks for it. */
const BY_HAND: Readonly<Record<string, () => Promise<void>>> = {
  'Gas money': () => live.fund(FUNDED),
}

describe('docs/GOING-LIVE.md, from an empty machine to the first mint', () => {
  for (const { title, blocks } of STEPS) {
    it(title, async () => {
      await BY_HAND[title]?.()
      for (const block of blocks) await live.run(block)
    })
  }

  it('ends with books that agree, and an audit log that names everybody', async () => {
    const said = await live.type('Aminah', 'coin reconcile; coin audit verify')
    assert.match(said, /No differences/)
    const people = ['Aminah binti Ali', 'Bala Krishnan', 'Chong Mei Ling', 'Devi Nair']
    const actsOf = async (name: string) => {
      const { entries } = await live.coin<{ entries: { action: string; actor: string }[] }>(
        'Aminah',
        'audit',
        'list',
        '--actor',
        name,
      )
      assert.ok(entries.every(({ actor }) => actor === name))
      return entries.map(({ action }) => action)
    }
    const acts = await Promise.all(people.map(actsOf))
    assert.deepEqual(
      people.filter((_, index) => acts[index]?.length === 0),
      [],
    )
    // Whoever asked is not who approved.
    assert.ok(
      acts[2]?.includes('wallet.add') &&
        acts[3]?.includes('approval.approve') &&
        !acts[2]?.includes('approval.approve'),
    )
  })

  it('leaves nothing of this test unused', () => {
    assert.deepEqual(
      Object.keys(live.given).filter((name) => !live.used.has(name)),
      [],
    )
    for (const title of Object.keys(BY_HAND))
      assert.ok(
        STEPS.some((step) => step.title === title),
        title,
      )
  })
})

describe('the live service that stands there now', () => {
  it('lets nobody in with the first token, which its process still has', async () => {
    assert.equal(live.setting('service.env', 'OPERATOR_TOKEN'), '')
    const said = await live.coin<{ error: { code: string } }>('On the machine', 'whoami')
    assert.equal(said.error.code, 'UNAUTHORIZED')
  })

  it('redeems to the bank', async () => {
    await standing.call('POST', '/mints', { referenceId: 'second-mint', amountMyr: '1000', fiatConfirmed: true })
    await standing.completed('mints', 'second-mint')
    await standing.call('POST', '/redeems', { referenceId: 'first-redeem', amountCoin: '400.25' })
    await standing.completed('redeems', 'first-redeem')
    assert.equal(live.bank.payments.size, 1)
    const [request] = live.bank.requests
    assert.equal(request?.authorization, `Bearer ${live.setting('secrets.env', 'PAYOUT_TOKEN')}`)
    assert.match(request?.body ?? '', /"amount":"400\.25"/)
    assert.match(request?.body ?? '', new RegExp(ACCOUNT_NUMBER))
  })

  it('freezes a wallet, and lets it go when two agree', async () => {
    for (const name of ['Esther', 'Faisal']) await live.hire(name, 'compliance')
    assert.equal((await live.coin<{ ok: boolean }>('Devi', 'wallet', 'freeze', live.walletAddress)).ok, true)
    const permitted = () => live.coin<{ permitted: boolean }>('Devi', 'screening', 'check', live.walletAddress)
    assert.equal((await permitted()).permitted, false)
    const freed = await live.approved<{ ok: boolean }>('Esther', 'Faisal', 'wallet', 'unfreeze', live.walletAddress)
    assert.deepEqual([freed.ok, (await permitted()).permitted], [true, true])
  })

  it('stops cleanly, and has revealed no secret', async () => {
    await standing.stop()
    const told = live.services.map((one) => one.output()).join('\n')
    const files = ['keys.env', 'secrets.env']
      .map((file) => readFileSync(path.join(live.folder, file), 'utf8'))
      .join('\n')
    const secrets = [...files.matchAll(/^\w+_(?:KEY|TOKEN|PASSWORD)=(?:0x)?(.+)$/gm)].map(([, secret = '']) => secret)
    assert.ok(secrets.length > 12)
    for (const secret of [...secrets, await live.shells.variable('The partner', 'apiKey')])
      assert.ok(!told.includes(secret))
  })
})
