/** The whole story of a coin: mint, confirm, transfer, redeem, read. */
import { randomUUID } from 'node:crypto'
import { formatAmount, ONE_IN_MICRO } from '../../money.ts'
import type { ApiClient, DemoOrder } from './api-client.ts'
import type { ChainView } from './chain-view.ts'
import { followOrder } from './follow.ts'
import type { Printer } from './printer.ts'

export type Person = { customerId: string; walletAddress: string }

export type StoryDeps = {
  api: ApiClient
  chain: ChainView
  printer: Printer
  confirmations: number
  /** The customer, who mints, sends and redeems. */
  customer: Person
  /** The one who receives the transfer. */
  recipient: Person
}

const MINTED = '120.5'
const SENT = '20.25'
const REDEEMED = '50'
const MICRO = { minted: 120_500_000n, sent: 20_250_000n, redeemed: 50n * ONE_IN_MICRO }

type Figures = { customerMicro: bigint; recipientMicro: bigint; supplyMicro: bigint }

/** Tells the story. Resolves to true when everything on chain is as it should be. */
export async function tellStory(deps: StoryDeps): Promise<boolean> {
  const before = await readFigures(deps)
  deps.printer.step('Before, as the chain has it')
  showFigures(deps, before)
  await mint(deps)
  await transfer(deps)
  await redeem(deps)
  return await compare(deps, before)
}

async function mint(deps: StoryDeps): Promise<void> {
  const { api, printer, customer } = deps
  const referenceId = `demo-mint-${randomUUID()}`
  const body = {
    referenceId,
    amountMyr: MINTED,
    walletAddress: customer.walletAddress,
    customerId: customer.customerId,
  }

  printer.step(`A mint of ${MINTED} is recorded; its ringgit has not arrived yet`)
  const recorded = await api.post<DemoOrder>('/mints', randomUUID(), body)
  printer.call(`POST /v1/mints  { "amountMyr": "${MINTED}", … }`, answerLine(recorded))
  printer.note('Nothing happens on chain until the payment is confirmed.')

  printer.step('The ringgit arrived: the mint is confirmed')
  const key = randomUUID()
  const confirmed = await api.post<DemoOrder>('/mints', key, { ...body, fiatConfirmed: true })
  printer.call(`POST /v1/mints  { …, "fiatConfirmed": true }`, answerLine(confirmed))
  const repeated = await api.post<DemoOrder>('/mints', key, { ...body, fiatConfirmed: true })
  printer.call('the same again, as after a timeout', `${answerLine(repeated)}${repeated.isReplay ? ', replayed' : ''}`)
  await followOrder(deps, `/mints/${referenceId}`)
}

async function transfer(deps: StoryDeps): Promise<void> {
  const { api, printer, customer, recipient } = deps
  const referenceId = `demo-transfer-${randomUUID()}`
  const { customerId } = customer
  const body = { referenceId, amountCoin: SENT, walletAddress: recipient.walletAddress, customerId }
  printer.step(`${SENT} go to another wallet`)
  const sent = await api.post<DemoOrder>('/transfers', randomUUID(), body)
  printer.call(`POST /v1/transfers  { "amountCoin": "${SENT}", … }`, answerLine(sent))
  await followOrder(deps, `/transfers/${referenceId}`)
}

async function redeem(deps: StoryDeps): Promise<void> {
  const { api, printer, customer } = deps
  const referenceId = `demo-redeem-${randomUUID()}`
  const { customerId, walletAddress } = customer
  printer.step(`${REDEEMED} are redeemed: burned, and paid out to the customer's bank account`)
  const redeemed = await api.post<DemoOrder>('/redeems', randomUUID(), {
    referenceId,
    amountCoin: REDEEMED,
    walletAddress,
    customerId,
    bankReference: 'DEMO',
  })
  printer.call(`POST /v1/redeems  { "amountCoin": "${REDEEMED}", … }`, answerLine(redeemed))
  await followOrder(deps, `/redeems/${referenceId}`)
}

async function compare(deps: StoryDeps, before: Figures): Promise<boolean> {
  const { api, printer, customer } = deps
  const after = await readFigures(deps)
  printer.step('After, as the chain has it')
  showFigures(deps, after)
  const path = `/balances/${customer.walletAddress}`
  const { balances } = await api.get<{ balances: { balanceRaw: string; balance: string }[] }>(path)
  printer.call('GET /v1/balances/{walletAddress}', `"balance": "${balances[0]?.balance}"`)
  const checks: [string, boolean][] = [
    ['the API and the chain agree', balances[0]?.balanceRaw === after.customerMicro.toString()],
    [
      'the customer has what was minted less what was sent and redeemed',
      after.customerMicro - before.customerMicro === MICRO.minted - MICRO.sent - MICRO.redeemed,
    ],
    ['the recipient has what was sent', after.recipientMicro - before.recipientMicro === MICRO.sent],
    [
      'the supply grew by what was minted less what was redeemed',
      after.supplyMicro - before.supplyMicro === MICRO.minted - MICRO.redeemed,
    ],
  ]
  for (const [text, holds] of checks) printer.check(text, holds)
  return checks.every(([, holds]) => holds)
}

async function readFigures({ chain, customer, recipient }: StoryDeps): Promise<Figures> {
  const [customerMicro, recipientMicro, supplyMicro] = await Promise.all([
    chain.balanceMicro(customer.walletAddress),
    chain.balanceMicro(recipient.walletAddress),
    chain.supplyMicro(),
  ])
  return { customerMicro, recipientMicro, supplyMicro }
}

function showFigures({ printer, customer, recipient }: StoryDeps, figures: Figures): void {
  printer.onChain(`customer   ${customer.walletAddress}  ${formatAmount(figures.customerMicro)}`)
  printer.onChain(`recipient  ${recipient.walletAddress}  ${formatAmount(figures.recipientMicro)}`)
  printer.onChain(`supply     ${formatAmount(figures.supplyMicro)}`)
}

function answerLine({ status, body }: { status: number; body: DemoOrder }): string {
  return `${status}  ${body.status} / ${body.phase}`
}
