import type { JWK } from 'jose'
import { loadConfig } from '../config/loadConfig.ts'
import { readSigningKeysFile, signingKeysFile } from '../startup/signingKeysFile.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { openKeys } from './openKeys.ts'

const line = (state: string, { alg = '', kid = '' }: JWK, more = ''): string =>
  `${state.padEnd(9)} ${alg.padEnd(5)}  ${kid}${more}\n`

/** `linnet keys list`: which keys sign, will sign and have signed. */
export const keysList = defineCommand({
  name: 'keys list',
  group: 'The house',
  summary: 'Show the keys that sign access tokens',
  help: `The one in use, the one that signs next, and those that have signed: their tokens stay good
until they expire, or until "linnet keys revoke".`,
  options: placeOptions,
  async run({ dataDir, supabaseDir }) {
    const config = loadConfig(supabaseDir)
    const file = signingKeysFile(config)
    const { signingKey, standbyKey, previousKeys } = openKeys(dataDir)
    const out: string[] = []
    if (file === null) {
      out.push(line('in use', signingKey!))
      if (standbyKey) out.push(line('standby', standbyKey))
    } else {
      const { signing, others } = readSigningKeysFile(file)
      out.push(line('in use', signing, '  from signing_keys_path'))
      out.push(...others.map((key) => line('accepted', key, '  from signing_keys_path')))
      out.push(line('accepted', signingKey!, "  the house's own"))
    }
    const life = config.at('auth.jwt_expiry', 3600) * 1000
    for (const { key, retiredAt } of previousKeys) {
      const end = new Date(Date.parse(retiredAt) + life)
      const spent = end.getTime() < Date.now()
      const until = spent ? 'no token of it is good any more' : `tokens of it until ${end.toISOString()}`
      out.push(line('previous', key, `  ${until}`))
    }
    process.stdout.write(out.join(''))
    return 0
  },
})
