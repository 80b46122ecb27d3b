import { Client, type ClientConfig } from 'pg'

/**
 * Settings with which both servers write the same text for the same value, and which no setting of the database or of a role
 * changes.
 */
const settings = {
  search_path: '',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  lc_monetary: 'C',
  xmloption: 'content',
  row_security: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  client_min_messages: 'warning',
}

/** Connects as the superuser, to read or write all rows. `end` closes the connection. */
export async function openSession(
  config: ClientConfig,
  more: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ ...config, application_name: 'linnet major version' })
  client.on('error', () => {})
  await client.connect()
  for (const [name, value] of Object.entries({ ...settings, ...more }))
    await client.query('select set_config($1, $2, false)', [name, value])
  return client
}
