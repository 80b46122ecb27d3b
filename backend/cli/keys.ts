import { existsSync } from 'node:fs'
import type { JWK } from 'jose'
import { createSigningKey, signingAlgorithms } from '../auth/tokens/keys.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { loadSecrets, saveSigningKeys, secretsFile } from '../startup/secrets.ts'
import { revokeKey, rotateKeys, type SigningKeys } from '../startup/signingKeys.ts'
import { readSigningKeysFile, signingKeysFile } from '../startup/signingKeysFile.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'

const renderKey = (state: string, { alg = '', kid = '' }: JWK, more = ''): string =>
  `${state.padEnd(9)} ${alg.padEnd(5)}  ${kid}${more}\n`

/** `linnet keys list`: the current, the next and the previous keys. */
export const keysList = defineCommand({
  name: 'keys list',
  group: 'Server',
  summary: 'Show the keys that sign access tokens',
  help: `The key in use, the standby key, and previous keys, whose tokens stay valid until they
expire or until "linnet keys revoke".`,
  options: projectOptions,
  async run({ dataDir, supabaseDir }) {
    const config = loadConfig(supabaseDir, dataDir)
    const file = signingKeysFile(config)
    const { signingKey, standbyKey, previousKeys } = openKeys(dataDir)
    const out: string[] = []
    if (file === null) {
      out.push(renderKey('in use', signingKey!))
      if (standbyKey) out.push(renderKey('standby', standbyKey))
    } else {
      const { signing, others } = readSigningKeysFile(config, file)
      out.push(renderKey('in use', signing, '  from signing_keys_path'))
      out.push(...others.map((key) => renderKey('accepted', key, '  from signing_keys_path')))
      out.push(renderKey('accepted', signingKey!, "  the server's own"))
    }
    const tokenLifetimeMs = config.at('auth.jwt_expiry', 3600) * 1000
    for (const { key, retiredAt } of previousKeys) {
      const end = new Date(Date.parse(retiredAt) + tokenLifetimeMs)
      const hasExpired = end.getTime() < Date.now()
      const until = hasExpired
        ? 'all its tokens have expired'
        : `its tokens are valid until ${end.toISOString()}`
      out.push(renderKey('previous', key, `  ${until}`))
    }
    process.stdout.write(out.join(''))
    return 0
  },
})

/** `linnet keys standby`: creates the key that signs after the next rotation. */
export const keysStandby = defineCommand({
  name: 'keys standby',
  group: 'Server',
  summary: 'Create the key that signs after the next "keys rotate"',
  help: `The key is published at once. Services that verify tokens cache the published keys: wait
ten minutes before you rotate.`,
  options: {
    alg: {
      value: 'ALG',
      choices: signingAlgorithms,
      help: 'algorithm (default: ES256; an HS256 key is not published)',
    },
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const standbyKey = await createSigningKey(options.alg ?? 'ES256')
    changeKeys({ dataDir, supabaseDir }, (keys) => {
      if (keys.standbyKey) {
        throw new UsageError(`There already is a standby key: ${keys.standbyKey.kid}. Revoke it, or rotate.`)
      }
      return { ...keys, standbyKey }
    })
    console.log(`Standby: ${standbyKey.kid} (${standbyKey.alg}). ${reloadNote}`)
    return 0
  },
})

/** `linnet keys rotate`: the standby key, or a new one, becomes the key in use. */
export const keysRotate = defineCommand({
  name: 'keys rotate',
  group: 'Server',
  summary: 'Sign with the standby key, or with a new key, from now on',
  help: `Nobody is signed out: tokens of the previous key stay valid until they expire. If that
key was stolen, "linnet keys revoke" invalidates them at once, and clients refresh them.`,
  options: {
    alg: {
      value: 'ALG',
      choices: signingAlgorithms,
      help: 'algorithm of the new key if there is no standby key (default: ES256)',
    },
    ...projectOptions,
  },
  async run({ dataDir, supabaseDir, options }) {
    const newKey = openKeys(dataDir).standbyKey ? null : await createSigningKey(options.alg ?? 'ES256')
    const { signingKey } = changeKeys({ dataDir, supabaseDir }, (keys) =>
      rotateKeys(keys, newKey, new Date()),
    )
    console.log(`In use: ${signingKey!.kid} (${signingKey!.alg}). ${reloadNote}`)
    return 0
  },
})

/** `linnet keys revoke`: invalidates all tokens that a key has signed. */
export const keysRevoke = defineCommand({
  name: 'keys revoke',
  group: 'Server',
  summary: 'Refuse tokens of a previous key, or remove the standby key',
  help: `<kid> is the id of the key, or the beginning of it. Clients whose token was signed by the
key refresh it; sessions continue.`,
  args: ['<kid>'],
  options: projectOptions,
  async run({ dataDir, supabaseDir, args: [kid = ''] }) {
    let revoked = ''
    changeKeys({ dataDir, supabaseDir }, (keys) => {
      const result = revokeKey(keys, kid)
      revoked = result.revoked.kid!
      return result.keys
    })
    console.log(`Revoked: ${revoked}. ${reloadNote}`)
    return 0
  },
})

/** The signing keys of a data directory. Throws UsageError if no server was ever started on it. */
export function openKeys(dataDir: string): SigningKeys {
  const keys = existsSync(secretsFile(dataDir)) ? loadSecrets(dataDir) : null
  if (!keys?.signingKey)
    throw new UsageError(`There are no keys in ${dataDir}: the first start creates them.`)
  return keys
}

/** Saves changed keys. Throws UsageError if the project configures a key file. */
export function changeKeys(
  o: { dataDir: string; supabaseDir: string },
  change: (keys: SigningKeys) => SigningKeys,
): SigningKeys {
  const file = signingKeysFile(loadConfig(o.supabaseDir, o.dataDir))
  if (file !== null) {
    throw new UsageError(
      `This project uses the keys in ${file} (signing_keys_path). Change them there: the first one signs.`,
    )
  }
  const changed = change(openKeys(o.dataDir))
  saveSigningKeys(o.dataDir, changed)
  return changed
}

/** Printed after each change. */
export const reloadNote = 'A running server applies this within a second.'
