/** What each role of the service begins with. What it may do in the database follows from what these reach. */
import type { Role } from '../../src/config.ts'
import { EVENT_COLUMNS } from '../../src/events/events.sql.ts'
import { KINDS } from '../../src/orders/kinds.ts'
import { ACCEPTED_COLUMNS } from '../../src/orders/row.sql.ts'
import type { Declared } from './symbols.ts'

/** Every process has the object that could do it; these two have keys for it. */
const KEY_ACTION: Declared = 'chain/key-action.ts#performKeyAction'

/** Every process has the code of it; only those run it that have the key of what is sealed (`SEALING_ROLES`). */
const KEY_OF_SEALED: Declared = 'db/secrets-key.sql.ts#requireSecretsKey'

export const BEGINNINGS: Readonly<Record<Role, readonly Declared[]>> = {
  api: ['roles/api.ts#startApi'],
  settler: ['roles/workers.ts#startSettler', 'roles/workers.ts#startHousekeeping', KEY_ACTION],
  payer: [
    'roles/workers.ts#startPayer',
    'roles/workers.ts#startSealer',
    'roles/workers.ts#startReconciliation',
    'roles/workers.ts#startProver',
    'roles/bank.ts#startReader',
    KEY_OF_SEALED,
  ],
  courier: ['roles/workers.ts#startCourier', KEY_OF_SEALED],
  operator: [
    'roles/operator.ts#operatorApp',
    'roles/operator.ts#startAuditSealer',
    'operator/break-glass.ts#breakGlass',
    'operator/forget-key.ts#forgetSecretsKey',
    KEY_ACTION,
    KEY_OF_SEALED,
  ],
}

/** Every process runs this, whatever its roles are. */
export const EVERY_PROCESS: Declared = 'service.ts#createService'

/** Not run where the database roles are: as the tables' owner, in the sandbox, or with the embedded database. */
export const ELSEWHERE: readonly string[] = [
  'roles/database.ts#prepareDatabase',
  'sandbox/',
  'leases/leases.sql.ts#endAllLeases',
]

/** Columns that only those read whose statements name them: secrets, sealed or hashed as they are, and bank details. */
export const GUARDED_COLUMN =
  /(^|_)(secret|sealed|encrypted)(_|$)|_sha256$|^(account_key|text_key|name_keys|account_ending|bic)$|^(consent|body|answer|content)$/

/**
 * What trigger functions write, and on whose behalf: they run with the rights of whoever fires them. Others that change an order
 * make no move in which it is written.
 */
export const WRITTEN_IN_TRIGGERS: Readonly<
  Record<string, { table: string; verb: 'delete' | 'add'; roles: readonly Role[] }>
> = {
  guard_order: { table: 'signed_orders', verb: 'delete', roles: ['settler', 'operator'] },
  // Whoever seals adds up by itself, too.
  add_lost_sealed: { table: 'ledger_totals', verb: 'add', roles: [] },
}

/** What statements insert that do not say so in their text, but put in these names when they run. */
export const INSERTED_WHEN_RUN: Readonly<Record<string, readonly string[]>> = {
  'insert events': EVENT_COLUMNS.map(([name]) => name),
  'insert orders': [
    ...ACCEPTED_COLUMNS,
    ...Object.values(KINDS).flatMap(({ usage: { storedIn } }) =>
      storedIn === undefined ? [] : Object.values(storedIn),
    ),
  ],
}
