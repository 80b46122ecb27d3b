import type { Smtp } from '../../runtime/smtp/smtpOptions.ts'

/** Addresses and keys of this server that functions get. */
export interface ServerInfo {
  /** The URL for processes on this machine. */
  localUrl: string
  /** The URL for all other clients. */
  publicUrl: string
  dbUrl: string
  anonKey: string
  serviceRoleKey: string
  publishableKey: string
  secretKey: string
  /** Public keys only. */
  jwks: unknown
  /** The mail server of `[auth.email.smtp]`; null without one. */
  smtp: Smtp | null
}

/**
 * The variables that Supabase's runtime sets for every function. SUPABASE_URL is the local URL, as in a self-hosted
 * Supabase: it works behind any proxy. If that is https, it is the public URL, for which the certificate was issued.
 */
export function serverEnvironment(server: ServerInfo): Record<string, string> {
  return {
    SUPABASE_URL: server.localUrl.startsWith('https:') ? server.publicUrl : server.localUrl,
    SUPABASE_PUBLIC_URL: server.publicUrl,
    SUPABASE_ANON_KEY: server.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: server.serviceRoleKey,
    SUPABASE_DB_URL: server.dbUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: server.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: server.secretKey }),
    SUPABASE_JWKS: JSON.stringify(server.jwks),
  }
}

/**
 * The mail server, under the names that a self-hosted Supabase uses: functions send with the settings of sign-in mails.
 * Empty if the project's own variables name one: a password must not get to another server.
 */
export function mailEnvironment(smtp: Smtp | null, own: Record<string, string>): Record<string, string> {
  if (smtp === null || Object.keys(own).some((name) => name.startsWith('SMTP_'))) return {}
  return {
    SMTP_HOST: smtp.host,
    SMTP_PORT: String(smtp.port),
    SMTP_USER: smtp.user,
    SMTP_PASS: smtp.password,
    SMTP_ADMIN_EMAIL: smtp.from.address,
    SMTP_SENDER_NAME: smtp.from.name,
  }
}
