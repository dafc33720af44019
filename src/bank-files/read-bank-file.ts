/** Any XML file from a bank → plain data, or the reason why nothing of it is taken. */
import { kindOf, openMessage } from './definitions.ts'
import { catchRefusal, type Reading, refuse } from './refusal.ts'
import type { AccountRules } from './statement/header.ts'
import { readNotifications } from './statement/read-notification.ts'
import { readStatements } from './statement/read-statement.ts'
import type { NotificationFile, StatementFile } from './statement/statement.ts'
import { readStatusReport } from './status-report/read.ts'
import type { StatusReport } from './status-report/report.ts'
import { parseXml } from './xml/parse.ts'

export type BankFile =
  | { kind: 'status_report'; report: StatusReport }
  | { kind: 'statement'; file: StatementFile }
  | { kind: 'notification'; file: NotificationFile }

/**
 * Reads pain.002, camt.053 or camt.054, told apart by their namespaces. All or nothing: a file that breaks its
 * definition or its own sums anywhere is refused, and nothing of it is used.
 */
export function readBankFile(bytes: Uint8Array, rules: AccountRules): Reading<BankFile> {
  return catchRefusal((): BankFile => {
    const message = openMessage(parseXml(bytes), bytes)
    switch (kindOf(message.identity.definition)) {
      case 'status_report':
        return { kind: 'status_report', report: readStatusReport(message) }
      case 'statement':
        return { kind: 'statement', file: readStatements(message, rules) }
      case 'notification':
        return { kind: 'notification', file: readNotifications(message, rules) }
      case 'payment_file':
        return refuse('unknown_message', 'The file is a payment file; banks do not send those.')
    }
  })
}
