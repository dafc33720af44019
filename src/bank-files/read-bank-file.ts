/** Any XML file from a bank → plain data, or the reason why nothing of it is taken. */
import { openMessage } from './definitions.ts'
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
    switch (message.identity.definition) {
      case 'pain.002.001.03':
      case 'pain.002.001.10':
        return { kind: 'status_report', report: readStatusReport(message) }
      case 'camt.053.001.02':
      case 'camt.053.001.08':
        return { kind: 'statement', file: readStatements(message, rules) }
      case 'camt.054.001.08':
        return { kind: 'notification', file: readNotifications(message, rules) }
      case 'pain.001.001.09':
        return refuse('unknown_message', 'The file is a payment file; banks do not send those.')
    }
  })
}
