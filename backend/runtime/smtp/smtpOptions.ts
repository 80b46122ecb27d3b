import type { ConnectionOptions } from 'node:tls'

/** The settings of a mail server, and the sender of mails. */
export interface Smtp {
  host: string
  port: number
  /** The user; empty if the server needs no password. */
  user: string
  password: string
  from: { name: string; address: string }
}

const loopback = /^(localhost|127(\.\d+){3}|::1)$/

/**
 * The options of a connection to an SMTP server. Port 465 uses TLS from the start. Other ports use STARTTLS if the server
 * offers it. STARTTLS is required before a password is sent to another machine.
 * @param o.name the name in EHLO
 * @param o.tls for tests with self-signed certificates
 */
export function smtpOptions(smtp: Smtp, o: { name?: string; tls?: ConnectionOptions } = {}) {
  const secure = smtp.port === 465
  return {
    host: smtp.host,
    port: smtp.port,
    secure,
    requireTLS: !secure && smtp.user !== '' && !loopback.test(smtp.host),
    ...(smtp.user ? { auth: { user: smtp.user, pass: smtp.password } } : {}),
    ...(o.name ? { name: o.name } : {}),
    ...(o.tls ? { tls: o.tls } : {}),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    // Templates must not read files of this machine or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
