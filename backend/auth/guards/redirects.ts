import { isIP } from 'node:net'

/** Schemes that run or show what the address itself holds; never a place to come back to. */
const activeSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'])

/**
 * The address as a browser will read it; null where a browser and a pattern could disagree about the
 * host (backslashes, control characters, spaces) or where it is none at all.
 */
function parseTarget(url: string): URL | null {
  if (url.length > 2048 || /[\\\s]/.test(url) || [...url].some((c) => c < ' ' || c === '\u007f')) return null
  try {
    const parsed = new URL(url)
    return activeSchemes.has(parsed.protocol) ? null : parsed
  } catch {
    return null
  }
}

function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

/**
 * A glob of `additional_redirect_urls`: `*` within a part between dots and slashes, `**` across them,
 * `?` one character, `[abc]`, `[!abc]`, `{a,b}`.
 */
export function globToRegExp(glob: string): RegExp {
  let source = ''
  let depth = 0
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!
    if (character === '*') {
      const across = glob[i + 1] === '*'
      if (across) i++
      source += across ? '.*' : '[^./]*'
    } else if (character === '?') source += '[^./]'
    else if (character === '[' && glob.includes(']', i + 1)) {
      const end = glob.indexOf(']', i + 1)
      const inner = glob.slice(i + 1, end).replace(/[\\^[\]]/g, '\\$&')
      source += inner.startsWith('!') ? `[^${inner.slice(1)}]` : `[${inner}]`
      i = end
    } else if (character === '{' && glob.includes('}', i)) {
      depth++
      source += '(?:'
    } else if (character === '}' && depth > 0) {
      depth--
      source += ')'
    } else if (character === ',' && depth > 0) source += '|'
    else if (character === '\\' && i + 1 < glob.length) source += escapeRegExp(glob[++i]!)
    else source += escapeRegExp(character)
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`)
}

function escapeRegExp(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

/**
 * Whether people may be sent to `url` after a mailed link: the site itself, the same machine on any port
 * when the site is on it (RFC 8252 §7.3), or an address that the configuration lists.
 */
export function isAllowedRedirect(url: string, siteUrl: string, allowed: RegExp[]): boolean {
  const target = parseTarget(url)
  const site = parseTarget(siteUrl)
  if (!target || !site) return false
  const sameHost = target.hostname === site.hostname && target.protocol === site.protocol
  if (sameHost && (target.port === site.port || isLoopbackHost(site.hostname))) return true
  if (target.username !== '' || target.password !== '') return false
  // One machine has several names, and people type either.
  if (isLoopbackHost(site.hostname) && isLoopbackHost(target.hostname) && /^https?:$/.test(target.protocol)) {
    return true
  }
  const written = url.split('#', 1)[0]!
  const read = target.href.split('#', 1)[0]!
  return allowed.some((pattern) => pattern.test(written) || pattern.test(read))
}

/** The first of these that is allowed, else the site. */
export function chooseRedirect(wanted: (string | undefined)[], siteUrl: string, allowed: RegExp[]): string {
  return wanted.find((url) => url && isAllowedRedirect(url, siteUrl, allowed)) ?? siteUrl
}
