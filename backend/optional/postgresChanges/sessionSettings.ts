const settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
}

/**
 * The text format of values, independent of the database's settings: it must be the same in the WAL and in queries, so
 * that values can be compared. For a transaction; operators are found in the search path of API sessions.
 */
export const sessionSettings = [
  ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`),
  'set local search_path = public, extensions',
].join('; ')

/** The same as a connection's `options`. */
export const connectionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
