import type pg from 'pg'
import { SETTING_NAMES, databaseSettings } from './databaseSettings.ts'
import type { RestSettings } from './restSettings.ts'
import { quoteNamed } from '../sql/quote.ts'

/**
 * Selects the settings of the login role (`$1` is a prefix). Settings for this database override settings for all
 * databases.
 */
const ROLE_SETTINGS_SQL = `
select distinct on (1) split_part(pair, '=', 1) as name, substr(pair, strpos(pair, '=') + 1) as value
from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) as pair
where s.setrole = (select oid from pg_catalog.pg_roles where rolname = session_user)
  and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
  and pair like $1 || '%'
order by 1, s.setdatabase desc`

/** Clears the settings, to detect which ones a function sets. */
const CLEAR_SQL = `select set_config(name, '', true) from unnest($1::text[]) as name`
const CHANGED_SQL = `
select name, current_setting(name, true) as value
from unnest($1::text[]) as name where current_setting(name, true) <> ''`

interface Row {
  name: string
  value: string
}

/**
 * Reads the settings of the service that are in the database. The function in `pgrst.db_pre_config` sets some.
 * Settings of the role override these, and settings of the role in this database override both (upstream's order). It
 * runs in a transaction that is rolled back. Throws pg's errors. Errors of the function are returned as faults.
 */
export async function loadSettings(
  client: Pick<pg.ClientBase, 'query'>,
  base: RestSettings,
  before: RestSettings,
): Promise<{ settings: RestSettings; faults: string[] }> {
  const { rows: ofRole } = await client.query<Row>(ROLE_SETTINGS_SQL, ['pgrst.'])
  const pairs = new Map(ofRole.map(({ name, value }) => [name, value]))
  const preConfig = pairs.get('pgrst.db_pre_config')
  if (!preConfig) return databaseSettings(pairs, base, before)
  try {
    const { rows } = await runPreConfig(client, preConfig)
    for (const { name, value } of rows) if (!pairs.has(name)) pairs.set(name, value)
    return databaseSettings(pairs, base, before)
  } catch (error) {
    await client.query('rollback to savepoint pre_config')
    const fault = `pgrst.db_pre_config ${preConfig} failed: ${(error as Error).message}`
    const { settings, faults } = databaseSettings(pairs, before, before)
    return { settings, faults: [fault, ...faults] }
  }
}

async function runPreConfig(
  client: Pick<pg.ClientBase, 'query'>,
  name: string,
): Promise<pg.QueryResult<Row>> {
  const dot = name.indexOf('.')
  const routine = { schema: name.slice(0, Math.max(0, dot)), name: name.slice(dot + 1) }
  await client.query('savepoint pre_config')
  await client.query(CLEAR_SQL, [SETTING_NAMES])
  await client.query(`select ${quoteNamed(routine)}()`)
  return client.query<Row>(CHANGED_SQL, [SETTING_NAMES])
}
