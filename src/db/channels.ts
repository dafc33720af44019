/** The channels of notifications. Whoever listens also polls, so one that is lost costs a poll interval, no more. */

/** Orders of a chain were accepted; the payload is its chain id. */
export const ORDERS_ACCEPTED = 'orders_accepted'
/** Payouts are due to be initiated, or asked about. */
export const PAYOUTS_DUE = 'payouts_due'
/** Webhook deliveries are due. */
export const DELIVERIES_DUE = 'deliveries_due'
