/**
 * Every route of the operator API: its command, who may run it, and whether a second person must approve it first. A route
 * that has no line here is refused when it is registered.
 */
import type { Concern, Occasion } from './concerns.ts'
import { OPERATOR_ROLES, type OperatorRole } from './roles.ts'

export type CommandLine = {
  /** As people type it, without arguments. */
  command: string
  /** Below /operator/v1, as the route is registered. */
  route: `${'GET' | 'POST'} /${string}`
  roles: readonly OperatorRole[]
  /** Absent: it never waits, as everything that only stops something. `roles`: who may run, and so decide about, what waits, if not all of these. */
  approval?: { when: Occasion; concerns: Concern; roles?: readonly OperatorRole[] }
  /** It only stops something, so that somebody who was known when the database last answered may run it while it is away. */
  stops?: true
}

const ANYBODY = OPERATOR_ROLES
/** Everybody who may see bank details and names; each look is recorded. */
const PERSONAL = ['support', 'onboarding', 'treasury', 'compliance', 'admin'] as const
const ONBOARDING = ['onboarding'] as const
const TREASURY = ['treasury'] as const
const COMPLIANCE = ['compliance'] as const
const ADMIN = ['admin'] as const
const PARTNERS = ['onboarding', 'compliance'] as const
const WEBHOOKS = ['support', 'onboarding'] as const
/** Whoever sees that something is wrong stops it. */
const STOPPING = ['support', 'onboarding', 'treasury', 'compliance', 'admin'] as const
type Roles = readonly OperatorRole[]

function line(command: string, route: CommandLine['route'], roles: Roles): CommandLine {
  return { command, route, roles }
}

function stop(command: string, route: CommandLine['route']): CommandLine {
  return { command, route, roles: STOPPING, stops: true }
}

function waits(
  command: string,
  route: CommandLine['route'],
  roles: Roles,
  concerns: Concern,
  when: Occasion = 'always',
): CommandLine {
  return { command, route, roles, approval: { when, concerns } }
}

/** One line for each route. */
export const COMMANDS: readonly CommandLine[] = [
  line('whoami', 'GET /whoami', ANYBODY),
  line('overview', 'GET /overview', ANYBODY),
  line('operator list', 'GET /operators', ANYBODY),
  waits('operator add', 'POST /operators', ADMIN, 'operator'),
  line('operator disable', 'POST /operators/:operatorId/disable', ADMIN),
  // Nobody loses anything by it: whoever is still let in signs in again.
  line('operator sign-out', 'POST /operators/:operatorId/sign-out', ANYBODY),
  // One's own token anybody may replace: it may be known to somebody.
  {
    ...line('operator rotate', 'POST /operators/:operatorId/rotate', ANYBODY),
    approval: { when: "another's token", concerns: 'operator', roles: ADMIN },
  },

  line('approval list', 'GET /approvals', ANYBODY),
  line('approval show', 'GET /approvals/:approvalId', PERSONAL),
  // Who may decide is whoever may run the command itself.
  line('approval approve', 'POST /approvals/:approvalId/approve', PERSONAL),
  line('approval reject', 'POST /approvals/:approvalId/reject', PERSONAL),
  line('audit list', 'GET /audit', ANYBODY),
  line('audit verify', 'GET /audit/verify', ANYBODY),

  line('integration create', 'POST /integrations', ONBOARDING),
  line('integration list', 'GET /integrations', ANYBODY),
  line('integration show', 'GET /integrations/:integrationId', ANYBODY),
  stop('integration suspend', 'POST /integrations/:integrationId/suspend'),
  waits('integration resume', 'POST /integrations/:integrationId/resume', PARTNERS, 'integration'),
  waits('integration release-orders', 'POST /integrations/:integrationId/release-orders', COMPLIANCE, 'held-orders'),
  waits('integration reject-orders', 'POST /integrations/:integrationId/reject-orders', COMPLIANCE, 'orders-held-for'),
  line('integration set', 'POST /integrations/:integrationId/set', ONBOARDING),
  waits('integration add-remitter', 'POST /integrations/:integrationId/remitters', ONBOARDING, 'integration'),
  line('integration remove-remitter', 'POST /integrations/:integrationId/remitters/remove', ONBOARDING),

  waits('key create', 'POST /keys', ONBOARDING, 'integration', 'executes or creates'),
  line('key list', 'GET /keys', ANYBODY),
  stop('key revoke', 'POST /keys/:keyId/revoke'),
  waits('key rotate', 'POST /keys/:keyId/rotate', ONBOARDING, 'key', 'executes or creates'),
  waits('key set', 'POST /keys/:keyId/set', ONBOARDING, 'key'),

  waits('customer link', 'POST /customers', ONBOARDING, 'integration', 'raised cap'),
  line('customer list', 'GET /customers', PERSONAL),
  line('customer show', 'GET /customers/:customerId', PERSONAL),
  waits('customer set', 'POST /customers/:customerId/set', ONBOARDING, 'customer', 'bank account, limit or stop'),
  stop('customer suspend', 'POST /customers/:customerId/suspend'),
  waits('customer release-orders', 'POST /customers/:customerId/release-orders', COMPLIANCE, 'held-orders'),
  line('customer find', 'POST /customers/find', PERSONAL),
  line('customer export', 'GET /customers/:customerId/export', COMPLIANCE),
  waits('customer erase', 'POST /customers/:customerId/erase', COMPLIANCE, 'customer'),

  line('wallet list', 'GET /wallets', ANYBODY),
  line('wallet consent', 'POST /wallets/consent', ONBOARDING),
  waits('wallet add', 'POST /wallets', ONBOARDING, 'wallet'),
  waits('wallet remove', 'POST /wallets/remove', ONBOARDING, 'wallet'),
  stop('wallet freeze', 'POST /wallets/freeze'),
  waits('wallet unfreeze', 'POST /wallets/unfreeze', COMPLIANCE, 'screened-address'),

  line('corporate link', 'POST /corporates', ONBOARDING),
  line('corporate list', 'GET /corporates', ANYBODY),
  line('corporate show', 'GET /corporates/:corporateId', ANYBODY),
  waits('corporate set', 'POST /corporates/:corporateId/set', ONBOARDING, 'corporate', 'end of a stop'),

  line('webhook add', 'POST /webhooks', WEBHOOKS),
  line('webhook list', 'GET /webhooks', ANYBODY),
  line('webhook set', 'POST /webhooks/:endpointId/set', WEBHOOKS),
  line('webhook remove', 'POST /webhooks/:endpointId/remove', WEBHOOKS),
  line('webhook test', 'POST /webhooks/:endpointId/test', WEBHOOKS),
  line('webhook disable', 'POST /webhooks/:endpointId/disable', WEBHOOKS),
  line('webhook enable', 'POST /webhooks/:endpointId/enable', WEBHOOKS),
  line('webhook activate', 'POST /webhooks/:endpointId/activate', WEBHOOKS),
  line('webhook rotate', 'POST /webhooks/:endpointId/rotate', WEBHOOKS),
  line('webhook deliveries', 'GET /webhooks/:endpointId/deliveries', ANYBODY),
  line('webhook replay', 'POST /webhooks/replay', WEBHOOKS),
  line('webhook listen', 'GET /webhooks/events', WEBHOOKS),

  line('order list', 'GET /orders', ANYBODY),
  line('order find', 'GET /orders/find', ANYBODY),
  line('order show', 'GET /orders/:integrationId/:referenceId', ANYBODY),
  stop('order hold', 'POST /orders/:integrationId/:referenceId/hold'),
  waits('order release', 'POST /orders/:integrationId/:referenceId/release', COMPLIANCE, 'order'),
  waits('order reject', 'POST /orders/:integrationId/:referenceId/reject', COMPLIANCE, 'order'),
  waits('order make-good', 'POST /orders/:integrationId/:referenceId/make-good', TREASURY, 'order'),

  line('batch list', 'GET /batches', ANYBODY),
  line('batch show', 'GET /batches/:chainId/:batchId', ANYBODY),
  waits('batch explain', 'POST /batches/:chainId/:batchId/explain', TREASURY, 'batch'),

  line('payout list', 'GET /payouts', ANYBODY),
  line('payout show', 'GET /payouts/:payoutId', PERSONAL),
  line('payout assign', 'POST /payouts/:payoutId/assign', TREASURY),
  stop('payout hold', 'POST /payouts/:payoutId/hold'),
  waits('payout release', 'POST /payouts/:payoutId/release', TREASURY, 'payout'),
  waits('payout retry', 'POST /payouts/:payoutId/retry', TREASURY, 'payout'),
  waits('payout mark-paid', 'POST /payouts/:payoutId/mark-paid', TREASURY, 'payout'),
  waits('payout mark-unpaid', 'POST /payouts/:payoutId/mark-unpaid', TREASURY, 'payout'),
  waits('payout resettle', 'POST /payouts/:payoutId/resettle', TREASURY, 'payout'),
  waits('payout refund', 'POST /payouts/:payoutId/refund', TREASURY, 'payout'),
  waits('payout settle-residual', 'POST /payouts/settle-residual', TREASURY, 'residual'),

  line('bank export', 'POST /bank/export', TREASURY),
  waits('bank read-back', 'POST /bank/read-back', TREASURY, 'payment-files'),
  waits('bank withdraw-unopened', 'POST /bank/withdraw-unopened', TREASURY, 'unopened-files'),
  waits('bank import', 'POST /bank/import', TREASURY, 'nothing'),
  line('bank statements', 'GET /bank/statements', TREASURY),
  line('bank statements list', 'GET /bank/statements/applied', TREASURY),
  waits('bank statements withdraw', 'POST /bank/statements/:statementNo/withdraw', TREASURY, 'statement'),
  waits('bank statements bridge', 'POST /bank/statements/:statementNo/bridge', TREASURY, 'statement'),
  line('bank files', 'GET /bank/files', TREASURY),
  line('bank awaited', 'GET /bank/awaited', TREASURY),
  line('bank unallocated list', 'GET /bank/unallocated', TREASURY),
  waits('bank unallocated assign', 'POST /bank/unallocated/:lineId/assign', TREASURY, 'bank-line'),
  waits('bank unallocated allocate', 'POST /bank/unallocated/:lineId/allocate', TREASURY, 'bank-line'),
  line('bank lines list', 'GET /bank/lines', TREASURY),
  waits('bank lines take-back', 'POST /bank/lines/:lineId/take-back', TREASURY, 'bank-line'),

  stop('screening deny', 'POST /screening/deny'),
  waits('screening allow', 'POST /screening/allow', COMPLIANCE, 'screened-address'),
  line('screening list', 'GET /screening', ANYBODY),
  line('screening check', 'GET /screening/check', ANYBODY),

  line('chain status', 'GET /chains', ANYBODY),
  stop('chain pause', 'POST /chains/pause'),
  waits('chain resume', 'POST /chains/resume', [...COMPLIANCE, ...TREASURY, ...ADMIN], 'chains'),
  waits('chain lost', 'POST /chains/lost', [...TREASURY, ...ADMIN], 'lost-chain'),
  waits('chain found', 'POST /chains/found', [...TREASURY, ...ADMIN], 'lost-chain'),
  line('reconcile', 'GET /reconcile', ANYBODY),
  waits('counter recount', 'POST /counters/recount', TREASURY, 'counter'),
  line('ledger balances', 'GET /ledger/balances', ANYBODY),
  line('ledger entries', 'GET /ledger/entries', ANYBODY),
  line('ledger verify', 'GET /ledger/verify', ANYBODY),
  line('ledger close', 'POST /ledger/close', TREASURY),
  line('reserves report', 'GET /reserves', ANYBODY),
  line('reserves proof', 'GET /reserves/proof', ANYBODY),
  line('close', 'GET /close', ANYBODY),
  line('secrets reseal', 'POST /secrets/reseal', ADMIN),
  waits('secrets lost', 'POST /secrets/lost', ADMIN, 'secrets-key'),
]

const BY_ROUTE = new Map<string, CommandLine>(COMMANDS.map((each) => [each.route, each]))

/**
 * The line of a route; a HEAD request counts as its GET.
 * @param path below /operator/v1, as the route is registered
 * @throws Error when it has none
 */
export function lineOf(method: string, path: string): CommandLine {
  const route = `${method === 'HEAD' ? 'GET' : method} ${path}`
  const found = BY_ROUTE.get(route)
  if (found === undefined) throw new Error(`${route} has no line in src/operators/commands.ts: who may run it?`)
  return found
}
