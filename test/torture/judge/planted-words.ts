import { attemptOf, change, first, hookOf, orderOf, type Planted } from './planting.ts'
import { ALICE, answerOf, attempt } from './sound-evidence.ts'

export const PLANTED_WORDS: readonly Planted[] = [
  {
    what: 'a lost order',
    rules: ['orders', 'orders', 'chain', 'supply', 'balances', 'books', 'books', 'webhooks', 'webhooks'],
    subject: 'ref-mint',
    plant: (evidence) => {
      evidence.orders = evidence.orders.filter(({ reference }) => reference !== 'ref-mint')
    },
  },
  {
    what: 'an order that nobody asked for',
    rules: ['orders'],
    subject: 'ref-stranger',
    plant: (evidence) => {
      evidence.orders.push({ ...orderOf(evidence, 'ref-cancelled'), reference: 'ref-stranger' })
      evidence.tables = { ...evidence.tables, orderCount: 6 }
    },
  },
  {
    what: 'an order listed twice',
    rules: ['orders', 'orders'],
    subject: 'list',
    plant: (evidence) => evidence.orders.push(orderOf(evidence, 'ref-cancelled')),
  },
  {
    what: 'an order recorded with another wallet',
    rules: ['orders'],
    subject: 'ref-cancelled',
    plant: (evidence) => change(orderOf(evidence, 'ref-cancelled'), { wallet: ALICE }),
  },
  {
    what: 'an order that was refused and yet exists',
    rules: ['answers', 'orders'],
    subject: 'ref-failed',
    plant: (evidence) => {
      const refused = { reference: 'ref-failed', key: 'k', status: 400, code: 'POLICY_REJECTED', text: '{}' }
      evidence.attempts = evidence.attempts.filter(({ reference }) => reference !== 'ref-failed')
      evidence.attempts.push(attempt(refused))
    },
  },
  {
    what: 'a cancellation that was acknowledged and forgotten',
    rules: ['ends'],
    subject: 'ref-cancelled',
    plant: (evidence) => change(orderOf(evidence, 'ref-cancelled'), { status: 'payment_pending' }),
  },
  {
    what: 'a confirmation that was acknowledged and forgotten',
    rules: ['ends'],
    subject: 'ref-cancelled',
    plant: (evidence) => {
      const intent = first(evidence.intents, ({ reference }) => reference === 'ref-cancelled')
      const cancel = first(evidence.attempts, ({ purpose }) => purpose === 'cancel')
      change(cancel, { purpose: 'confirm', status: 201, text: answerOf(intent, 'pending') })
      change(orderOf(evidence, 'ref-cancelled'), { status: 'payment_pending' })
    },
  },
  {
    what: 'an order that was found, then not',
    rules: ['looks'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const look = {
        reference: 'ref-mint',
        key: '',
        status: 404,
        code: 'NOT_FOUND',
        text: '{}',
        purpose: 'look' as const,
      }
      evidence.attempts.push(attempt({ ...look, startedMs: 40, endedMs: 50 }))
    },
  },
  {
    what: 'an end that changed',
    rules: ['looks'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const intent = first(evidence.intents, ({ reference }) => reference === 'ref-mint')
      const look = { reference: 'ref-mint', key: '', status: 200, purpose: 'look' as const }
      evidence.attempts.push(
        attempt({ ...look, text: answerOf(intent, 'completed'), startedMs: 40, endedMs: 50 }),
        attempt({ ...look, text: answerOf(intent, 'processing'), startedMs: 60, endedMs: 70 }),
      )
    },
  },
  {
    what: 'a failure without a cause',
    rules: ['failures'],
    subject: 'ref-failed',
    plant: (evidence) => {
      evidence.frozenWallets = new Set()
    },
  },
  {
    what: 'an order that never ends',
    rules: ['settling'],
    subject: 'ref-failed',
    plant: (evidence) => {
      change(orderOf(evidence, 'ref-failed'), { status: 'processing' })
      evidence.hooks = evidence.hooks.filter(({ type }) => type !== 'mint.failed')
    },
  },
  {
    what: 'a run that does not come to rest',
    rules: ['settling'],
    subject: 'run',
    plant: (evidence) => evidence.unsettled.push('3 deliveries were not acknowledged'),
  },
  {
    what: 'an event that never arrived',
    rules: ['webhooks'],
    subject: 'ref-transfer',
    plant: (evidence) => {
      evidence.hooks = evidence.hooks.filter(({ type }) => type !== 'transfer.completed')
    },
  },
  {
    what: 'an event about a cancelled order',
    rules: ['webhooks'],
    subject: 'ref-cancelled',
    plant: (evidence) => {
      const strange = {
        ...hookOf(evidence, 'mint.pending'),
        eventId: 'evt-x',
        reference: 'ref-cancelled',
        amountCoin: '5',
      }
      evidence.hooks.push(strange)
    },
  },
  {
    what: 'a wrong signature',
    rules: ['webhooks'],
    subject: 'ref-redeem',
    plant: (evidence) => change(hookOf(evidence, 'redeem.completed'), { isSigned: false }),
  },
  {
    what: 'an event with another amount',
    rules: ['webhooks'],
    subject: 'ref-redeem',
    plant: (evidence) => change(hookOf(evidence, 'redeem.pending'), { amountCoin: '7.1' }),
  },
  {
    what: 'an event under two ids',
    rules: ['webhooks'],
    subject: 'ref-redeem redeem.completed',
    plant: (evidence) => evidence.hooks.push({ ...hookOf(evidence, 'redeem.completed'), eventId: 'evt-again' }),
  },
  {
    what: 'an event with two bodies',
    rules: ['webhooks'],
    subject: 'evt-ref-redeem-completed',
    plant: (evidence) => evidence.hooks.push({ ...hookOf(evidence, 'redeem.completed'), body: 'another' }),
  },
  {
    what: 'an internal error',
    rules: ['answers'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const crash = { reference: 'ref-mint', key: 'ref-mint-k1', status: 500, code: 'SERVER_ERROR', text: '{}' }
      evidence.attempts.push(attempt(crash))
    },
  },
  {
    what: 'a refusal that does not fit its request',
    rules: ['answers'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const refusal = { reference: 'ref-mint', key: 'ref-mint-k1', status: 401, code: 'UNAUTHORIZED', text: '{}' }
      evidence.attempts.push(attempt(refusal))
    },
  },
  {
    what: 'an answer about another order',
    rules: ['answers', 'replays'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const intent = first(evidence.intents, ({ reference }) => reference === 'ref-transfer')
      change(attemptOf(evidence, 'ref-mint'), { text: answerOf(intent, 'pending') })
    },
  },
  {
    what: 'a repeated request that was carried out as a new one',
    rules: ['replays'],
    subject: 'ref-mint key ref-mint-k1',
    plant: (evidence) =>
      change(
        first(evidence.attempts, ({ isReplay }) => isReplay),
        { isReplay: false },
      ),
  },
  {
    what: 'a process that died, cried for help, or did not stop in order',
    rules: ['processes', 'processes', 'processes'],
    subject: 'died',
    plant: (evidence) => {
      const lastExits = [{ name: 'payer', code: 1 }]
      evidence.processes = { deaths: ['payer ended'], fatals: ['settler: lost a batch'], lastExits }
    },
  },
  {
    what: 'a moment at which something was wrong',
    rules: ['moments'],
    subject: 'mints',
    plant: (evidence) => {
      evidence.moments = { looks: 100, wrong: ['mints: 5 is booked, 6 is completed'] }
    },
  },
  {
    what: 'a run at which nobody looked',
    rules: ['moments'],
    subject: 'run',
    plant: (evidence) => {
      evidence.moments = { looks: 0, wrong: [] }
    },
  },
  {
    what: 'an event that happened before the one that comes before it',
    rules: ['webhooks'],
    subject: 'ref-mint',
    plant: (evidence) => change(hookOf(evidence, 'mint.completed'), { happenedAt: '2026-01-02T03:04:05.677Z' }),
  },
  {
    what: 'an event that happened before its order was accepted',
    rules: ['webhooks'],
    subject: 'ref-mint',
    plant: (evidence) => change(hookOf(evidence, 'mint.pending'), { happenedAt: '2026-01-02T03:04:05.677Z' }),
  },
  {
    what: 'a command that is not in the audit log',
    rules: ['audit'],
    subject: 'order.hold int-1/ref-mint',
    plant: (evidence) => {
      evidence.audit = evidence.audit.filter(({ action }) => action !== 'order.hold')
    },
  },
  {
    what: 'a command that is in the audit log twice',
    rules: ['audit'],
    subject: 'order.release int-1/ref-mint',
    plant: (evidence) => evidence.audit.push({ action: 'order.release', target: 'int-1/ref-mint' }),
  },
  {
    what: 'a command that was refused and is in the audit log',
    rules: ['audit'],
    subject: 'order.hold int-1/ref-redeem',
    plant: (evidence) => evidence.audit.push({ action: 'order.hold', target: 'int-1/ref-redeem' }),
  },
  {
    what: 'something in the audit log that nobody did',
    rules: ['audit'],
    subject: 'payout.retry po-9',
    plant: (evidence) => evidence.audit.push({ action: 'payout.retry', target: 'po-9' }),
  },
  {
    what: 'books that the service itself finds wrong',
    rules: ['reconcile'],
    subject: 'service',
    plant: (evidence) => {
      evidence.reconciliation = { ok: false, differences: ['supply: differs'] }
    },
  },
]
