// engine: postgres
/**
 * Links on a coin that demands consent: what holders sign, what the linker can do with it, and what nobody can do
 * without it.
 */
// Runbook: A partner adds a customer's wallet
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type Anvil, startAnvil } from '../../contracts/tools/anvil.ts'
import { type Chain, connectChain } from '../../src/chain/chain.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, linkAccount, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import type { consentTypedData } from '../../src/chain/links.ts'
import { readView } from '../../src/chain/reads.ts'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import { deployChain, account as keyAccount, silent } from '../settlement/fixture.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { callOf, sendAs } from '../support/deployment.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'
import { addParty, type Party } from './world.ts'

type ConsentTypedData = ReturnType<typeof consentTypedData>

describe('a wallet on a coin that demands consent', () => {
  let anvil: Anvil
  let db: TestDatabase
  let chain: Chain
  let api: OperatorFixture
  let owner: Party
  let stranger: Party
  let holder: PrivateKeyAccount
  before(async () => {
    ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
    const config = await deployChain(anvil.rpcUrl, {}, { consentRequired: true })
    chain = connectChain(config, { db, logger: silent })
    api = await startOperator({ db, chains: [chain] })
  })
  beforeEach(async () => {
    ;[owner, stranger] = [await addParty(db), await addParty(db)]
    holder = privateKeyToAccount(generatePrivateKey())
  })
  after(async () => {
    await api.close()
    await db.close()
    await anvil.stop()
  })

  const post = (target: string, body: object) => api.call('POST', target, body)
  const askFor = async (party: Party, address: string = holder.address): Promise<ConsentTypedData> =>
    (await post('/wallets/consent', { customerId: party.customerId, address })).body.typedData
  /** What a wallet app does with the typed data. */
  const sign = async (data: ConsentTypedData, signer = holder) => ({
    consent: await signer.signTypedData(data as unknown as Parameters<typeof signer.signTypedData>[0]),
    deadline: data.message.deadline,
  })
  const add = (party: Party, rest: object = {}, address: string = holder.address) =>
    post('/wallets', { customerId: party.customerId, address, ...rest })
  const remove = (party: Party) => post('/wallets/remove', { customerId: party.customerId, address: holder.address })
  const isLinked = ({ integrationId, customerId }: Party, address: string = holder.address) =>
    chain.reader.isLinkedTo(address, linkAccount(integrationId, customerId))
  const recorded = async ({ customerId }: Party) =>
    (await db.query('select 1 from wallets where customer_id = $1 and address = $2', [customerId, holder.address]))
      .length
  const kept = async ({ customerId }: Party) => {
    const [row] = await db.query<{ consent: string | null; consent_deadline: bigint; linked_at: Date | null }>(
      'select consent, consent_deadline, linked_at from wallet_links where customer_id = $1 and address = $2',
      [customerId, holder.address],
    )
    return row
  }
  const asHolder = async (functionName: string, ...args: unknown[]) =>
    assert.ok(await sendAs(anvil, holder.address, chain.config.coin.address, callOf({ functionName, args })))

  it('is linked by what its holder signed, which is kept with the link', async () => {
    const data = await askFor(owner)
    assert.deepEqual(data.domain, {
      name: 'Coin',
      version: '1',
      chainId: 31_337,
      verifyingContract: chain.config.coin.address,
    })
    assert.deepEqual(data.message, {
      wallet: holder.address,
      account: linkAccount(owner.integrationId, owner.customerId),
      nonce: '0',
      deadline: data.message.deadline,
    })
    const days = (Number(data.message.deadline) - Date.now() / 1000) / 86_400
    assert.ok(days > 6.9 && days < 7.1, String(days))
    const signed = await sign(data)
    const { status, body } = await add(owner, signed)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(await isLinked(owner), true)
    const link = await kept(owner)
    assert.deepEqual([link?.consent, String(link?.consent_deadline)], [signed.consent, signed.deadline])
    assert.ok(link?.linked_at)
    assert.deepEqual((await add(owner)).body.links, [{ chainId: 31_337, txHash: null }])
  })

  it('takes signatures as wallets print them, and nothing else for one', async () => {
    const signed = await sign(await askFor(owner))
    for (const [wrong, says] of [
      [{ consent: signed.consent }, /give --consent and --deadline/],
      [{ deadline: signed.deadline }, /give --consent and --deadline/],
      [{ consent: 'yes!', deadline: signed.deadline }, /0x and hexadecimal digits/],
      [{ consent: `${signed.consent}a`, deadline: signed.deadline }, /0x and hexadecimal digits/],
      [{ consent: signed.consent, deadline: 'tomorrow' }, /seconds since 1970/],
    ] as const) {
      const { status, body } = await add(owner, wrong)
      assert.equal(status, 400)
      assert.match(body.error.message, says)
    }
    const upper = { ...signed, consent: `0x${signed.consent.slice(2).toUpperCase()}` }
    assert.equal((await add(owner, upper)).status, 200)
  })

  it('is not linked without, and nothing is recorded', async () => {
    const { status, body } = await add(owner)
    assert.equal(status, 409)
    assert.match(
      body.error.message,
      /On chain 31337 a wallet is linked only with its holder's consent: .*"coin wallet consent --customer ID --address ADDRESS"/,
    )
    assert.deepEqual([await isLinked(owner), await recorded(owner), await kept(owner)], [false, 0, undefined])
  })

  it('is not linked by a consent of somebody else, for somebody else, changed, used or late', async () => {
    const thief = privateKeyToAccount(generatePrivateKey())
    const data = await askFor(owner)
    const good = await sign(data)
    const late = { ...data, message: { ...data.message, deadline: '1000' } } as ConsentTypedData
    for (const [wrong, says] of [
      [await sign(data, thief), /not a signature of the holder/],
      [await sign(await askFor(stranger)), /not a signature of the holder/],
      [await sign(await askFor(owner, thief.address)), /not a signature of the holder/],
      [{ ...good, deadline: String(BigInt(good.deadline) + 1n) }, /not a signature of the holder/],
      [await sign(late), /deadline of the consent has passed/],
    ] as const) {
      const { status, body } = await add(owner, wrong)
      assert.equal(status, 409)
      assert.match(body.error.message, says)
      assert.deepEqual([await isLinked(owner), await recorded(owner)], [false, 0])
    }
    assert.equal((await add(owner, good)).status, 200)
    assert.equal((await remove(owner)).status, 200)
    const used = await add(owner, good)
    assert.equal(used.status, 409)
    assert.equal(await isLinked(owner), false)
  })

  it('whose consent is wrong is refused when it is asked for, before anybody else is to approve it', async () => {
    const asker = await api.person('onboarding')
    const eyes = await startOperator({ db, chains: [chain], fourEyes: true })
    const ask = (rest: object) =>
      eyes.call(
        'POST',
        '/wallets',
        { customerId: owner.customerId, address: holder.address, ...rest },
        { authorization: `Bearer ${asker.token}` },
      )
    const data = await askFor(owner)
    const wrong = await ask(await sign(data, privateKeyToAccount(generatePrivateKey())))
    assert.equal(wrong.status, 409, JSON.stringify(wrong.body))
    assert.match(wrong.body.error.message, /not a signature of the holder/)
    assert.equal((await ask(await sign(data))).status, 202)
    await eyes.close()
    assert.deepEqual([await isLinked(owner), await kept(owner)], [false, undefined])
  })

  it("of another partner's customer is not linked to one's own, whatever the operator says", async () => {
    assert.equal((await add(owner, await sign(await askFor(owner)))).status, 200)
    assert.match((await add(stranger)).body.error.message, new RegExp(`is a wallet of ${owner.customerId}`))
    const shared = await add(stranger, { shared: true })
    assert.equal(shared.status, 409)
    assert.match(shared.body.error.message, /only with its holder's consent/)
    const stolen = await kept(owner)
    const again = { shared: true, consent: stolen?.consent, deadline: String(stolen?.consent_deadline) }
    assert.equal((await add(stranger, again)).status, 409)
    assert.deepEqual([await isLinked(stranger), await recorded(stranger)], [false, 0])
    const own = await sign(await askFor(stranger))
    assert.equal((await add(stranger, { shared: true, ...own })).status, 200)
    assert.deepEqual([await isLinked(stranger), await isLinked(owner)], [true, true])
    assert.equal((await kept(stranger))?.consent, own.consent)
  })

  it('whose command was killed between chain and database is recorded by repeating it, consent and all', async () => {
    const { admin } = chain
    const linkWallet = admin.linkWallet
    const signed = await sign(await askFor(owner))
    admin.linkWallet = async (link) => {
      await linkWallet(link)
      throw new ChainUnreadableError('cut off')
    }
    const cut = await add(owner, signed)
    admin.linkWallet = linkWallet
    assert.equal(cut.status, 502)
    assert.deepEqual([await isLinked(owner), await recorded(owner)], [true, 0])
    const { status, body } = await add(owner)
    assert.deepEqual([status, body.links], [200, [{ chainId: 31_337, txHash: null }]])
    assert.equal(await recorded(owner), 1)
    assert.equal((await kept(owner))?.consent, signed.consent)
  })

  it('whose command was killed before the chain is linked by repeating it without the consent', async () => {
    const { admin } = chain
    const linkWallet = admin.linkWallet
    admin.linkWallet = () => Promise.reject(new ChainUnreadableError('cut off'))
    await add(owner, await sign(await askFor(owner)))
    admin.linkWallet = linkWallet
    assert.equal(await isLinked(owner), false)
    assert.equal((await add(owner)).status, 200)
    assert.deepEqual([await isLinked(owner), await recorded(owner)], [true, 1])
  })

  it('is removed from its customer and unlinked, again after being cut off, and linked anew by a new consent alone', async () => {
    await add(owner, await sign(await askFor(owner)))
    const { admin } = chain
    const unlinkWallet = admin.unlinkWallet
    admin.unlinkWallet = () => Promise.reject(new ChainUnreadableError('cut off'))
    assert.equal((await remove(owner)).status, 502)
    admin.unlinkWallet = unlinkWallet
    assert.deepEqual([await isLinked(owner), await recorded(owner)], [true, 0])
    const { status, body } = await remove(owner)
    assert.equal(status, 200)
    assert.match(body.links[0].txHash, /^0x[0-9a-f]{64}$/)
    assert.deepEqual([await isLinked(owner), await kept(owner)], [false, undefined])
    assert.deepEqual((await remove(owner)).body.links, [{ chainId: 31_337, txHash: null }])
    const data = await askFor(owner)
    assert.notEqual(data.message.nonce, '0')
    assert.equal((await add(owner, await sign(data))).status, 200)
    assert.equal(await isLinked(owner), true)
  })

  it('that is primary is removed last', async () => {
    assert.equal((await add(owner, { primary: true, ...(await sign(await askFor(owner))) })).status, 200)
    const refused = await remove(owner)
    assert.equal(refused.status, 409)
    assert.match(refused.body.error.message, /make another one primary first/)
    assert.deepEqual([await isLinked(owner), await recorded(owner)], [true, 1])
  })

  it('that its holder unlinked is linked again by a new consent alone', async () => {
    await add(owner, await sign(await askFor(owner)))
    await asHolder('unlinkSelf')
    assert.equal(await isLinked(owner), false)
    assert.match((await add(owner)).body.error.message, /not a signature of the holder/)
    assert.equal((await add(owner, await sign(await askFor(owner)))).status, 200)
  })

  it('that is a contract without code to agree is never linked', async () => {
    for (const address of [chain.config.coin.address, chain.config.settlement])
      assert.equal((await add(owner, await sign(await askFor(owner)), address)).status, 400)
  })

  it('of a stranger cannot be linked and emptied with the operator token and every signing key', async () => {
    const { coin, settlement } = chain.config
    const victim = holder.address
    const mint = {
      kind: 0,
      from: `0x${'0'.repeat(40)}` as Address,
      to: victim,
      amount: 5_000_000n,
      tag: tag(1),
    } as const
    assert.ok(await settle(1n, NO_HISTORY, packInstructions([mint])))
    assert.equal((await add(owner, {}, victim)).status, 409)
    assert.equal((await add(owner, { consent: `0x${'11'.repeat(65)}`, deadline: '99999999999' }, victim)).status, 409)
    // Past the service, by its own keys: the linker alone, then the signer.
    const account = linkAccount(owner.integrationId, owner.customerId)
    const link = callOf({ functionName: 'linkWallet', args: [victim, account, 99_999_999_999n, '0x'] })
    assert.equal(await sendAs(anvil, keyAccount('linker').address, coin.address, link), false)
    const [, previous] = (await view(settlement, 'head')) as [bigint, Hex]
    const burn = { kind: 1, from: victim, to: mint.from, amount: 5_000_000n, tag: tag(2) } as const
    assert.ok(await settle(2n, previous, packInstructions([burn])))
    assert.equal(await view(coin.address, 'balanceOf', victim), 5_000_000n)
    assert.deepEqual([await isLinked(owner), await recorded(owner)], [false, 0])

    function view(address: Address, functionName: string, ...args: unknown[]) {
      const [node] = chain.nodes
      assert.ok(node)
      return readView(node, { address, abi: [...coinAbi, ...settlementAbi], functionName, args })
    }
    function settle(batchId: bigint, before: Hex, packed: Hex) {
      return sendAs(anvil, keyAccount('signer').address, settlement, encodeSettle(batchId, before, packed))
    }
  })
})

function tag(number: number): Hex {
  return `0x${number.toString(16).padStart(16, '0')}`
}
