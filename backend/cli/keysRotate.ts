import { createSigningKey, signingAlgorithms } from '../auth/tokens/keys.ts'
import { rotateKeys } from '../startup/signingKeys.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { changeKeys, openKeys, takenUp } from './openKeys.ts'

/** `linnet keys rotate`: the standby key, or a new one, signs from now on. */
export const keysRotate = defineCommand({
  name: 'keys rotate',
  group: 'The house',
  summary: 'Let the standby key sign from now on, or a new one',
  help: `Nobody is signed out: tokens of the key before stay good until they expire. Where that key has
been stolen, "linnet keys revoke" ends them at once, and clients renew theirs by themselves.`,
  options: {
    alg: {
      value: 'ALG',
      choices: signingAlgorithms,
      help: 'how the new key signs, where there is no standby (ES256)',
    },
    ...placeOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const fresh = openKeys(dataDir).standbyKey ? null : await createSigningKey(options.alg ?? 'ES256')
    const { signingKey } = changeKeys({ dataDir, supabaseDir }, (keys) => rotateKeys(keys, fresh, new Date()))
    console.log(`In use: ${signingKey!.kid} (${signingKey!.alg}). ${takenUp}`)
    return 0
  },
})
