import { parseUrl } from '../../runtime/parseUrl.ts'

/** What a hook calls. */
export type HookTarget =
  /** A PostgreSQL function; `sqlName` is quoted. */
  | { kind: 'function'; sqlName: string; uri: string }
  /** An HTTP server; events are signed with each of `secrets`. */
  | { kind: 'http'; url: URL; secrets: Buffer[] }
  /** Nothing: a variable in its settings is not set, so that every action that needs the hook fails. */
  | { kind: 'unset' }

/** An invalid target; `key` is the invalid setting, `message` states what is valid. */
export class HookTargetError extends Error {
  readonly key: 'uri' | 'secrets'

  constructor(key: 'uri' | 'secrets', message: string) {
    super(message)
    this.key = key
  }
}

/** Loopback hosts, for which plain http is allowed. The last one is a container's name for its host. */
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', 'host.docker.internal'])

/**
 * Reads `uri` and `secrets` of `[auth.hook.*]` by the rules of hosted Supabase and the official CLI.
 * @param secrets "v1,whsec_…", several separated by "|", only for HTTP
 * @throws HookTargetError
 */
export function parseHookTarget(uri: string, secrets: string): HookTarget {
  if ([uri, secrets].some((value) => value.startsWith('env('))) return { kind: 'unset' }
  const name = '[A-Za-z_][A-Za-z0-9_$]{0,62}'
  const sqlName = new RegExp(`^pg-functions://[^/]*/(${name})/(${name})$`, 'i').exec(uri)
  if (sqlName) {
    // Functions receive no signature, so a secret would have no effect.
    if (secrets !== '') {
      throw new HookTargetError('secrets', 'must be left out, since functions of the database need none')
    }
    return { kind: 'function', sqlName: `"${sqlName[1]}"."${sqlName[2]}"`, uri }
  }
  const url = parseHttpUrl(uri)
  if (url.protocol === 'http:' && !loopbackHosts.has(url.hostname)) {
    throw new HookTargetError('uri', `must begin with https, since ${url.hostname} is not this machine`)
  }
  // This server runs in no container, so the host is this machine.
  if (url.hostname === 'host.docker.internal') url.hostname = '127.0.0.1'
  return { kind: 'http', url, secrets: parseSecrets(secrets) }
}

function parseHttpUrl(uri: string): URL {
  const url = parseUrl(uri)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new HookTargetError(
    'uri',
    `must be pg-functions://postgres/<schema>/<function> or an address that begins with https, not "${uri}"`,
  )
}

function parseSecrets(secrets: string): Buffer[] {
  const parts = secrets.split('|').filter((part) => part !== '')
  if (parts.length === 0) {
    throw new HookTargetError(
      'secrets',
      'is missing: requests to the hook are signed with "v1,whsec_<base64>"',
    )
  }
  return parts.map((part) => {
    const encoded = /^v1,whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
      part,
    )?.[1]
    // Without the value: the sentence is printed and logged.
    if (encoded === undefined || encoded.length < 32 || encoded.length > 88) {
      throw new HookTargetError(
        'secrets',
        'must be "v1,whsec_<base64>" with 32 to 88 characters of base64, several with "|" between them',
      )
    }
    return Buffer.from(encoded, 'base64')
  })
}
