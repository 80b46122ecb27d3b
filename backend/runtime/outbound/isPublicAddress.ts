import { BlockList, isIP } from 'node:net'

/** Ranges outside the public internet (IANA's registries of special-purpose addresses). */
const special4 = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carriers' own, and Alibaba's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's wire server, within a public range
  ['169.254.0.0', 16], // link-local, and most clouds' metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocols
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const) {
  special4.addSubnet(network, bits)
}

/** The range that is allocated to networks; all others are loopback, local, multicast, embed IPv4, or are unassigned. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
/** Exceptions within it. */
const special6 = new BlockList()
for (const [network, bits] of [
  ['2001::', 23], // protocols: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which holds any IPv4 address
  ['3fff::', 20], // documentation
] as const) {
  special6.addSubnet(network, bits, 'ipv6')
}

/**
 * Whether an IP address belongs to the public internet. False in doubt: for IPv4 embedded in IPv6 (mapped, compatible,
 * NAT64, 6to4, Teredo), an address with a zone, and text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special4.check(address)
  if (family !== 6 || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}
