import { supported, type KnownKey } from './KnownKey.ts'

/** Rows of `public.settings`. */
const databaseSettings: Record<string, KnownKey> = Object.fromEntries([
  ...[
    'mail_delay_minutes',
    'mail_interval_minutes',
    'mail_max_per_hour',
    'invitation_mails_per_day',
    'link_previews_per_hour',
    'account_deletion_days',
    'workspace_deletion_days',
    'temporary_ban_days',
    'search_messages_examined',
    'search_messages_deeper',
    'search_messages_compared',
    'search_segments',
    'list_files_examined',
  ].map((name) => [`settings.${name}`, supported('number')]),
  ...['mail_language', 'mail_off_until', 'push_contact', 'push_endpoints', 'outgoing_webhook_urls'].map(
    (name) => [`settings.${name}`, supported('string')],
  ),
  ['settings.mail_text', supported('boolean')],
  ['settings.push_allowed', supported('strings')],
  ...'message characters draft_characters reaction typing profile own draft move command webhook recovery_code other'
    .split(' ')
    .flatMap((kind) => [
      [`settings.rate_limits.${kind}.per_minute`, supported('number')],
      [`settings.rate_limits.${kind}.burst`, supported('number')],
    ]),
])

/** Keys of an installation, which belong in linnet.toml of the data directory. The official CLI does not have them. */
export const knownInstallationKeys: Record<string, KnownKey> = {
  'server.public_url': supported('string'),
  'server.host': supported('string'),
  'server.port': supported('number'),
  'server.tls_cert': supported('string'),
  'server.tls_key': supported('string'),
  'tls.acme': supported('boolean'),
  'tls.accept_terms': supported('boolean'),
  'tls.contact': supported('string'),
  'tls.directory': supported('string'),
  'tls.http_port': supported('number'),
  'server.trusted_proxies': supported('strings'),
  'server.db_port': supported('number'),
  'server.log': supported('string'),

  'backup.enabled': supported('boolean'),
  'backup.to': supported('string'),
  'backup.at': supported('string'),
  'backup.keep_days': supported('number'),
  'backup.keep_weeks': supported('number'),
  'backup.keep_months': supported('number'),
  'backup.point_in_time': supported('boolean'),
  'backup.max_wal_size': supported('size'),
  'backup.command': supported('string'),
  'backup.public_key': supported('string'),
  'backup.passphrase': supported('string'),

  ...databaseSettings,
}
