/**
 * What a command concerns, as it is now. It is looked at when approval is asked for, and again, in the transaction that
 * acts, before what was approved is executed: when it looks different, the approval is void.
 */
import { findCorporateOfAny, lockCorporate } from '../../customers/corporates.sql.ts'
import { findCustomerOfAny, lockCustomer } from '../../customers/customers.sql.ts'
import { findOtherHolder, listWallets } from '../../customers/wallets.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { findKey } from '../../integrations/api-keys.sql.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import type { Concern } from '../../operators/concerns.ts'
import { sayTaken, tidyName } from '../../operators/operator.ts'
import { findByName, findOperator } from '../../operators/operators.sql.ts'
import { waitsForFile } from '../../payment-files/reported.sql.ts'
import { readResidual } from '../../payouts/residual.sql.ts'
import { findDenial } from '../../screening/denials.sql.ts'
import { newestMovement } from '../../settlement/tables/movements.sql.ts'
import { lockBooking } from '../../statements/lines.sql.ts'
import { findLine } from '../../statements/lines-of.sql.ts'
import { findSealedUnder, readLostThrough } from '../../statements/lost-keys.sql.ts'
import { saidByAll } from '../../statements/meant.ts'
import { lockRecording } from '../../statements/store.sql.ts'
import { findWaiting } from '../../statements/waiting.sql.ts'
import { findStatement } from '../../statements/withdraw.sql.ts'
import { parseWalletAddress } from '../address.ts'
import { newestOf } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { readUnsaid } from '../holds.ts'
import { inFolder, lockUnopenedHere } from '../in-folder.ts'
import { lookAtLostChain } from '../lost-chain.ts'
import { sumHeldBySuspension } from '../orders/held-by-suspension.sql.ts'
import { sumHeldFor } from '../orders/held-for.sql.ts'
import { findOrderWithFacts } from '../orders/orders.sql.ts'
import { namesIn, parseSerial } from '../parse.ts'
import { findWrong, type Named } from '../reconcile/counters.ts'
import { requirePayout } from '../require-payout.ts'
import { knownCustomer } from '../routes/customer.ts'
import { lookAtBatch } from './about-batch.ts'
import { type About, lookAtPayment } from './about-payment.ts'
import type { Asked } from './asked.ts'
import { decided, decidedOfRemitter } from './decided.ts'

type Look = (tx: Queryable, asked: Asked, deps: Pick<OperatorDeps, 'paymentFiles' | 'secrets'>) => Promise<unknown>

const inBody = ({ body }: Asked, field: string) => String(body[field] ?? '')

/** Locked, so that it stays as it was seen until the transaction ends. */
async function customer(tx: Queryable, customerId: string) {
  await lockCustomer(tx, customerId)
  // What redeems add up to changes by itself.
  const { monthlyCommittedMicro: _, ...seen } = knownCustomer(await findCustomerOfAny(tx, customerId), customerId)
  return seen
}

const lineOf = async (tx: Queryable, lineId: string) =>
  found(await findLine(tx, parseSerial('line', lineId)), 'line', lineId, 'bank unallocated list')

async function bankLine(tx: Queryable, lineId: string) {
  const line = await lineOf(tx, lineId)
  const { lineNo, amountMicro, bookedOn, state, kind, to, reason } = line
  return { amountMicro, bookedOn, state, kind, to, reason, decided: await decided(tx, 'bank-line', String(lineNo)) }
}

/** The name of a new operator must be free: whoever approves would not see that it is taken. @throws OperatorError CONFLICT */
async function newcomer(tx: Queryable, name: string): Promise<null> {
  const known = await findByName(tx, name)
  if (known !== undefined) throw new OperatorError('CONFLICT', sayTaken(known.name))
  return null
}

/** A look at each concern. @throws OperatorError NOT_FOUND when there is no such thing, CONFLICT when it can be done no more */
export const LOOKS: Readonly<Record<Concern, Look>> = {
  nothing: async () => null,
  operator: async (tx, asked) => {
    const { operatorId } = asked.params
    if (operatorId === undefined) return await newcomer(tx, tidyName(inBody(asked, 'name')))
    const { name, role, disabledAt } = found(
      await findOperator(tx, operatorId),
      'operator',
      operatorId,
      'operator list',
    )
    return { name, role, disabledAt, decided: await decided(tx, 'operator', operatorId) }
  },
  integration: async (tx, asked) => {
    const integrationId = asked.params.integrationId ?? inBody(asked, 'integrationId')
    const seen = found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
    const stopped = await decided(tx, 'integration', integrationId)
    return { seen, stopped, remitter: await decidedOfRemitter(tx, integrationId, asked) }
  },
  // Which are held, whether they would be held again, and by which stop.
  'held-orders': async (tx, { params: { integrationId = '', customerId } }) => {
    const of = customerId === undefined ? { integrationId } : { customerId }
    const { status } =
      customerId === undefined
        ? found(await findIntegration(tx, integrationId), 'integration', integrationId, 'integration list')
        : await customer(tx, customerId)
    const stopped = await (customerId === undefined
      ? decided(tx, 'integration', integrationId)
      : decided(tx, 'customer', customerId))
    return { status, held: await sumHeldBySuspension(tx, of), stopped }
  },
  // Which orders these are: what is held for that since, or has gone, nobody has approved.
  'orders-held-for': async (tx, asked) => {
    return await sumHeldFor(tx, { integrationId: asked.params.integrationId ?? '', held: inBody(asked, 'held') })
  },
  key: async (tx, { params: { keyId = '' } }) => ({
    seen: found(await findKey(tx, keyId), 'key', keyId, 'key list --integration ID'),
    decided: await decided(tx, 'key', keyId),
  }),
  customer: async (tx, { params: { customerId = '' } }) => ({
    seen: await customer(tx, customerId),
    decided: await decided(tx, 'customer', customerId),
  }),
  corporate: async (tx, { params: { corporateId = '' } }) => {
    await lockCorporate(tx, corporateId)
    const seen = found(
      await findCorporateOfAny(tx, corporateId),
      'corporate',
      corporateId,
      'corporate list --integration ID',
    )
    return { seen, decided: await decided(tx, 'corporate', corporateId) }
  },
  // With what would be paid, and the account to which it goes.
  residual: async (tx, asked) => {
    const seen = await customer(tx, inBody(asked, 'customerId'))
    return { seen, payableSen: (await readResidual(tx, seen.customerId)).payableSen }
  },
  wallet: async (tx, asked) => {
    const customerId = inBody(asked, 'customerId')
    const address = parseWalletAddress(inBody(asked, 'address'))
    const seen = await customer(tx, customerId)
    const wallets = await listWallets(tx, customerId)
    const other = await findOtherHolder(tx, customerId, address)
    return { seen, wallets, other, decided: await decided(tx, 'wallets', customerId) }
  },
  order: async (tx, { params: { integrationId = '', referenceId = '' } }) => {
    const item = await findOrderWithFacts(tx, integrationId, referenceId)
    const name = `${integrationId}/${referenceId}`
    const { order, facts } = found(item, 'order', name, 'order list')
    const { held, hasTagConflict: conflict } = facts
    return { orderId: order.orderId, status: order.status, held, conflict, decided: await decided(tx, 'order', name) }
  },
  batch: lookAtBatch,
  // Another file may come to lie there, or one be replaced, which nobody has approved to be called sent.
  'payment-files': async (tx, _asked, { paymentFiles }) =>
    paymentFiles === undefined ? null : await inFolder(paymentFiles.findUnknown(tx)),
  'unopened-files': (tx, _asked, deps) => lockUnopenedHere(tx, deps),
  // With the bank account that the customer has now: a retry pays to it. What was in no file is not what the bank may have by now.
  payout: async (tx, { params: { payoutId = '' } }) => {
    const payout = await requirePayout(tx, payoutId)
    const { customerId, amountSen, status, holdReason, attempt, endToEndId } = payout
    const last = await decided(tx, 'payout', payoutId)
    const seen = { amountSen, status, holdReason, attempt, decided: last, customer: await customer(tx, customerId) }
    return { ...seen, held: await readUnsaid(tx, payout), isInNoFile: await waitsForFile(tx, endToEndId) }
  },
  'screened-address': async (tx, asked) => {
    const walletAddress = parseWalletAddress(inBody(asked, 'address'))
    const frozen = await newestOf(tx, ['wallet.freeze', 'wallet.unfreeze'], { details: { walletAddress } })
    // One that is on the list is denied again for another reason: its date stays that of the first.
    const denied = await decided(tx, 'screened-address', walletAddress)
    return { deniedSince: await findDenial(tx, walletAddress), denied, frozen }
  },
  // Not the counter itself, which moves with each order: by how much it is wrong.
  counter: async (tx, { body: { kind, subject } }) =>
    (await findWrong(tx, { kind, subject } as Named)).map(({ recordedMicro, ordersMicro, period }) => ({
      period,
      wrongBy: recordedMicro - ordersMicro,
    })),
  // Found again and used to seal anew, it is not what was called lost.
  'secrets-key': async (tx, asked) => ({
    sealed: await findSealedUnder(tx, inBody(asked, 'secretsKey')),
    said: await readLostThrough(tx, inBody(asked, 'secretsKey')),
  }),
  // With what stands before it: another statement may be applied there, which leaves the same difference. Nobody applies one meanwhile.
  statement: async (tx, { params: { statementNo = '' } }) => {
    const named = parseSerial('statementNo', statementNo)
    await lockRecording(tx)
    const { state } = found(await findStatement(tx, named), 'statement', statementNo, 'bank statements')
    return { state, waiting: (await findWaiting(tx, named)) ?? null }
  },
  // What it belongs to now: who approved it for a line that nothing explained has not approved it for one that is. Likewise the payment.
  'bank-line': async (tx, { params: { lineId = '' }, body }) => {
    const { replacedBy = body.reverses, payout = body.claim } = body
    await lockBooking(tx)
    const line = await bankLine(tx, lineId)
    const other = typeof replacedBy === 'string' ? await bankLine(tx, replacedBy) : null
    const first = await lineOf(tx, lineId)
    const as = body.payout === undefined ? 'claim' : 'payout'
    const seen = {
      line,
      other,
      payment: typeof payout === 'string' ? await lookAtPayment(tx, first, { payoutId: payout, as }) : null,
    }
    const lines = namesIn(body.with)
    const named = (ids: unknown, of: About) => namesIn(ids).map((payoutId) => ({ payoutId, as: of }))
    const said = [...named(body.payouts, 'payout'), ...named(body.claims, 'claim')]
    if (lines.length + said.length === 0) return seen
    const others: unknown[] = []
    const together = [first]
    for (const beside of lines) {
      others.push(await bankLine(tx, beside))
      together.push(await lineOf(tx, beside))
    }
    const saidOf = await saidByAll(tx, together)
    const payments: unknown[] = []
    for (const each of said) payments.push(await lookAtPayment(tx, saidOf(each.payoutId), each))
    return { ...seen, others, payments }
  },
  // What is there moves until it is lost: whether it was seen since, and whether it is called lost, decides.
  'lost-chain': (tx, { body: { chainId } }) => lookAtLostChain(tx, Number(chainId)),
  // Who approved the end of one stop has not approved the end of the next, nor what was seen there since.
  chains: async (tx) => ({
    stopped: await newestOf(tx, ['chain.pause', 'chain.resume']),
    seen: await newestMovement(tx),
  }),
}
