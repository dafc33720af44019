/** The page of what an approval is about, for whoever decides: nobody should have to look for it (pure). */
import { seenPages } from '../page.ts'
import { hrefOf } from '../router.ts'

type Parts = readonly [string, ...string[]]

/** By how approvals name their targets; what belongs to no page of its own has none. */
function partsOf(command: string, target: string): Parts | undefined {
  const [noun] = command.split(' ')
  const slash = target.indexOf('/')
  const [first, rest] = [target.slice(0, slash), target.slice(slash + 1)]
  if (noun === 'order' && slash > 0) return ['orders', first, rest]
  if (noun === 'batch' && slash > 0) return ['chains', first, rest]
  if (/^po_\w+$/.test(target)) return ['payouts', target]
  if (/^cus_\w+$/.test(target)) return ['customers', target]
  return /^int_\w+$/.test(target) ? ['integrations', target] : undefined
}

/** @returns its address; undefined where there is none, or the person does not see it */
export function pageOf({ command, target }: { command: string; target: string }): string | undefined {
  const parts = partsOf(command, target)
  return parts !== undefined && seenPages.has(parts[0]) ? hrefOf(parts) : undefined
}
