import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'

/**
 * What every file of the application is sent with. The page runs our scripts alone, speaks to this address
 * alone, and stands in nobody's frame.
 * @param address at which people reach the application
 * @param backend where the services answer, when that is elsewhere
 */
export function securityHeaders(address: string, backend: string = address): Record<string, string> {
  const { protocol, hostname, port } = new URL(address)
  const services = new URL(backend)
  const sockets = `${services.protocol === 'https:' ? 'wss' : 'ws'}://${services.host}`
  const secure = protocol === 'https:'
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // Named beside 'self' for browsers that don't count sockets to it.
    `connect-src 'self' blob: ${services.origin} ${sockets}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // One policy, which the application makes; without it text can become neither script nor markup.
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ]
  // A browser then refuses plain http to the whole name, on every port and for a year: that is ours to ask only where
  // the name is, never on localhost, where other programs answer, nor on a port beside theirs.
  const ownsName = secure && port === '' && !isLoopbackHost(hostname)
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(ownsName && { 'strict-transport-security': 'max-age=31536000' }),
  }
}
