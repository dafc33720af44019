/**
 * Checks a proof of reserves as a stranger: who has signed it, how old it is, and whether the chains say the same.
 * `npm run reserves:verify -- https://partner.example/reserves --signer 0x… --rpc https://rpc.example`
 */
import { parseArgs } from 'node:util'
import { verifyProof } from '../src/reserves/verify.ts'

const USAGE = `npm run reserves:verify -- URL --signer 0xADDRESS --rpc RPC_URL [--rpc RPC_URL…] [--max-age MINUTES]
  URL      where the issuer serves the proof, such as https://partner.example/reserves
  --signer the address that the issuer has published
  --rpc    a node of your own for each chain`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      signer: { type: 'string' },
      rpc: { type: 'string', multiple: true, default: [] },
      'max-age': { type: 'string', default: '60' },
    },
  })
  const [url] = positionals
  const maxAgeMinutes = Number(values['max-age'])
  if (url === undefined || values.signer === undefined || values.rpc.length === 0 || !(maxAgeMinutes > 0)) {
    console.error(USAGE)
    process.exitCode = 2
  } else {
    const target = new URL(url)
    if (target.pathname === '/') target.pathname = '/reserves'
    const maxAgeMs = maxAgeMinutes * 60_000
    const { problems, lines } = await verifyProof({
      ...{ url: target.href, signer: values.signer, rpcUrls: values.rpc, maxAgeMs },
    })
    for (const line of lines) console.log(line)
    for (const problem of problems) console.error(`WRONG: ${problem}`)
    if (problems.length > 0) process.exitCode = 1
    else console.log('All of this was checked.')
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  console.error(USAGE)
  process.exitCode = 2
}
