const settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
}

/**
 * How values are written as text, whatever the database is set to: alike in the log and in what is asked, or
 * they could not be compared. For a transaction; operators are looked for where API sessions find them.
 */
export const sessionSettings = [
  ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`),
  'set local search_path = public, extensions',
].join('; ')

/** The same as a connection's `options`. */
export const connectionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
