/** The newest statement of each bank account, and those that wait for one that is missing. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { instantColumn, ringgitColumn, textColumn } from '../columns.ts'
import { queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Instant, Note, Section } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type AccountRow = {
  bankAccount: string
  statementId: string
  closedOn: string
  closing: string
  creditsSince: string
  unbooked: string
  importedAt: string
}
type WaitingRow = {
  statementNo: string
  bankAccount: string
  statementId: string
  openedOn: string
  opening: string
  missing: string
}
type Listed = {
  accounts: AccountRow[]
  waiting: WaitingRow[]
  next: string | null
  filesStopped: { reason: string; since: string } | null
  filesWaiting: LeftRow[]
  notified: NotifiedRow[]
}
type NotifiedRow = {
  bankAccount: string
  bookedOn: string
  amount: string
  endToEndId: string | null
  reference: string | null
  importedAt: string
}
type LeftRow = { name: string; reason: string; since: string }

const ACCOUNTS: readonly Column<AccountRow>[] = [
  {
    key: 'account',
    title: 'Bank account',
    by: (row) => row.bankAccount,
    show: ({ bankAccount }) => html`<a href=${hrefOf(['bank', 'applied'], { of: bankAccount })}>${bankAccount}</a>`,
  },
  textColumn('statement', 'Newest statement', (row) => row.statementId),
  textColumn('closed', 'Closed on', (row) => row.closedOn),
  ringgitColumn('closing', 'Closing balance', (row) => row.closing),
  ringgitColumn('since', 'Come in since', (row) => row.creditsSince),
  ringgitColumn('unbooked', 'Not booked yet', (row) => row.unbooked),
  instantColumn('imported', 'Taken in', (row) => row.importedAt),
]

const LEFT: readonly Column<LeftRow>[] = [
  textColumn('name', 'File', (row) => row.name),
  instantColumn('since', 'Since', (row) => row.since),
  textColumn('reason', 'Waits for', (row) => row.reason),
]

const NOTIFIED: readonly Column<NotifiedRow>[] = [
  textColumn('account', 'Bank account', (row) => row.bankAccount),
  textColumn('booked', 'Booked on', (row) => row.bookedOn),
  ringgitColumn('amount', 'Amount', (row) => row.amount),
  textColumn('end-to-end', 'End-to-end id', (row) => row.endToEndId),
  textColumn('reference', 'Reference', (row) => row.reference),
]

const waitingColumns = (refresh: () => unknown): readonly Column<WaitingRow>[] => [
  textColumn('account', 'Bank account', (row) => row.bankAccount),
  textColumn('statement', 'Statement', (row) => row.statementId),
  textColumn('opened', 'Opened on', (row) => row.openedOn),
  ringgitColumn('opening', 'Opening balance', (row) => row.opening),
  textColumn('missing', 'Missing', (row) => row.missing),
  {
    key: 'do',
    title: 'Actions',
    show: ({ statementNo, bankAccount, statementId }) => html`<${Action} command="bank statements withdraw"
      label="Withdraw …" danger target=${`statement ${bankAccount}/${statementId}`}
      path=${`/bank/statements${pathOf(statementNo)}/withdraw`} onDone=${refresh}
      says="Sets the statement aside for good: nothing of it is ever booked. Only do so when the bank has said that it was wrong and that another one replaces it; one that merely waits for an earlier statement goes on by itself once that is taken in." />
      <${Action} command="bank statements bridge" label="Book the difference …" danger target=${`statement ${bankAccount}/${statementId}`}
      path=${`/bank/statements${pathOf(statementNo)}/bridge`} fields=${BRIDGED} onDone=${refresh}
      says="Books what the bank has corrected in an earlier statement as a line of its own that nothing explains yet; this statement, and what waits for it, is then applied. Only do so when the bank has confirmed the correction: a statement that is merely late closes the gap by itself when it comes." />`,
  },
]

const BRIDGED = [
  {
    name: 'difference',
    label: 'Difference',
    hint: 'ringgit: opening balance of this statement minus closing balance of the last one; may be below zero, and is 0 where the bank has only left out a number',
  },
  {
    name: 'parts',
    label: 'Parts',
    optional: true,
    hint: 'where the bank has corrected several things: of which lines the difference consists, with commas between them, such as -10,8.50',
  },
]

export function Statements(): View {
  const read = useLive<Listed>(`/bank/statements${queryOf([])}`)
  return html`<${Loaded} from=${read} show=${({
    accounts,
    waiting,
    next,
    filesStopped,
    filesWaiting,
    notified,
  }: Listed) => html`
    ${filesStopped !== null && html`<${Note}>Payment files are stopped since <${Instant} at=${filesStopped.since} />: ${filesStopped.reason} Read the files back, with the button above.<//>`}
    <${Table} caption="Newest statements" columns=${ACCOUNTS} rows=${accounts} empty="No statement has been taken in."
      idOf=${(row: AccountRow) => row.bankAccount} />
    ${
      filesWaiting.length > 0 &&
      html`<${Section} title="Files that were not taken in yet"><${Table} caption="Files that wait" columns=${LEFT} rows=${filesWaiting}
        sortedBy="since" empty="" idOf=${(row: LeftRow) => row.name} /><//>`
    }
    ${
      notified.length > 0 &&
      html`<${Section} title="Notified, and on no statement yet"><${Table} caption="Notified" columns=${NOTIFIED} rows=${notified}
        empty="" idOf=${(row: NotifiedRow) => `${row.bankAccount} ${row.bookedOn} ${row.amount} ${row.endToEndId ?? ''} ${row.reference ?? ''} ${row.importedAt}`} /><//>`
    }
    <${Section} title="Statements that wait for an earlier one"><${Table} caption="Statements that wait" columns=${waitingColumns(read.refresh)} rows=${waiting} sortedBy="waiting"
      empty="None waits: each followed the one before." idOf=${(row: WaitingRow) => `${row.bankAccount} ${row.statementId}`} />
      <${Pages} next=${next} /><//>`} />`
}
