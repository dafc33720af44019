/** What the sandbox prints: where it is, who is in it, and what to paste. */
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { originOf } from '../roles/parts.ts'
import { type DemoData, KEY_FILE } from './demo-data.ts'

/** The text for the terminal. It contains the API key only at the start that made the key. */
export function welcomeText(shown: {
  dataDir: string
  operator: { url: string; consoleLogin: () => string | undefined }
  address: AddressInfo
  demo: DemoData
}): string {
  const { dataDir, operator, address, demo } = shown
  const origin = originOf(address)
  const keyFile = path.resolve(dataDir, KEY_FILE)
  const resident = demo.customers[0]
  const key =
    demo.apiKey === undefined
      ? `API key      in ${keyFile}`
      : `API key      ${demo.apiKey}\n               (shown this once; kept in ${keyFile})`
  const customers = demo.customers.map(({ case: name, customerId, walletAddress }) => {
    return `    ${name.padEnd(16)} ${customerId}   ${walletAddress ?? 'no wallet'}`
  })
  return `
  Stablecoin Partner API — sandbox

  Base address ${origin}/v1
  ${key}
  Docs         ${origin}/docs   (samples and forms with this sandbox's key filled in)
  Operator API ${operator.url}   (npm run -s coin -- --help)
  Console      ${operator.consoleLogin() ?? `${operator.url}/console/`}
               (this link signs in once, within 15 minutes)

  Customers
${customers.join('\n')}
    corporate        ${demo.corporateId}

  A first mint — paste this into another terminal:

    COIN_KEY=$(cat '${keyFile}')
    REF=first-mint-$(date +%s)
    curl -s ${origin}/v1/mints -H "Authorization: Bearer $COIN_KEY" -H "Idempotency-Key: $REF" \\
      -H 'Content-Type: application/json' \\
      -d '{"referenceId":"'$REF'","amountMyr":"250.50","walletAddress":"${resident?.walletAddress}","customerId":"${resident?.customerId}","fiatConfirmed":true}'; echo
    until curl -s ${origin}/v1/mints/$REF -H "Authorization: Bearer $COIN_KEY" | grep '"status":"completed"'; do sleep 1; done
    curl -s ${origin}/v1/balances/${resident?.walletAddress} -H "Authorization: Bearer $COIN_KEY"; echo

  The whole story, live:  npm run demo        Stop: Ctrl-C
`
}
