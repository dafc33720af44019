/** The channels of notifications. Every listener also polls, so a lost notification costs one poll interval at most. */

/** Orders of a chain were accepted; the payload is its chain id. */
export const ORDERS_ACCEPTED = 'orders_accepted'
/** Payouts are due: to be initiated, or to be asked about. */
export const PAYOUTS_DUE = 'payouts_due'
/** Webhook deliveries are due. */
export const DELIVERIES_DUE = 'deliveries_due'
