/** The balances between which a statement's lines lie. */
import { refuse } from '../refusal.ts'
import { child, optionalText } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { dayOf, directionOf, senOf } from '../xml/values.ts'
import { changeOf, type Statement } from './statement.ts'

type Balance = { code: string | null; day: string; balanceSen: bigint }

/**
 * The opening balance (`OPBD`, or `PRCD`, the previous closing) and the closing balance (`CLBD`); other kinds are
 * ignored.
 * @throws a refusal when one is missing or doubled, or when the two kinds of opening balance differ
 */
export function readBalances(
  elements: readonly XmlElement[],
  timeZone: string,
): Pick<Statement, 'openedOn' | 'openingSen' | 'closedOn' | 'closingSen'> {
  const balances = elements.map((element) => readBalance(element, timeZone))
  const opened = oneOf(balances, 'OPBD')
  const previous = oneOf(balances, 'PRCD')
  const opening = opened ?? previous ?? refuse('does_not_balance', 'The statement has no opening balance.')
  const closing = oneOf(balances, 'CLBD') ?? refuse('does_not_balance', 'The statement has no closing balance.')
  if (previous !== undefined && previous.balanceSen !== opening.balanceSen) {
    refuse('does_not_balance', 'The statement does not open with the balance that it says it closed with before.')
  }
  if (closing.day < opening.day) refuse('wrong_content', 'The statement closes before it opens.')
  return {
    openedOn: opening.day,
    openingSen: opening.balanceSen,
    closedOn: closing.day,
    closingSen: closing.balanceSen,
  }
}

function readBalance(element: XmlElement, timeZone: string): Balance {
  const amountSen = senOf(child(element, 'Amt'))
  return {
    code: optionalText(child(child(element, 'Tp'), 'CdOrPrtry'), 4, 'Cd'),
    day: dayOf(child(element, 'Dt'), timeZone),
    balanceSen: changeOf({ direction: directionOf(element), amountSen }),
  }
}

function oneOf(balances: readonly Balance[], code: string): Balance | undefined {
  const found = balances.filter((balance) => balance.code === code)
  if (found.length > 1) refuse('does_not_balance', `The statement has more than one balance ${code}.`)
  return found[0]
}
