/** The characters that HTML's email fields accept before the @ (WHATWG HTML, "valid e-mail address"). */
const localPart = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+$/

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const asciiDomain = new RegExp(`^${label}(?:\\.${label})*$`)

/** Characters that would end the host of a URL, or that `URL` decodes or removes. */
const noDomain = /[\s/?#@:[\]\\%<>^|]/

/**
 * Returns a domain as mail servers write it: in lower case, with punycode for letters beyond ASCII (UTS 46). Null if it is
 * not a domain, or is longer than 253 characters.
 */
export function toAsciiDomain(domain: string): string | null {
  if (domain.length > 253 || noDomain.test(domain)) return null
  let host = domain.toLowerCase()
  if (!asciiDomain.test(host)) {
    try {
      host = new URL(`http://${domain}`).hostname
    } catch {
      return null
    }
  }
  return host.length <= 253 && asciiDomain.test(host) ? host : null
}

/**
 * Returns an email address as it is stored: in lower case, with the domain in ASCII, so that both spellings of a domain with
 * umlauts are one address. Null if it is not an address, or is longer than 255 characters. The database does the same in
 * `app.email_address`.
 */
export function normalizeEmailAddress(text: string): string | null {
  const address = text.trim()
  const at = address.lastIndexOf('@')
  if (address.length > 255 || !localPart.test(address.slice(0, Math.max(at, 0)))) return null
  const domain = toAsciiDomain(address.slice(at + 1))
  return domain === null ? null : `${address.slice(0, at).toLowerCase()}@${domain}`
}

/** Whether people can be reached at an address: its domain has a dot, unlike a host of a local network. */
export function isEmailAddress(text: string): boolean {
  return normalizeEmailAddress(text)?.split('@')[1]?.includes('.') ?? false
}

/** The address as it is stored. An invalid address stays as it was entered, so that the server refuses it. */
export function toStoredAddress(text: string): string {
  return normalizeEmailAddress(text) ?? text.trim()
}
