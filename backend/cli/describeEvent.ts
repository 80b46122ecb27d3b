import { escapeControlCharacters, type LogEntry } from '../logging/logger.ts'

/** What the parts of the server are called in sentences for people. */
const sourceNames: Record<string, string> = {
  auth: 'Sign-in',
  backup: 'Backup',
  cron: 'Scheduled jobs',
  functions: 'Edge Functions',
  gateway: 'HTTP',
  pg_net: 'Outgoing requests',
  postgres: 'PostgreSQL',
  realtime: 'Realtime',
  rest: 'Data API',
  schema: 'Database schema',
  storage: 'Files',
}

const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const seconds = (ms: unknown): string => `${Math.max(1, Math.round(Number(ms) / 1_000))} s`

/** Completes a command, such as "doctor", for the installation of this server. */
export type CommandLine = (words: string) => string

/** Sentences for events that owners of a server meet, and that need more words than their names have. */
const sentences: Partial<Record<string, (fields: LogEntry, commandLine: CommandLine) => string>> = {
  'auth.mail_failed': (f) => `A mail could not be sent: ${text(f['reason'])}`,
  'auth.mail_stored': (f) => `A mail to ${text(f['to'])} is in the mailbox.`,
  'functions.output': (f) => `Function ${text(f['function'])}: ${text(f['line'])}`,
  'gateway.certificate_expired': (f) => `The TLS certificate expired on ${text(f['until'])}.`,
  'gateway.certificate_expires_soon': (f) => `The TLS certificate expires on ${text(f['until'])}.`,
  'gateway.certificate_rejected': (f) =>
    `The new TLS certificate is not used, and the previous one stays in use: ${text(f['reason'])}`,
  'gateway.certificate_request_failed': (f) =>
    `No certificate could be requested for ${text(f['host'])}: ${text(f['reason'])} The next attempt follows at ${text(f['retryAt'])}.`,
  'gateway.https_on_http_port': (f) =>
    `A browser has opened this server with https, which it does not serve. The address is ${text(f['url'])}.`,
  'postgres.exited': () => 'PostgreSQL has ended unexpectedly. Linnet starts it again.',
  'postgres.start_failed': (f) =>
    `PostgreSQL could not be started: ${text(f['reason'])} Linnet tries again in ${seconds(f['retryMs'])}.`,
  'postgres.output': (f) => `PostgreSQL: ${text(f['line'])}`,
  'schema.migration_notice': (f) => text(f['notice']),
  'schema.seed_notice': (f) => text(f['notice']),
  'server.config_warning': (f) => text(f['reason']),
  'server.config_changed': (f) => `The settings have changed: ${text(f['reason'])}`,
  'server.health_problem': (f, commandLine) =>
    `${text(f['reason'])} "${commandLine('doctor')}" shows what to do.`,
  'server.log_write_failed': (f) =>
    `The log file cannot be written: ${text(f['reason'])}. The server runs without it and tries again.`,
  'server.settings_undone': (f) =>
    `The server does not start with the changed settings, so these are undone: ${text(f['reason'])}`,
  'server.project_missing': () =>
    "There is no supabase folder here or in a parent directory, so Linnet's own is used.",
}

/** Fields that have their own place in the sentence, or that only programs need. */
const omittedFields = new Set(['time', 'level', 'event', 'reason', 'requestId', 'count', 'retryMs'])

function describeGenerally(entry: LogEntry): string {
  const [source = '', name = ''] = entry.event.split(/\.(.*)/)
  const words = name.replaceAll('_', ' ')
  const prefix = sourceNames[source]
  const title =
    prefix === undefined ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : `${prefix}: ${words}`
  const details = Object.entries(entry)
    .filter(([key, value]) => !omittedFields.has(key) && value !== undefined && value !== null)
    .map(([key, value]) => `${key} ${text(value)}`)
  const reason = entry['reason'] === undefined ? '' : `: ${text(entry['reason'])}`
  return `${title}${details.length > 0 ? ` (${details.join(', ')})` : ''}${reason}`
}

/** Describes an event in words, for a person at a terminal, in one line. */
export function describeEvent(entry: LogEntry, commandLine: CommandLine): string {
  const sentence = sentences[entry.event]?.(entry, commandLine) ?? describeGenerally(entry)
  return escapeControlCharacters(sentence.replaceAll(/\s*\n\s*/g, ' '))
}
