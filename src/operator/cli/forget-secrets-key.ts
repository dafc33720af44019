/** `npm run -s forget-secrets-key -- --key K --name N --reason T`: a SECRETS_KEY that is gone for good is asked for no more. */
import { createSecretBox } from '../../secrets/secrets.ts'
import { forgetSecretsKey } from '../forget-key.ts'
import { runOnTheMachine } from './on-the-machine.ts'

await runOnTheMachine(['key', 'name', 'reason'], async (db, given, { secretsKey, secretsKeyPrevious }) => {
  if (secretsKey === undefined) throw new Error('Set SECRETS_KEY: the key with which the service goes on.')
  return await forgetSecretsKey(db, createSecretBox(secretsKey, secretsKeyPrevious), given)
})
