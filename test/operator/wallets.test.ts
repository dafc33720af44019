// engine: postgres; both in test:long
/** Wallets, screening and the stop, over two chains and customers of two partners. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { KeyActionLateError } from '../../src/chain/key-action-errors.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ChainDouble, chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addCustomer, addParty, someAddress } from './world.ts'

const OTHER_COIN = someAddress()
const OTHER_SETTLEMENT = someAddress()

let api: OperatorFixture
let first: ChainDouble
let second: ChainDouble
before(async () => {
  first = chainDouble(1)
  second = chainDouble(2, { coin: OTHER_COIN, settlement: OTHER_SETTLEMENT })
  api = await startOperator({ chains: [first.chain, second.chain] })
})
after(() => api.close())

const actions = async (count: number): Promise<string[]> => {
  const { entries } = (await api.call('GET', `/audit?limit=${count}`)).body
  return entries.map(({ action }: { action: string }) => action).reverse()
}

/** The audit entries that `work` wrote. */
async function auditOf(work: () => Promise<unknown>): Promise<{ action: string; target: string; details: object }[]> {
  const [newest] = (await api.call('GET', '/audit?limit=1')).body.entries
  await work()
  const { entries } = (await api.call('GET', '/audit?limit=500')).body
  return entries.filter(({ auditId }: { auditId: string }) => BigInt(auditId) > BigInt(newest?.auditId ?? 0)).reverse()
}

describe('a wallet', () => {
  let owner: string
  let sibling: string
  let stranger: string
  beforeEach(async () => {
    const party = await addParty(api.db)
    owner = party.customerId
    sibling = (await addCustomer(api.db, party.integrationId)).customerId
    stranger = (await addParty(api.db)).customerId
  })

  const add = (customerId: string, address: string, rest: object = {}) =>
    api.call('POST', '/wallets', { customerId, address, ...rest })
  const listed = async (customerId: string): Promise<Record<string, boolean>> => {
    const { wallets } = (await api.call('GET', `/wallets?customerId=${customerId}`)).body
    return Object.fromEntries(
      wallets.map(({ address, isPrimary }: { address: string; isPrimary: boolean }) => [address, isPrimary]),
    )
  }

  it('is linked on every chain, recorded for its customer alone, and told of before and after', async () => {
    const address = someAddress()
    const before = { sibling: await listed(sibling), stranger: await listed(stranger) }
    first.state.linked.add(address)
    let answer: Awaited<ReturnType<typeof add>> | undefined
    const entries = await auditOf(async () => {
      answer = await add(owner, address.toLowerCase())
    })
    assert.deepEqual(answer?.body, {
      ok: true,
      walletAddress: address,
      isPrimary: false,
      links: [
        { chainId: 1, txHash: null },
        { chainId: 2, txHash: `0x${'ab'.repeat(32)}` },
      ],
    })
    assert.ok(second.state.linked.has(address))
    assert.equal((await listed(owner))[address], false)
    assert.deepEqual({ sibling: await listed(sibling), stranger: await listed(stranger) }, before)
    assert.deepEqual(
      entries.map(({ action, target, details }) => ({ action, target, details })),
      [
        {
          action: 'wallet.add.begun',
          target: owner,
          details: { walletAddress: address, primary: false, shared: false },
        },
        {
          action: 'wallet.add',
          target: owner,
          details: {
            walletAddress: address,
            isPrimary: false,
            links: ['1:linked before', `2:0x${'ab'.repeat(32)}`],
          },
        },
      ],
    )
  })

  it('becomes primary of its own customer only', async () => {
    const address = someAddress()
    const theirs = await listed(sibling)
    assert.equal((await add(owner, address, { primary: true })).body.isPrimary, true)
    const mine = Object.entries(await listed(owner)).filter(([, isPrimary]) => isPrimary)
    assert.deepEqual(mine, [[address, true]])
    assert.deepEqual(await listed(sibling), theirs)
  })

  it('is not recorded while one chain has not linked it, and what was begun is told', async () => {
    const address = someAddress()
    second.state.failLinks = 1
    const entries = await auditOf(async () => {
      assert.equal((await add(owner, address)).status, 502)
    })
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['wallet.add.begun'],
    )
    assert.equal((await listed(owner))[address], undefined)
    assert.deepEqual((await add(owner, address)).body.links, [
      { chainId: 1, txHash: null },
      { chainId: 2, txHash: `0x${'ab'.repeat(32)}` },
    ])
  })

  it('of another customer is refused before any chain is told, whoever that customer belongs to', async () => {
    const address = someAddress()
    await add(owner, address)
    first.state.linked.clear()
    for (const customerId of [sibling, stranger]) {
      const refused = await add(customerId, address)
      assert.equal(refused.status, 409)
      assert.match(refused.body.error.message, new RegExp(owner))
      assert.equal(first.state.linked.size, 0)
    }
    assert.equal((await add(owner, address)).status, 200)
    assert.equal((await add(stranger, address, { shared: true })).status, 200)
    const [entry] = (await api.call('GET', '/audit?limit=2')).body.entries.reverse()
    assert.equal(entry.details.shared, true)
  })

  it('that somebody else got while it was being linked is refused at the end, too', async () => {
    const address = someAddress()
    const { admin } = first.chain
    const linkWallet = admin.linkWallet
    admin.linkWallet = async (linked) => {
      await api.db.query('insert into wallets (customer_id, address) values ($1, $2)', [stranger, address])
      return linkWallet(linked)
    }
    const refused = await add(owner, address)
    admin.linkWallet = linkWallet
    assert.equal(refused.status, 409)
    assert.equal((await listed(owner))[address], undefined)
  })

  it('is never a contract of the service, on whichever chain and however it is written', async () => {
    const addresses = [first.chain.config.coin.address, first.chain.config.settlement, OTHER_COIN, OTHER_SETTLEMENT]
    for (const address of [...addresses, OTHER_COIN.toLowerCase()]) {
      const refused = await add(owner, address)
      assert.equal(refused.status, 400)
      assert.match(refused.body.error.message, /is a contract of this service/)
    }
  })

  it('is linked on the chain that is named alone', async () => {
    const address = someAddress()
    const { body } = await add(owner, address, { chainId: 2 })
    assert.deepEqual(body.links, [{ chainId: 2, txHash: `0x${'ab'.repeat(32)}` }])
    assert.deepEqual([first.state.linked.has(address), second.state.linked.has(address)], [false, true])
    assert.equal((await add(owner, address, { chainId: 3 })).status, 404)
  })

  it('is linked by the consent for the chain that demands one, and asked for chain by chain', async () => {
    const address = someAddress()
    second.state.consentRequired = true
    second.state.linkNonce = 4n
    const consented = { consent: `0x${'5a'.repeat(65)}`, deadline: '99999999999' }
    assert.match((await add(owner, address)).body.error.message, /On chain 2 a wallet/)
    assert.equal((await add(owner, address, consented)).status, 200)
    assert.deepEqual(
      [first.state.consents.get(address), second.state.consents.get(address)],
      [undefined, { signature: consented.consent, deadline: 99_999_999_999n }],
    )
    const ask = (rest: object) => api.call('POST', '/wallets/consent', { customerId: owner, address, ...rest })
    const { message, domain } = (await ask({ chainId: 2 })).body.typedData
    assert.deepEqual([message.nonce, domain.chainId, domain.verifyingContract], ['4', 2, OTHER_COIN])
    const several = await ask({})
    assert.equal(several.status, 400)
    assert.match(several.body.error.message, /--chain: one of 1, 2/)
    second.state.consentRequired = false
  })

  it('is neither added nor removed where the linker key is missing, and nothing is changed before that is known', async () => {
    const address = someAddress()
    await add(owner, address)
    second.state.missingKeys.add('linker')
    const refusals = [
      await add(owner, someAddress()),
      await api.call('POST', '/wallets/remove', { customerId: owner, address }),
    ]
    second.state.missingKeys.clear()
    for (const { status, body } of refusals) {
      assert.equal(status, 409)
      assert.match(body.error.message, /no linker key for chain 2: add "linker" to that chain/)
    }
    assert.equal((await listed(owner))[address], false)
    assert.ok(first.state.linked.has(address))
  })

  it('is found in the audit log by its address, however it is written, with all that was done to it', async () => {
    const address = someAddress()
    const other = someAddress()
    for (const each of [address, other]) await add(owner, each)
    await api.call('POST', '/wallets/freeze', { address })
    await api.call('POST', '/screening/deny', { address })
    await api.call('POST', '/wallets/remove', { customerId: owner, address })
    const found = async (target: string) => {
      const { entries } = (await api.call('GET', `/audit?target=${target}&limit=100`)).body
      return entries.map(({ action }: { action: string }) => action).reverse()
    }
    const frozen = ['wallet.freeze.begun', 'wallet.freeze.begun', 'wallet.freeze', 'wallet.freeze']
    const told = await found(address)
    assert.deepEqual(told.slice(0, 2), ['wallet.add.begun', 'wallet.add'])
    assert.deepEqual(told.slice(2, 6).toSorted(), frozen.toSorted())
    assert.deepEqual(told.slice(6), ['screening.deny', 'wallet.remove.begun', 'wallet.remove'])
    assert.deepEqual(await found(address.toLowerCase()), told)
    assert.deepEqual(await found(other), ['wallet.add.begun', 'wallet.add'])
    await api.call('POST', '/wallets/unfreeze', { address })
  })

  it('is removed from its own customer only, and told of before and after', async () => {
    const address = someAddress()
    await add(owner, address)
    await add(stranger, address, { shared: true })
    const entries = await auditOf(async () => {
      const { body } = await api.call('POST', '/wallets/remove', { customerId: owner, address: address.toLowerCase() })
      const txHash = `0x${'cd'.repeat(32)}`
      const links = [1, 2].map((chainId) => ({ chainId, txHash }))
      assert.deepEqual(body, { ok: true, walletAddress: address, changed: true, links })
    })
    assert.deepEqual(
      entries.map(({ action, target }) => [action, target]),
      [
        ['wallet.remove.begun', owner],
        ['wallet.remove', owner],
      ],
    )
    assert.deepEqual([(await listed(owner))[address], (await listed(stranger))[address]], [undefined, false])
    const links = await api.db.query('select customer_id from wallet_links where address = $1', [address])
    assert.deepEqual([...new Set(links.map((row) => row.customer_id))], [stranger])
    assert.equal((await api.call('POST', '/wallets/remove', { customerId: 'cus_nobody', address })).status, 404)
  })

  it('that a customer does not have is removed without a change, and the answer says so', async () => {
    const address = someAddress()
    await add(owner, address)
    const remove = async (of: string) =>
      (await api.call('POST', '/wallets/remove', { customerId: owner, address: of })).body.changed
    assert.deepEqual([await remove(someAddress()), await remove(address), await remove(address)], [false, true, false])
    // Cut off between the database and the chains, it is finished by running it again.
    await add(owner, address)
    await api.db.query('delete from wallets where customer_id = $1 and address = $2', [owner, address])
    assert.equal(await remove(address), true)
    // Cut off before anything was linked, its consent is forgotten.
    await api.db.query('insert into wallet_links (customer_id, address, chain_id) values ($1, $2, 1)', [owner, address])
    assert.deepEqual([await remove(address), await remove(address)], [true, false])
  })

  it('is listed for a customer that there is', async () => {
    assert.equal((await api.call('GET', '/wallets?customerId=cus_nobody')).status, 404)
  })
})

describe('a frozen address', () => {
  it('is frozen on every chain, freed on every chain, and both are told', async () => {
    const address = someAddress()
    const done = (chainId: number) => ({ chainId, ok: true, txHash: null, error: null })
    for (const [verb, frozen] of [
      ['freeze', true],
      ['unfreeze', false],
    ] as const) {
      const entries = await auditOf(async () => {
        const { body } = await api.call('POST', `/wallets/${verb}`, { address: address.toLowerCase() })
        assert.deepEqual(body, { ok: true, walletAddress: address, chains: [done(1), done(2)] })
      })
      assert.deepEqual([first.state.frozen.has(address), second.state.frozen.has(address)], [frozen, frozen])
      assert.deepEqual(entries.map(({ action, target }) => `${action} ${target}`).sort(), [
        `wallet.${verb} 1`,
        `wallet.${verb} 2`,
        `wallet.${verb}.begun 1`,
        `wallet.${verb}.begun 2`,
      ])
      assert.deepEqual(entries[0]?.details, { walletAddress: address })
    }
  })

  it('is one', async () => {
    assert.equal((await api.call('POST', '/wallets/freeze', { address: '0x12' })).status, 400)
  })
})

describe('live', () => {
  it('links nothing without consent, on whichever coin', async () => {
    const chain = chainDouble(1)
    const live = await startOperator({ chains: [chain.chain], environment: 'live' })
    try {
      const { customerId } = await addParty(live.db)
      const address = someAddress()
      const refused = await live.call('POST', '/wallets', { customerId, address })
      assert.equal(refused.status, 409)
      assert.match(refused.body.error.message, /only with its holder's consent/)
      assert.equal(chain.state.linked.size, 0)
    } finally {
      await live.close()
    }
  })
})

describe('screening', () => {
  const check = async (address: string) => (await api.call('GET', `/screening/check?address=${address}`)).body

  it('denies one address, however it is written, and no other', async () => {
    const [denied, other] = [someAddress(), someAddress()]
    assert.equal((await api.call('POST', '/screening/deny', { address: denied.toLowerCase() })).body.changed, true)
    const checked = await check(denied)
    assert.deepEqual([checked.denied, checked.permitted, typeof checked.deniedSince], [true, false, 'string'])
    assert.deepEqual([(await check(other)).denied, (await check(other)).permitted], [false, true])
    assert.equal((await api.call('POST', '/screening/allow', { address: other })).body.changed, false)
    assert.equal((await check(denied)).permitted, false)
    assert.equal((await api.call('POST', '/screening/allow', { address: denied })).body.changed, true)
    assert.deepEqual([(await check(denied)).permitted, (await check(denied)).deniedSince], [true, null])
    assert.deepEqual(await actions(3), ['screening.deny', 'screening.allow', 'screening.allow'])
  })

  it('permits only what no chain has frozen and no oracle names', async () => {
    for (const list of [first.state.frozen, second.state.frozen, first.state.sanctioned, second.state.sanctioned]) {
      const address = someAddress()
      list.add(address)
      assert.equal((await check(address)).permitted, false)
    }
    const frozenOnSecond = someAddress()
    second.state.frozen.add(frozenOnSecond)
    assert.deepEqual((await check(frozenOnSecond)).chains, [
      { chainId: 1, frozen: false, sanctioned: false },
      { chainId: 2, frozen: true, sanctioned: false },
    ])
  })
})

describe('the stop', () => {
  const call = (verb: string, body: object) => api.call('POST', `/chains/${verb}`, body)
  const done = (chainId: number) => ({ chainId, ok: true, txHash: null, error: null })
  const paused = () => [first.state.paused, second.state.paused]

  it('reaches every chain, or the one that is named', async () => {
    assert.deepEqual((await call('pause', {})).body, { ok: true, chains: [done(1), done(2)] })
    assert.deepEqual(paused(), [true, true])
    assert.deepEqual((await call('resume', { chainId: 2 })).body, { ok: true, chains: [done(2)] })
    assert.deepEqual(paused(), [true, false])
    await call('resume', { chainId: 1 })
    assert.deepEqual(paused(), [false, false])
    const refused = await call('pause', { chainId: 3 })
    assert.equal(refused.status, 404)
    assert.match(refused.body.error.message, /chain 3 is not configured\. Configured: 1, 2\./)
    assert.equal((await call('pause', { chainId: 0 })).status, 400)
  })

  it('is of settlement alone when that is asked for', async () => {
    await call('pause', { settlementOnly: true })
    assert.deepEqual(
      [paused(), first.state.settlementPaused, second.state.settlementPaused],
      [[false, false], true, true],
    )
    await call('resume', { settlementOnly: true, chainId: 1 })
    assert.deepEqual([first.state.settlementPaused, second.state.settlementPaused], [false, true])
    await call('resume', {})
    assert.equal(second.state.settlementPaused, false)
  })

  it('waits on no chain for another, and tells what did not work beside what did', async () => {
    const { admin } = first.chain
    const pause = admin.pause
    const late = Promise.withResolvers<undefined>()
    admin.pause = () => late.promise
    let result: unknown
    const entries = await auditOf(async () => {
      const asked = call('pause', {})
      await waitFor('the other chain to be paused', () => second.state.paused)
      late.reject(new KeyActionLateError('The bytes stay with the nodes'))
      result = (await asked).body
    })
    admin.pause = pause
    const error = 'The bytes stay with the nodes.'
    assert.deepEqual(result, { ok: false, chains: [{ chainId: 1, ok: false, txHash: null, error }, done(2)] })
    assert.deepEqual(entries.map(({ action, target }) => `${action} ${target}`).sort(), [
      'chain.pause 2',
      'chain.pause.begun 1',
      'chain.pause.begun 2',
    ])
    await call('resume', {})
  })

  it('says which key is missing, and where', async () => {
    const { admin } = second.chain
    const unpause = admin.unpause
    admin.unpause = async () => admin.requireKey('unpauser') as undefined
    second.state.missingKeys.add('unpauser')
    const { body } = await call('resume', {})
    second.state.missingKeys.clear()
    admin.unpause = unpause
    assert.deepEqual(body.chains[0], done(1))
    assert.equal(
      body.chains[1].error,
      'This process has no unpauser key for chain 2: add "unpauser" to that chain in its chains file, or run the command where it is.',
    )
  })

  it('shows whether chains can be read and are as configured', async () => {
    const status = async () => (await api.call('GET', '/chains')).body
    assert.equal((await status()).ok, true)
    first.state.findings = [{ text: 'freezer of the coin: 0x1 is missing.', danger: false }]
    assert.deepEqual([(await status()).ok, (await status()).chains[0].findings], [true, first.state.findings])
    first.state.findings = [{ text: 'signer of the settlement: 0x1 should not be.', danger: true }]
    assert.deepEqual(
      (await status()).chains.map(({ ok, error }: { ok: boolean; error: string | null }) => [ok, error]),
      [
        [false, 'The contracts are not as the chains file says: find out who changed that.'],
        [true, null],
      ],
    )
    first.state.findings = []
    second.state.readable = false
    const { ok, chains } = await status()
    second.state.readable = true
    assert.deepEqual([ok, chains[0].ok, chains[1].ok, chains[1].head], [false, true, false, null])
  })
})
