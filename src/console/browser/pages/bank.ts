/** The bank: its statements, the files that came from it, mints whose ringgit it has not seen, and money that nothing explains. */
import { Action } from '../action.ts'
import type { PageProps } from '../page.ts'
import { Note } from '../parts.ts'
import { useRoute } from '../router.ts'
import { html, type View } from '../view.ts'
import { Applied } from './applied.ts'
import { Awaited } from './awaited.ts'
import { Awaiting } from './awaiting.ts'
import { BankFiles } from './bank-files.ts'
import { BankLines } from './bank-lines.ts'
import { LinesOf } from './lines-of.ts'
import { Parts, partOf } from './part.ts'
import { Statements } from './statements.ts'

const PARTS = [
  { name: 'statements', title: 'Statements', show: Statements },
  { name: 'applied', title: 'Statements of an account', show: Applied },
  { name: 'unallocated', title: 'What nothing explains', show: BankLines },
  { name: 'lines', title: 'What belongs to what', show: LinesOf },
  { name: 'awaited', title: 'Awaited', show: Awaited },
  { name: 'files', title: 'Files', show: BankFiles },
] as const

export function BankPage({ rest: [name] }: PageProps): View {
  useRoute()
  const part = partOf(PARTS, name)
  return html`<div class="head"><h1>Bank</h1><div class="buttons">
      <${Action} command="bank import" label="Take in a file …" target="a file from the bank" path="/bank/import" danger
        says="Takes in a statement, a notification or a status report, as if the bank’s transport had brought it. What it says is booked. The same file taken in twice changes nothing."
        fields=${[IMPORTED, AS_BOOKED]} bodyOf=${bodyOfImport} result=${Imported} refused=${whySetAside} />
      <${Action} command="bank export" label="Write a payment file …" target="what waits to be paid" path="/bank/export" danger
        says="Puts every payout that waits into a payment file now, which the transport takes to the bank." result=${Files} />
      <${Action} command="bank read-back" label="Read files back …" target="the folder of payment files" path="/bank/read-back" danger
        says="After a restore: learns from the folder what was sent before, so that payment files are written again. Nothing is paid." result=${Files} />
      <${Action} command="bank withdraw-unopened" label="Withdraw unopened files …" target="payment files that no key opens" path="/bank/withdraw-unopened" danger
        says="Sets aside, for good, every payment file that waits because no key opens it and that did not go out. Payments in them go into the next file." result=${Files} />
    </div></div>
    <p class="lead">What the bank said, and what was said to it.</p>
    <${Awaiting} noun="bank" />
    <${Parts} page="bank" title="Parts of the bank’s page" of=${PARTS} here=${part?.name} />
    ${part === undefined ? html`<p class="empty">There is no such part.</p>` : html`<${part.show} key=${part.name} />`}`
}

/** A file that is asked for again where its approval is run: an approval keeps no whole file, but what names it exactly. */
export const IMPORTED = { name: 'file', label: 'File', type: 'file' } as const

const AS_BOOKED = {
  name: 'asBooked',
  label: 'Why as booked',
  optional: true,
  hint: 'only for a statement that was set aside: why its entries count as booked, although their transactions do not add up to them, or two say the same under one reference',
} as const

/** The request for a chosen file, which `action.ts` gives as `name:base64`. */
export function bodyOfImport({ file = '', asBooked = '' }: Record<string, string>): Record<string, unknown> {
  const colon = file.lastIndexOf(':')
  const named = { name: file.slice(0, colon), content: file.slice(colon + 1) }
  return asBooked === '' ? named : { ...named, asBooked }
}

type Taken = {
  accepted: number
  repeated: number
  setAside: number
  matched: number
  unallocated: number
  waiting: number
  reason: { sentence: string } | null
}

/** Why nothing of a file was taken in; undefined where it was, now or before. */
export function whySetAside({ setAside, reason }: Partial<Pick<Taken, 'setAside' | 'reason'>>): string | undefined {
  return setAside === undefined || setAside === 0 ? undefined : `It was set aside: ${reason?.sentence}`
}

export function Imported({ accepted, repeated, setAside, matched, unallocated, waiting, reason }: Taken): View {
  if (setAside > 0) return null
  const what = accepted > 0 ? 'It was taken in.' : repeated > 0 ? 'It was taken in before.' : 'Nothing was taken in.'
  return html`<p>${what} ${reason?.sentence}</p>
    <p>${matched} lines were explained, ${unallocated} not; ${waiting} wait for an earlier statement.</p>`
}

type Withdrawn = { messageId: string; reason: string }

/** Files that were put out, or read back, and those that never go out because a payment of them is not due any more. */
function Files({
  files,
  withdrawn = [],
  waits = [],
}: {
  files: unknown[]
  withdrawn?: Withdrawn[]
  waits?: string[]
}): View {
  return html`<p>${files.length === 0 ? 'No file.' : `${files.length} files.`}</p>
    ${withdrawn.map(({ messageId, reason }) => html`<${Note} key=${messageId} tone="wait"><code>${messageId}</code> was withdrawn: ${reason}<//>`)}
    ${waits.map((reason) => html`<${Note} key=${reason} tone="wait">Payments wait for a file: ${reason}<//>`)}
    ${files.map((file) => html`<p key=${JSON.stringify(file)}><code>${typeof file === 'string' ? file : JSON.stringify(file)}</code></p>`)}`
}
