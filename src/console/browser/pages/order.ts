/** One order: its whole story with times, and what can be done with it. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { useLive } from '../live.ts'
import { Coin, Facts, Id, Instant, Note, Nothing, Ringgit, Section, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { may } from '../session.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'

type Entry = Record<string, string | number | null>
type Hold = { reason: string; by: string | null; at: string | null }

type Order = {
  order: {
    referenceId: string
    status: string
    phase: string
    direction: string
    chainId: number
    network: string
    walletAddress: string
    amounts: { coin: string; feeMyr: string }
    blockchain: { txHash: string | null; blockNumber: string | null }
    timestamps: { createdAt: string; updatedAt: string | null }
  }
  integrationId: string
  customerId: string
  keyId: string
  confirmedKeyId: string | null
  debitAddress: string | null
  bankReference: string | null
  failureReason: string | null
  waiting: string | null
  /** Why it is kept out of batches; `holds`: all reasons. */
  held: string | null
  holds: Hold[]
  /** What says that it is as this page shows it. */
  asSeen: string
  /** Others have settled something under its tag. */
  hasTagConflict: boolean
  /** It has not ended, and is in no batch. */
  awaitsBatch: boolean
  /** What making it good would do; null where nothing is to be made good. */
  makeGood: string | null
  /** What ending it without being paid would do, where that may be said of it. */
  endUnpaid: string | null
  batch: Entry | null
  attempts: Entry[]
  payout: Entry | null
  events: Entry[]
  deliveries: Entry[]
}

const text = (value: Entry[string] | undefined) => (value == null ? undefined : String(value))

export function OrderPage({ name }: { name: readonly [string, string] }): View {
  const order = useLive<Order>(`/orders${pathOf(...name)}`)
  return html`<p><a href=${hrefOf(['orders'])}>← Orders</a></p><h1>${name[1]}</h1>
    <${Loaded} from=${order} show=${(found: Order) => html`<${Story} of=${found} refresh=${order.refresh} />`} />`
}

function Story({ of, refresh }: { of: Order; refresh: () => Promise<void> }): View {
  const { order, waiting, held, holds, hasTagConflict, failureReason } = of
  const isToldHeld = waiting?.startsWith('held:') === true
  return html`
    ${waiting !== null && html`<${Note} tone=${isToldHeld || hasTagConflict ? 'bad' : 'wait'}>${waiting}<//>`}
    ${holds.map(({ reason, by, at }) => (reason === held && isToldHeld ? null : html`<${Note} key=${reason}>It is held, too: ${reason}${by !== null && html` (<bdi>${by}</bdi>, <${Instant} at=${at} />)`}<//>`))}
    ${failureReason !== null && html`<${Note}>It failed: ${failureReason}<//>`}
    <${Awaiting} of=${[`${of.integrationId}/${order.referenceId}`]} />
    <${Actions} of=${of} refresh=${refresh} />
    <${Facts} of=${[
      ['Status', html`<${Status} of=${order.status} /> ${order.phase.toLowerCase().replaceAll('_', ' ')}`],
      ['Direction', order.direction.toLowerCase()],
      ['Coin', html`<${Coin} of=${order.amounts.coin} />`],
      ['Fee', html`<${Ringgit} of=${order.amounts.feeMyr} />`],
      ['Created', html`<${Instant} at=${order.timestamps.createdAt} />`],
      ['Last changed', html`<${Instant} at=${order.timestamps.updatedAt} />`],
      ['Integration', html`<${Id} of=${of.integrationId} href=${hrefOf(['integrations', of.integrationId])} />`],
      [
        'Customer',
        html`<${Id} of=${of.customerId} href=${may('customer show') ? hrefOf(['customers', of.customerId]) : undefined} />`,
      ],
      ['Key', html`<${Id} of=${of.keyId} />`],
      [
        'Payment confirmed by',
        of.confirmedKeyId === null ? undefined : html`<${Id} of=${of.confirmedKeyId} />, or a key that replaced it`,
      ],
      ['Bank reference', html`<${Id} of=${of.bankReference} />`],
      ['Wallet', html`<${Id} of=${order.walletAddress} />`],
      ['Debited wallet', of.debitAddress === null ? undefined : html`<${Id} of=${of.debitAddress} />`],
      ['Chain', `${order.network} (${order.chainId})`],
      ['Transaction', html`<${Id} of=${order.blockchain.txHash} />`],
      ['Block', order.blockchain.blockNumber],
    ]} />
    <${History} of=${of} />
  `
}

function Actions({ of, refresh }: { of: Order; refresh: () => Promise<void> }): View {
  // A dialog stays open while the page goes on: somebody may have held it for another reason by then.
  const { order, integrationId, held, asSeen: seen, hasTagConflict, awaitsBatch, makeGood, endUnpaid } = of
  const common = { target: `${integrationId}/${order.referenceId}`, reason: true, onDone: refresh, onConflict: refresh }
  const path = (verb: string) => `/orders${pathOf(integrationId, order.referenceId, verb)}`
  const isHeld = held !== null
  if (makeGood === null && endUnpaid === null && !isHeld && !awaitsBatch) return null
  return html`<div class="buttons section">
    ${
      makeGood !== null &&
      html`<${Action} ...${common} command="order make-good" label="Make good …" path=${path('make-good')} says=${makeGood} />`
    }
    ${
      endUnpaid !== null &&
      html`<${Action} ...${common} command="order make-good" label="End it unpaid …" path=${path('make-good')} danger
        bodyOf=${(body: Record<string, string>) => ({ ...body, unpaid: true })}
        says="${endUnpaid} It is refused where its payout was paid or may have been, and where its coin may be burnt yet." />`
    }
    ${
      awaitsBatch &&
      !isHeld &&
      html`<${Action} ...${common} command="order hold" label="Hold …" path=${path('hold')}
        says="It is kept out of every batch until somebody releases or rejects it. Nothing moves; what was signed already is not held." />`
    }
    ${
      isHeld &&
      html`<${Action} ...${common} command="order release" label="Release …" path=${path('release')} seen=${seen} says="It goes on to be signed and settled." />`
    }
    ${
      (isHeld || (awaitsBatch && hasTagConflict)) &&
      html`<${Action} ...${common} command="order reject" label="Reject …" path=${path('reject')} seen=${seen} danger
        says="The order fails for good. It is refused unless it was certainly never signed; its partner is told, and what it held is given back." />`
    }
  </div>`
}

const at = (key: string, title: string): Column<Entry> => ({
  key,
  title,
  by: (row) => row[key],
  show: (row) => html`<${Instant} at=${text(row[key])} />`,
})
const word = (key: string, title: string): Column<Entry> => ({
  key,
  title,
  by: (row) => row[key],
  show: (row) => text(row[key]) ?? html`<${Nothing} />`,
})
const id = (key: string, title: string): Column<Entry> => ({
  key,
  title,
  by: (row) => row[key],
  show: (row) => html`<${Id} of=${text(row[key])} short />`,
})
const state = (key: string): Column<Entry> => ({
  key,
  title: 'Status',
  by: (row) => row[key],
  show: (row) => html`<${Status} of=${text(row[key])} />`,
})

const EVENTS = [at('createdAt', 'At'), word('type', 'Event'), id('eventId', 'Event id')]
const ATTEMPTS = [
  at('createdAt', 'Signed'),
  id('txHash', 'Transaction'),
  word('nonce', 'Nonce'),
  word('maxFeePerGasWei', 'Fee ceiling, wei'),
  at('lastBroadcastAt', 'Last sent'),
  word('lastAnswer', 'The node’s answer'),
]
const DELIVERIES = [
  at('createdAt', 'At'),
  word('type', 'Event'),
  state('status'),
  word('httpStatus', 'HTTP'),
  word('lastError', 'Error'),
  word('attempts', 'Attempts'),
  at('nextAttemptAt', 'Next'),
  id('endpointId', 'Endpoint'),
]

function History({ of: { batch, attempts, payout, events, deliveries } }: { of: Order }): View {
  return html`
    <${Section} title="Events"><${Table} caption="Events" columns=${EVENTS} rows=${events} empty="Nothing has happened to it yet."
      idOf=${(row: Entry) => String(row.eventId)} sortedBy="events" /><//>
    ${
      batch !== null &&
      html`<${Section} title="Batch"><${Facts} of=${[
        ['Batch', text(batch.batchId)],
        ['Status', html`<${Status} of=${text(batch.status)} />`],
        ['Orders in it', text(batch.orderCount)],
        ['Signer', html`<${Id} of=${text(batch.signer)} />`],
        ['Nonce', text(batch.nonce)],
        ['Transaction', html`<${Id} of=${text(batch.txHash)} />`],
        ['Mined in block', text(batch.minedBlock)],
        ['Signed', html`<${Instant} at=${text(batch.createdAt)} />`],
        ['Final', html`<${Instant} at=${text(batch.finalizedAt)} />`],
      ]} /><//>
      <${Section} title="Transactions signed for it"><${Table} caption="Transactions signed for it" columns=${ATTEMPTS} rows=${attempts}
        empty="None is on record." idOf=${(row: Entry) => String(row.txHash)} sortedBy="attempts" /><//>`
    }
    ${
      payout !== null &&
      html`<${Section} title="Payout"><${Facts} of=${[
        [
          'Payout',
          html`<${Id} of=${text(payout.payoutId)} href=${may('payout show') ? hrefOf(['payouts', String(payout.payoutId)]) : undefined} />`,
        ],
        ['Status', html`<${Status} of=${text(payout.status)} />`],
        ['Since', html`<${Instant} at=${text(payout.since)} />`],
        ['Amount', html`<${Ringgit} of=${text(payout.amountMyr)} />`],
        ['End-to-end id', html`<${Id} of=${text(payout.endToEndId)} />`],
        ['The rail’s reference', html`<${Id} of=${text(payout.railReference)} />`],
        ['Last error', text(payout.lastError)],
      ]} /><//>`
    }
    <${Section} title="Deliveries to the partner"><${Table} caption="Deliveries to the partner" columns=${DELIVERIES} rows=${deliveries}
      empty="No endpoint of the partner is told of this order." idOf=${(row: Entry) => String(row.deliveryId)} sortedBy="deliveries" /><//>
  `
}
