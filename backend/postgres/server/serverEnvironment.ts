/** What PostgreSQL sees of our environment: nothing that changes what it does (LC_ALL, PGDATA, TZ …). */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: 'C', TZ: 'UTC' }
}
