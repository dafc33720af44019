/**
 * The pages, in the order of the navigation. A page is a component in a file of its own below `pages/`, and a line here.
 * It is given what stands behind its name in the address.
 */
import type { PageProps } from './page.ts'
import { ApprovalsPage } from './pages/approvals.ts'
import { AuditPage } from './pages/audit.ts'
import { BankPage } from './pages/bank.ts'
import { BooksPage } from './pages/books.ts'
import { ChainsPage } from './pages/chains.ts'
import { CustomersPage } from './pages/customers.ts'
import { IntegrationsPage } from './pages/integrations.ts'
import { OperatorsPage } from './pages/operators.ts'
import { OrdersPage } from './pages/orders.ts'
import { OverviewPage } from './pages/overview.ts'
import { PayoutsPage } from './pages/payouts.ts'
import { ReconciliationPage } from './pages/reconciliation.ts'
import { ScreeningPage } from './pages/screening.ts'
import type { View } from './view.ts'

export type PageEntry = {
  /** The first part of the address below /console/. */
  name: string
  title: string
  /** Who may run this command of the table sees the page. */
  command: string
  page: (props: PageProps) => View
}

export const PAGES: readonly PageEntry[] = [
  { name: 'overview', title: 'Overview', command: 'overview', page: OverviewPage },
  { name: 'orders', title: 'Orders', command: 'order list', page: OrdersPage },
  { name: 'payouts', title: 'Payouts', command: 'payout list', page: PayoutsPage },
  { name: 'approvals', title: 'Approvals', command: 'approval list', page: ApprovalsPage },
  { name: 'bank', title: 'Bank', command: 'bank statements', page: BankPage },
  { name: 'books', title: 'Books & reserves', command: 'ledger balances', page: BooksPage },
  { name: 'reconciliation', title: 'Reconciliation', command: 'reconcile', page: ReconciliationPage },
  { name: 'integrations', title: 'Integrations', command: 'integration list', page: IntegrationsPage },
  { name: 'customers', title: 'Customers & wallets', command: 'customer list', page: CustomersPage },
  { name: 'screening', title: 'Screening', command: 'screening list', page: ScreeningPage },
  { name: 'chains', title: 'Chains', command: 'chain status', page: ChainsPage },
  { name: 'audit', title: 'Audit', command: 'audit list', page: AuditPage },
  { name: 'operators', title: 'Operators', command: 'operator list', page: OperatorsPage },
]
