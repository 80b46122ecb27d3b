import { isLoopbackHost } from '../runtime/clientAddress/isLocalRequest.ts'

/**
 * Headers of every file of the application. The page runs scripts of its own origin only, connects to its backend only,
 * and cannot be framed.
 * @param address of the application
 * @param backend address of the services, if it differs
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
    // Besides 'self', for browsers in which 'self' does not include WebSockets.
    `connect-src 'self' blob: ${services.origin} ${sockets}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // One policy, which the application creates; otherwise strings can become neither script nor markup.
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ]
  // With HSTS a browser refuses plain http for the whole host, on every port and for a year: appropriate only if the
  // host belongs to this installation, not on localhost or on another port, where other programs run.
  const ownsName = secure && port === '' && !isLoopbackHost(hostname)
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(self), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(ownsName && { 'strict-transport-security': 'max-age=31536000' }),
  }
}
