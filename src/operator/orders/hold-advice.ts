/** What holds a chain's orders, and who must do what about it. */
import type { HoldReason as SettlementHold } from '../../settlement/metrics.ts'

/** What a reason that holds a chain means, and who must act: a sentence without its capital. */
export function adviceOn(reason: string): string {
  return HOLD_ADVICE[reason as keyof typeof HOLD_ADVICE] ?? 'see the runbook "Orders are stuck".'
}

/** What a raised limit does besides. */
export const RAISED = 'where ON_FOREIGN_MOVEMENT is "pause", this pauses settlement until "coin chain resume"'
const REFILL = `is used up: it refills with time, or the limiter raises it (${RAISED}).`

/** What each reason means, and who must act. */
export const HOLD_ADVICE: Readonly<Record<Exclude<SettlementHold, 'none'>, string>> = {
  paused: 'the coin or settlement is paused: run "coin chain resume" when that is over.',
  reserve:
    'the ringgit at the bank does not cover this mint, or one that waits before it: import the newest statement (one that is imported and waits for another is in "coin bank statements"), or pay money in. Where "covered" is more than 0, "coin order hold ORDER --reason …" of the first that waits lets those behind it go on that fit; where a statement is missing or too old, it does not help.',
  'mint-limit': `the on-chain limit of mints ${REFILL}`,
  'burn-limit': `the on-chain limit of redeems ${REFILL}`,
  'transfer-limit': `the on-chain limit of transfers ${REFILL}`,
  'gas-price':
    'gas costs more than maxFeePerGasGwei of the chains file allows (both in the details, in wei): wait, or raise it there and restart the settlers.',
  'gas-balance': 'a signer cannot pay for gas: send native coin to it.',
  'batch-conflict':
    'the chain has batches that this database did not make: they are read when they are deep enough. With otherUnderFinalBatch, lostForeignBatch or lostBatch it has lost one that was final, and waits for people: see the runbook "The chain lost a final batch".',
  'other-chain-unread':
    'the chains named in the details have not been read since the event that the details give; if this database is an older copy, they may have settled the same references. This ends once each has been read: see what holds them. Take one that stays away out of the chains file until its nodes answer: at once after a stop that you had planned, but after a restore, or where a data folder or disk was put back, only once it is known what it settled.',
  'other-chain-unfenced':
    'what was accepted since the database was restored, or another took over, waits for the fence of the chains named in the details: an order that the lost history had there under the same reference may still settle. This ends a few blocks after their settlers work. Take a chain that stays away out of the chains file, but only once it is known what it settled.',
  'signer-without-role':
    'no signer of the chains file has SIGNER_ROLE: put one that has it there, such as the one in reserve, or have the admin grant it.',
  'settlement-without-role':
    "the Settlement contract lacks the coin's SETTLER_ROLE: find out who took it away, then the admin of the coin has to grant it.",
  'simulation-failed':
    'the contract refuses the next batch: see the log of the settler, and compare the addresses in the chains file with "coin chain status".',
  'signer-unavailable': 'the signer does not sign: see that it runs, or put another one into the chains file.',
  'batch-not-mined':
    'no block takes the batch in flight: see what the nodes answered ("coin order show ORDER" of an order in it), whether the chain makes blocks, and whether the RPC addresses pass transactions on.',
  'batch-not-found':
    'the contract has settled a batch, but the nodes do not show its transaction: see that the RPC addresses serve receipts and whole blocks, or add one that does. Everything else goes on.',
  fence:
    'the database was restored, or another has taken over. No order is rejected or cancelled before a batch that settles nothing is final, after which nothing can be executed that the lost history had signed: hold the order, and wait. Orders settle meanwhile.',
  'batch-undecided':
    'the outcome of a final batch could not be recorded: see the error in the log of the settler. It is tried again, and everything else goes on.',
  'chain-behind':
    'the RPC addresses are behind what was seen before ("coin chain status" names those that are behind others): wait, or replace them in the chains file. With lostAtHead they lack batches that were final, which are sent or signed again by themselves; unsigned says why one is not now: do away with that. See the log of the settler, and the runbook "The chain lost a final batch".',
  'chain-mismatch':
    'the chain or its contracts are not as configured: "coin chain status" and the log of the settler say what differs. Find out who changed it, then correct the chains file; if it was your own upgrade, start the version of the service that has the new code.',
  'round-failed':
    'rounds of settlement fail: the log of the settler has the error, usually RPC addresses that do not answer or do not agree.',
  'sanctions-oracle':
    'the sanctions oracle does not answer about wallets of due orders, or now lists them: see that its address in the chains file is right.',
  'foreign-movement':
    'something happened on the chain that nobody here asked for: "coin chain status" lists it. Find out who did it, then run "coin chain resume --known CHAIN/NUMBER".',
}
