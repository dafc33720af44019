/** What the sandbox's own routes have in common. */
import { MOST_A_DAY } from '../answered-once.ts'

/** For descriptions. */
export const BOUND = `At most ${MOST_A_DAY} requests to the routes of the sandbox are carried out for an integration in 24 hours (\`POLICY_REJECTED\`, reason \`sandbox_limit\`). An answer is remembered for a day, for the key that asked.`

export const SHARED = {
  kind: 'write',
  method: 'POST',
  tag: 'Sandbox',
  parameters: [],
  bucket: 'write',
  exampleReason: 'sandbox_limit',
} as const
