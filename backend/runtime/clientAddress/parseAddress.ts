import { isIP } from 'node:net'

/** Longer than any address with a zone and a port; longer texts are not parsed. */
const maxLength = 100

/**
 * An address in canonical form, in which it is compared, counted and stored; null if the text is none. Accepts the
 * forms that sockets and proxies write: IPv6 in brackets, with a port, with a zone ("%eth0") or uncompressed, IPv4-mapped
 * IPv6, and the quotes of `Forwarded` (RFC 7239).
 */
export function parseAddress(text: string): string | null {
  if (text.length > maxLength) return null
  const node = text.trim().replace(/^"(.*)"$/, '$1')
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(node)?.[1] ?? node.replace(/^([\d.]+):\d{1,5}$/, '$1')
  const address = bare.replace(/%.*$/, '')
  const family = isIP(address)
  if (family === 0) return null
  if (family === 4) return address
  const short = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short)
  if (!mapped) return short
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Whether an address (as parseAddress returns it) is a loopback address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (address.startsWith('127.') && isIP(address) === 4)
}

/** The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, which belongs to one subscriber. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - first.length - rest.length
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':')
}
