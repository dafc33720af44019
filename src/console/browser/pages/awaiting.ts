/** What somebody has asked for about the things on a page, and nobody has run yet. */
import { useLive } from '../live.ts'
import { Instant, Note } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { may, session } from '../session.ts'
import { html, type View } from '../view.ts'

/** An approval as lists show it. */
export type Approval = {
  approvalId: string
  command: string
  target: string
  requestedBy: string
  status: string
  expiresAt: string
}

/** More than are asked for in the day in which one can be decided. */
const NEWEST = '500'

/** @param of ids of what the page shows, as approvals name their target @param noun whatever its commands concern */
export function Awaiting({ of = [], noun }: { of?: readonly string[]; noun?: string }): View {
  const { fourEyes } = session()
  const read = useLive<{ approvals: Approval[] }>(fourEyes ? `/approvals?limit=${NEWEST}` : undefined)
  const about = ({ command, target }: Approval) =>
    command.split(' ')[0] === noun || target.split(' ').some((part) => of.includes(part))
  const open = (read.data?.approvals ?? []).filter(
    (each) => (each.status === 'waiting' || each.status === 'approved') && about(each),
  )
  return open.map(
    ({ approvalId, command, requestedBy, status, expiresAt }) =>
      html`<${Note} key=${approvalId} tone="wait">“${command}” was asked for by <bdi>${requestedBy}</bdi>, and${' '}
      ${status === 'waiting' ? 'waits for another operator' : 'is approved: they may run it'} until <${Instant} at=${expiresAt} />: <${Named} ...${{ approvalId }} />.<//>`,
  )
}

/** What the person has asked for and somebody has approved since: nothing of it is done before they run it, and after a day it cannot be. */
export function ToRun(): View {
  const { fourEyes, name } = session()
  const read = useLive<{ approvals: Approval[] }>(fourEyes ? `/approvals?status=approved&limit=${NEWEST}` : undefined)
  // Among those that were approved are some that have expired.
  const own = (read.data?.approvals ?? []).filter((each) => each.status === 'approved' && each.requestedBy === name)
  return own.map(
    ({ approvalId, command, target, expiresAt }) =>
      html`<${Note} key=${approvalId} tone="wait">“${command}” of <code>${target}</code>, which you asked for, is approved, and not done before you run it. You may until <${Instant} at=${expiresAt} />: <${Named} ...${{ approvalId }} />.<//>`,
  )
}

function Named({ approvalId }: Pick<Approval, 'approvalId'>): View {
  return may('approval show')
    ? html`<a href=${hrefOf(['approvals', approvalId])}>${approvalId}</a>`
    : html`<code>${approvalId}</code>`
}
