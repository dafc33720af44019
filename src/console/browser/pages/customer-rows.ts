/** The columns of every table of customers. */
import { instantColumn, shortIdColumn } from '../columns.ts'
import { Ending, Id, Nothing, Status, Words } from '../parts.ts'
import { hrefOf } from '../router.ts'
import type { Column } from '../table.ts'
import { html } from '../view.ts'
import type { CustomerRow } from './customer-fields.ts'

export const CUSTOMER_COLUMNS: readonly Column<CustomerRow>[] = [
  {
    key: 'customer',
    title: 'Customer',
    by: (row) => row.customerId,
    show: (row) => html`<${Id} of=${row.customerId} href=${hrefOf(['customers', row.customerId])} />`,
  },
  {
    key: 'external',
    title: 'External id',
    by: (row) => row.externalId,
    show: (row) => html`<${Words}>${row.externalId ?? html`<${Nothing} />`}<//>`,
  },
  shortIdColumn('integration', 'Integration', (row) => row.integrationId),
  { key: 'type', title: 'Type', by: (row) => row.accountType, show: (row) => row.accountType.toLowerCase() },
  {
    key: 'verification',
    title: 'Verification',
    by: (row) => row.verification.status,
    show: (row) => html`<${Status} of=${row.verification.status.toLowerCase()} /> ${row.verification.level}`,
  },
  {
    key: 'bank',
    title: 'Bank account',
    by: (row) => row.bank?.name,
    show: (row) =>
      row.bank === null ? html`<${Nothing} />` : html`<bdi>${row.bank.name}</bdi> <${Ending} of=${row.bank.account} />`,
  },
  instantColumn('created', 'Created', (row) => row.createdAt),
]
