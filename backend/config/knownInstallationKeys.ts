import { supported, type KnownKey } from './KnownKey.ts'

/** Keys of an installation, which belong into linnet.toml of the data directory. The official CLI does not have them. */
export const knownInstallationKeys: Record<string, KnownKey> = {
  'server.public_url': supported('string'),
  'server.host': supported('string'),
  'server.port': supported('number'),
  'server.tls_cert': supported('string'),
  'server.tls_key': supported('string'),
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
}
