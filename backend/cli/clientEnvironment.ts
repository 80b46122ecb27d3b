import { Client } from 'pg'

/**
 * The environment of a program that connects to the database through libpq. The password is in a variable of the child
 * process, since all users of a machine can read the arguments of a process.
 */
export function clientEnvironment(dbUrl: string): NodeJS.ProcessEnv {
  const { host, port, user, password, database } = new Client({ connectionString: dbUrl })
  // Variables of the caller could lead to another database or change its sessions.
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^PG(?!CLIENTENCODING$|TZ$)/.test(name)),
  )
  return {
    ...inherited,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user ?? '',
    PGPASSWORD: password ?? '',
    PGDATABASE: database ?? '',
  }
}
