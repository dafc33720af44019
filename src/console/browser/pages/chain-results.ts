/** What came of something that was done on several chains. */
import { Id, Note } from '../parts.ts'
import { html, type View } from '../view.ts'

type ChainResult = { chainId: number; ok?: boolean; txHash: string | null; error?: string | null }

/** Of an answer of the API that names its chains as `chains` or, of wallets, as `links`. */
export function ChainResults({ chains, links }: { chains?: ChainResult[]; links?: ChainResult[] }): View {
  return (chains ?? links ?? []).map(({ chainId, ok = true, txHash, error }) =>
    ok
      ? html`<p key=${chainId}>Chain ${chainId}: ${txHash === null ? 'nothing was to be done' : html`<${Id} of=${txHash} short />`}</p>`
      : html`<${Note} key=${chainId}>Chain ${chainId}: ${error ?? 'it failed'}<//>`,
  )
}
