/** What settlers say of a payout that they hold as an operator would: which nobody else writes, and by which it is known that a settler holds it. */

export const UNBURNT =
  'The chain has lost the burn that it pays, for good: the holder has the coin again. Agree with the partner first: "coin payout release" pays it all the same, and then "coin order make-good" books that the integration owes it.'

/** Of a batch of others nothing is written down, so that no other command ends it. */
export const TAKEN_REFUSED =
  'The batch of others that had burnt its coin was executed again and has refused that: the holder has the coin, unless the chain has changed that since. Agree with the partner first: "coin payout release" pays it all the same, and then the partner owes the ringgit, which no command books.'

export const BURNT_AGAIN =
  'The chain had lost the burn that it pays, and has it again: run "coin payout release", unless it is held for another reason, too.'

export const MINTED_AFTER_ALL =
  'The chain has executed a refund of it after all, which had failed: the holder has the coin, unless the chain has changed that since. "coin order make-good ORDER --reason …" of that refund ends it as minted back, where "coin reconcile" names a batch once that is explained. "coin payout release" pays it all the same, and then its integration owes the coin.'

/** What it was held for follows. */
export const HELD_BEFORE =
  'A batch of others has burnt the coin of its redeem, which was held: "coin payout release" pays it, once whoever held that has let it go. It was held for: '

/**
 * What was said ends with the release: whether it is still so is looked up by whoever looks at the payout, and it would stand as a reason for whatever it
 * is held for next. Not `TAKEN_REFUSED`, which nothing else says. What begins with `HELD_BEFORE` ends, too.
 */
export const ENDS_WITH_RELEASE: readonly string[] = [UNBURNT, BURNT_AGAIN, MINTED_AFTER_ALL]

/** Whether a settler has said this of a payout, for which it holds it as an operator would. */
export const isSaidBySettler = (said: string): boolean =>
  [UNBURNT, TAKEN_REFUSED, BURNT_AGAIN, MINTED_AFTER_ALL, HELD_BEFORE].some((each) => said.startsWith(each))

/** Whether that is that its redeem was held, and is burnt all the same. */
export const saysRedeemWasHeld = (said: string): boolean => said.includes(HELD_BEFORE)

/** Whether that is that the chain has lost the burn. */
export const saysBurnIsLost = (said: string): boolean => said.startsWith(UNBURNT)
