import { isIP } from 'node:net'

/** Longer than any address with a zone and a port; what is longer is not looked at. */
const longest = 100

/**
 * An address in the one form that it is compared, counted and stored in, or null where the text is none.
 * Takes what sockets and proxies write: IPv6 in brackets, with a port, with the zone of link-local ones ("%eth0")
 * or spelled at length, and IPv4 inside of IPv6; the quotes of `Forwarded` (RFC 7239) as well.
 */
export function parseAddress(text: string): string | null {
  if (text.length > longest) return null
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

/** Whether an address (as parseAddress gives it) is of this machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (address.startsWith('127.') && isIP(address) === 4)
}

/** What is counted as one caller: an IPv4 address, or the /64 of IPv6, which one subscriber has whole. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - first.length - rest.length
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':')
}
