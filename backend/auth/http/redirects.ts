import { isIP } from 'node:net'
import { isLoopbackHost } from '../../runtime/clientAddress/isLocalRequest.ts'

/** Schemes whose URLs contain what the browser runs or shows; never allowed as redirect targets. */
const activeSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'])

interface Target {
  /** As received, without the fragment. */
  text: string
  /** The host as received: no user, no port, no brackets. */
  host: string
  /** As a browser parses it. */
  url: URL
}

/**
 * The URL as a browser parses it. Null if it is invalid, or if a browser and a pattern could disagree about its
 * host (backslashes, control characters, spaces, invalid escapes).
 */
function parseTarget(address: string): Target | null {
  if (address.length > 2048 || /[\\\s]/.test(address)) return null
  if ([...address].some((c) => c < ' ' || c === '\u007f')) return null
  const [written = ''] = address.split('#', 1)
  if (/%(?![0-9a-f]{2})/i.test(written.split('?', 1)[0]!)) return null
  try {
    const url = new URL(address)
    if (activeSchemes.has(url.protocol)) return null
    const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i.exec(written)?.[1] ?? ''
    const host = authority
      .replace(/^.*@/, '')
      .replace(/:\d*$/, '')
      .replace(/^\[|\]$/g, '')
    return { text: written, host, url }
  } catch {
    return null
  }
}

const isHttpUrl = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:'

/**
 * Compiles a glob of `additional_redirect_urls`: `*` matches within a part between dots and slashes, `**`
 * across them, `?` one character, also `[abc]`, `[!abc]`, `{a,b}`. In the host part of a pattern, no wildcard
 * matches beyond the host. On hosted Supabase `https://*.example.com` also matches `https://evil?.example.com`.
 */
export function globToRegExp(glob: string): RegExp {
  const hostAt = glob.indexOf('://') + 3
  const hostEnd = hostAt < 3 ? -1 : glob.indexOf('/', hostAt) < 0 ? glob.length : glob.indexOf('/', hostAt)
  let source = ''
  let depth = 0
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!
    const anyCharacter = i >= hostAt && i < hostEnd ? '[^./?#@]' : '[^./]'
    if (character === '*') {
      const across = glob[i + 1] === '*'
      if (across) i++
      const staysInHost = i < hostEnd && i + 1 < glob.length
      source += !across ? `${anyCharacter}*` : staysInHost ? '[^/?#@]*' : '.*'
    } else if (character === '?') source += anyCharacter
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

/** Letters, digits, dots and hyphens; begins and ends with a letter or digit. */
const hostPattern = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i

/**
 * Dot segments, which browsers resolve before the request: a pattern for one directory must not match another.
 */
const hasDotSegments = (written: string): boolean => /\/(\.|%2e){1,2}(\/|$)/i.test(written.split('?', 1)[0]!)

/**
 * Whether users may be redirected to `address` after following a link in a mail. Allowed are the site itself,
 * loopback addresses on any port, where native applications listen (RFC 8252 §7.3), and addresses that the
 * configuration lists. Other IP addresses are rejected even if a pattern matches, and so are hosts with unusual
 * characters.
 */
export function isAllowedRedirect(address: string, siteUrl: string, allowed: RegExp[]): boolean {
  const target = parseTarget(address)
  const site = parseTarget(siteUrl)
  if (!target || !site) return false
  const { url, host, text } = target
  if (url.username !== '' || url.password !== '') return false
  const isSite = host.toLowerCase() === site.host.toLowerCase() && url.protocol === site.url.protocol
  if (isSite && (url.port === site.url.port || isLoopbackHost(site.url.hostname))) return true
  if (isIP(host) !== 0) return isHttpUrl(url) && isLoopbackHost(url.hostname)
  // The loopback host has several names, and users type any of them.
  if (isLoopbackHost(site.url.hostname) && isHttpUrl(url) && isLoopbackHost(host)) return true
  // Browsers parse 2130706433, 0x7f.1 and the like as IP addresses.
  if (/^\d+$/.test(host) || isIP(url.hostname) !== 0) return false
  if (isHttpUrl(url) && !hostPattern.test(host)) return false
  return !hasDotSegments(text) && allowed.some((pattern) => pattern.test(text))
}

/** The first candidate that is allowed, otherwise the site. */
export function chooseRedirect(
  candidates: (string | undefined)[],
  siteUrl: string,
  allowed: RegExp[],
): string {
  return candidates.find((url) => url && isAllowedRedirect(url, siteUrl, allowed)) ?? siteUrl
}
