import { revokeKey } from '../startup/signingKeys.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { changeKeys, takenUp } from './openKeys.ts'

/** `linnet keys revoke`: refuses what a key has signed. */
export const keysRevoke = defineCommand({
  name: 'keys revoke',
  group: 'The house',
  summary: 'Refuse what a previous key has signed, or drop the standby key',
  help: `The key by its id, or the beginning of it. Clients whose token was signed by it renew theirs;
sessions go on.`,
  args: ['<kid>'],
  options: placeOptions,
  async run({ dataDir, supabaseDir, args: [kid = ''] }) {
    let revoked = ''
    changeKeys({ dataDir, supabaseDir }, (keys) => {
      const left = revokeKey(keys, kid)
      revoked = left.revoked.kid!
      return left.keys
    })
    console.log(`Revoked: ${revoked}. ${takenUp}`)
    return 0
  },
})
