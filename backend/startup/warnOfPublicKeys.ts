import type { Caller } from '../../wire/claims.ts'
import { createRepeatedWarning } from '../logging/createRepeatedWarning.ts'
import type { Logger } from '../logging/logger.ts'
import { isPublicKey } from './configuredSecrets.ts'
import { commandName } from '../runtime/commandName.ts'

/**
 * Logs a warning if a client sends a key of the official CLI that `verifyKey` does not accept. Applications and the variables
 * of functions often contain these keys.
 */
export function warnOfPublicKeys(
  verifyKey: (key: string) => Caller | null,
  log: Pick<Logger, 'warn'>,
): (key: string) => Caller | null {
  const warn = createRepeatedWarning(log, 'auth.public_key_refused')
  return (key) => {
    const caller = verifyKey(key)
    if (caller === null && isPublicKey(key)) {
      warn(1, {
        reason: `a client sent a key that the official CLI uses for every project. Give the client the keys of "${commandName()} status -o env", or set jwt_secret as in "API keys" in docs/commands.md`,
      })
    }
    return caller
  }
}
