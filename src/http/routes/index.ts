/** The operations of the partner API. */
import type { Route } from '../route.ts'
import { accountRoutes } from './accounts.ts'
import { balanceRoutes } from './balances.ts'
import { eventRoutes } from './events.ts'
import { mintRoutes } from './mints.ts'
import { redeemRoutes } from './redeems.ts'
import { systemRoutes } from './system.ts'
import { transactionRoutes } from './transactions.ts'
import { transferRoutes } from './transfers.ts'

/** The table of operations: registered by the app, documented by OpenAPI. */
export const ROUTES: readonly Route[] = [
  ...systemRoutes,
  ...mintRoutes,
  ...redeemRoutes,
  ...transferRoutes,
  ...transactionRoutes,
  ...balanceRoutes,
  ...accountRoutes,
  ...eventRoutes,
]
