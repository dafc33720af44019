/** camt.054 → notifications. */
import type { Message } from '../definitions.ts'
import { quoted, refuse } from '../refusal.ts'
import { child, children, optionalChild, textIn } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { readEntry } from './entry.ts'
import { type AccountRules, ownAccountIn, refuseOtherPages, withoutOtherCurrencies } from './header.ts'
import type { Notification, NotificationFile } from './statement.ts'
import { refuseWrongSummary } from './summary.ts'

/** Booked, or still to be booked; an entry for information only is neither. */
const STATUSES: ReadonlySet<string> = new Set(['BOOK', 'PDNG'])

/** @throws a refusal; see `readBankFile` */
export function readNotifications({ identity, body }: Message, rules: AccountRules): NotificationFile {
  refuseOtherPages(child(body, 'GrpHdr'), 'MsgPgntn')
  const { definition } = identity
  const { ours, leftOut } = withoutOtherCurrencies(children(body, 'Ntfctn'), rules)
  const notifications = ours.map((element): Notification => {
    refuseOtherPages(element, 'NtfctnPgntn')
    return {
      notificationId: textIn(element, 'Id', 35),
      account: ownAccountIn(element, rules),
      lines: readLines(element, { ...rules, definition }),
    }
  })
  if (notifications.length === 0) refuse('wrong_content', 'The file has no notification.')
  const ids = new Set(notifications.map(({ account, notificationId }) => `${account} ${notificationId}`))
  if (ids.size < notifications.length) refuse('duplicated_id', 'The file has two notifications of one id.')
  return { identity, notifications, leftOut }
}

function readLines(
  element: XmlElement,
  context: AccountRules & { definition: Message['identity']['definition'] },
): Notification['lines'] {
  const entries = children(element, 'Ntry').map((entry, index) => readEntry(entry, index + 1, context))
  refuseWrongSummary(optionalChild(element, 'TxsSummry'), entries)
  return entries.flatMap(({ status, lines }) => {
    if (!STATUSES.has(status)) refuse('wrong_content', `An entry is ${quoted(status)}, neither booked nor pending.`)
    return lines.map((line) => ({ ...line, booked: status === 'BOOK' }))
  })
}
