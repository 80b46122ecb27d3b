import { createSigningKey, signingAlgorithms } from '../auth/tokens/keys.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { changeKeys, takenUp } from './openKeys.ts'
import { UsageError } from './UsageError.ts'

/** `linnet keys standby`: makes the key that signs after the next rotation. */
export const keysStandby = defineCommand({
  name: 'keys standby',
  group: 'The house',
  summary: 'Make the key that signs after the next "keys rotate"',
  help: `It is published at once. Whoever checks tokens by the published keys keeps those for a while:
wait ten minutes before you rotate, and everyone knows it.`,
  options: {
    alg: { value: 'ALG', choices: signingAlgorithms, help: 'how it signs (ES256; HS256 publishes nothing)' },
    ...placeOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const standbyKey = await createSigningKey(options.alg ?? 'ES256')
    changeKeys({ dataDir, supabaseDir }, (keys) => {
      if (keys.standbyKey) {
        throw new UsageError(`There is a standby key already: ${keys.standbyKey.kid}. Revoke it, or rotate.`)
      }
      return { ...keys, standbyKey }
    })
    console.log(`Standby: ${standbyKey.kid} (${standbyKey.alg}). ${takenUp}`)
    return 0
  },
})
