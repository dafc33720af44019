/**
 * A service with a real chain, a bank, couriers and two partners, and the people who operate it with commands: every act of
 * consequence needs two of them. What is done about one partner must leave the other alone.
 */

import assert from 'node:assert/strict'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '../../../src/chain/chain.ts'
import { createLedgerSealer } from '../../../src/ledger/sealer.ts'
import { SEALED_AUDIT } from '../../../src/operator/sealed-audit.sql.ts'
import { createPayer } from '../../../src/payouts/payer.ts'
import { createHttpRail } from '../../../src/payouts/rails/http.ts'
import { createSealer } from '../../../src/seals/sealer.ts'
import { createSettler } from '../../../src/settlement/settler.ts'
import { createCourier } from '../../../src/webhooks/courier.ts'
import { startFakeBank } from '../../payouts/fake-bank.ts'
import { deployChain, rpc, silent } from '../../settlement/fixture.ts'
import { QUICK } from '../../settlement/scenario.ts'
import { startAnvil } from '../../support/anvil.ts'
import { newReference, startTestApi } from '../../support/api.ts'
import { TEST_SECRETS } from '../../support/bank-details.ts'
import { startBurnWatch } from '../../support/burn-watch.ts'
import { createTestDatabase } from '../../support/database.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type Receiver, startReceiver } from '../../webhooks/http-receiver.ts'
import { type Person, startOperator } from '../fixture.ts'

/** Two of each role that does something; whoever asks is the first. */
const TEAM = {
  admin: ['Aminah', 'Bala'],
  onboarding: ['Mei Ling', 'Devi'],
  treasury: ['Esther', 'Faisal'],
  compliance: ['Gopal', 'Hui Min'],
  support: ['Ismail', 'Jia Wei'],
} as const
export type Role = keyof typeof TEAM

/** What a command printed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
type Said = any

export type Day = Awaited<ReturnType<typeof startDay>>
export type Partner = {
  name: string
  integrationId: string
  customerId: string
  wallet: string
  receiver: Receiver
  keyId: string
  apiKey: string
  endpointId: string
  secret: string
  /** What its endpoint answers. */
  answers: number
  /** What its completed orders come to, in sen. */
  moved: { mints: number; redeems: number }
}

export async function startDay() {
  const [anvil, db, bank] = await Promise.all([startAnvil(), createTestDatabase(), startFakeBank()])
  const config = await deployChain(anvil.rpcUrl, {}, { consentRequired: true })
  const chain = connectChain(config, { db, logger: silent })
  const settler = createSettler({ db, chains: [chain], logger: silent, holder: 'day', times: QUICK })
  const payer = createPayer({
    db,
    secrets: TEST_SECRETS,
    logger: silent,
    pollMs: 50,
    tendMs: 100,
    rail: createHttpRail({ url: bank.url, connector: 'bank', token: 'a-token', timeoutMs: 10_000 }),
  })
  const burns = startBurnWatch(db, chain)
  const courier = createCourier({ db, secrets: TEST_SECRETS, logger: silent, allowLoopback: true })
  const sealers = [
    createLedgerSealer({ db, logger: silent, pollMs: 100 }),
    createSealer(SEALED_AUDIT, { db, logger: silent }),
  ]
  for (const each of [settler, payer, courier, ...sealers]) each.start()
  const api = await startTestApi({ db, realChain: chain })
  const beginning = await startOperator({ db })
  const people = new Map<string, Person>()
  for (const [role, names] of Object.entries(TEAM)) {
    for (const name of names) people.set(name, await beginning.person(role as Role, name))
  }
  await beginning.close()
  const coin = await startOperator({ db, chains: [chain], fourEyes: true, secrets: TEST_SECRETS })
  const receivers: { close(): Promise<void> }[] = []

  const tokenOf = (name: string) => people.get(name)?.token ?? ''

  /** One command of one person. @returns how it ended, and what it printed */
  async function type(
    name: string,
    args: readonly string[],
    typed?: string,
  ): Promise<{ code: number | null; said: Said }> {
    const { code, stdout, stderr } = await coin.cli([...args, '--json'], { OPERATOR_TOKEN: tokenOf(name) }, typed)
    assert.notEqual(stdout, '', `${name}: coin ${args.join(' ')} ended with ${code}: ${stderr}`)
    return { code, said: JSON.parse(stdout) }
  }

  /** A command of the first one of a role, which must be done at once. */
  async function alone(role: Role, ...args: string[]): Promise<Said> {
    const { code, said } = await type(TEAM[role][0], args)
    assert.equal(code, 0, `coin ${args.join(' ')}: ${JSON.stringify(said)}`)
    return said
  }

  /** What a command of the first one of a role shows to people. */
  const shown = async (role: Role, ...args: string[]): Promise<string> =>
    (await coin.cli(args, { OPERATOR_TOKEN: tokenOf(TEAM[role][0]) })).stdout

  /** A command that waits until the second one of the role has looked at it and approved. */
  async function together(role: Role, args: readonly string[], typed?: string): Promise<Said> {
    const [one, two] = TEAM[role]
    const asked = await type(one, args, typed)
    assert.deepEqual([asked.code, asked.said.status], [3, 'waiting'], JSON.stringify(asked.said))
    const { approvalId } = asked.said
    assert.equal((await type(two, ['approval', 'approve', approvalId])).code, 0)
    const { code, said } = await type(one, [...args, '--approval', approvalId], typed)
    assert.equal(code, 0, JSON.stringify(said))
    return said
  }

  /** Runbook "A partner joins": everything that a partner and its first customer need. */
  async function onboard(name: string): Promise<Partner> {
    const receiver = await startReceiver((response) => void response.writeHead(partner.answers).end())
    receivers.push(receiver)
    const { integrationId } = await alone('onboarding', 'integration', 'create', '--name', name)
    const key = await together('onboarding', ['key', 'create', '--integration', integrationId, '--scopes', 'all'])
    const hook = await alone('onboarding', 'webhook', 'add', '--integration', integrationId, '--url', receiver.url)
    const person = ['--type', 'RETAIL', '--status', 'VERIFIED', '--level', 'TIER_2', '--country', 'MY']
    const linked = await type(
      TEAM.onboarding[0],
      [
        'customer',
        'link',
        '--integration',
        integrationId,
        ...person,
        '--bank-bic',
        'MBBEMYKL',
        '--bank-account',
        '-',
        '--bank-name',
        `${name} customer`,
      ],
      '512345678901\n',
    )
    const { customerId } = linked.said
    const holder = privateKeyToAccount(generatePrivateKey())
    const ofWallet = ['--customer', customerId, '--address', holder.address]
    const { typedData } = await alone('onboarding', 'wallet', 'consent', ...ofWallet)
    const consent: Hex = await holder.signTypedData(typedData as Parameters<typeof holder.signTypedData>[0])
    const signed = ['--consent', consent, '--deadline', typedData.message.deadline]
    await together('onboarding', ['wallet', 'add', ...ofWallet, ...signed])
    const partner: Partner = {
      name,
      integrationId,
      customerId,
      wallet: holder.address,
      receiver,
      keyId: key.keyId,
      apiKey: key.apiKey,
      endpointId: hook.endpointId,
      secret: hook.secret,
      answers: 204,
      moved: { mints: 0, redeems: 0 },
    }
    return partner
  }

  async function post(partner: Partner, kind: 'mints' | 'redeems', amount: string, changes: object = {}) {
    const referenceId = newReference()
    const sum = kind === 'mints' ? { amountMyr: amount, fiatConfirmed: true } : { amountCoin: amount }
    const of = { referenceId, walletAddress: partner.wallet, customerId: partner.customerId }
    const answer = await api.post(`/v1/${kind}`, { ...of, ...sum, ...changes }, { key: partner.apiKey })
    return { referenceId, order: `${partner.integrationId}/${referenceId}`, status: answer.status, text: answer.text }
  }

  const phaseOf = async (partner: Partner, kind: 'mints' | 'redeems', referenceId: string) =>
    (await api.get(`/v1/${kind}/${referenceId}`, { key: partner.apiKey })).body.phase

  /** Posts an order that is accepted. */
  async function accepted(partner: Partner, kind: 'mints' | 'redeems', amount: string) {
    const posted = await post(partner, kind, amount)
    assert.equal(posted.status, 201, posted.text)
    const phase = () => phaseOf(partner, kind, posted.referenceId)
    const becomes = (wanted: string) =>
      waitFor(`${posted.order} to be ${wanted}`, async () => (await phase()) === wanted)
    const completed = async () => {
      await becomes('COMPLETED')
      partner.moved[kind] += Math.round(Number(amount) * 100)
    }
    const eventsAt = ({ receiver }: Partner) =>
      receiver.received.filter(({ body }) => body.includes(posted.referenceId))
    return { ...posted, becomes, completed, eventsAt }
  }

  return {
    db,
    bank,
    coin,
    api,
    type,
    alone,
    shown,
    together,
    onboard,
    post,
    accepted,
    rpc: (method: string, ...params: unknown[]) => rpc(anvil.rpcUrl, method, ...params),
    nameOf: (role: Role, place: 0 | 1 = 0) => TEAM[role][place],
    /** Changes a person's token, as `operator rotate` showed it. */
    giveToken: (name: string, token: string) => void Object.assign(people.get(name) ?? {}, { token }),

    /** Its key is no longer taken: for less than a second a process may remember that it was. */
    isRefused: ({ apiKey }: Partner) =>
      waitFor('the key to be refused', async () => (await api.get('/v1/config', { key: apiKey })).status === 401),

    /** Nothing of what was done about others has touched this partner: its key, its orders, its webhooks. */
    async goesOn(partner: Partner): Promise<void> {
      const order = await accepted(partner, 'mints', '1')
      await order.completed()
      await waitFor('its webhooks', () => order.eventsAt(partner).some(({ body }) => body.includes('mint.completed')))
      const { integration } = await alone('support', 'integration', 'show', partner.integrationId)
      assert.equal(integration.status, 'active')
    },

    async close(): Promise<void> {
      await Promise.all([settler, payer, burns, courier, ...sealers].map((each) => each.stop()))
      await coin.close()
      await api.close()
      await Promise.all([bank.close(), ...receivers.map((each) => each.close())])
      await db.close()
      await anvil.stop()
    },
  }
}
