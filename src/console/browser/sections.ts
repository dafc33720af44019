/**
 * The pages, in the order of the navigation. A page is a component in a file of its own below `pages/`, and a line here.
 * It is given what stands behind its name in the address.
 */
import type { PageProps } from './page.ts'
import { ApprovalsPage } from './pages/approvals.ts'
import { OrdersPage } from './pages/orders.ts'
import { OverviewPage } from './pages/overview.ts'
import { PayoutsPage } from './pages/payouts.ts'
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
]
