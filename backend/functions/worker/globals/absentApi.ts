import { errors } from './errors.ts'

/** What Deno has and functions do not get here, with the reason or what to use instead. */
const network = 'Use fetch, or "node:net" and "node:tls", which npm packages for databases use.'
const subprocesses = 'Functions start no other programs, as on Supabase.'
const native = 'Functions load no native libraries, as on Supabase.'
const files = 'Supabase keeps it from functions too.'
const sockets = 'Functions of this house answer plain requests; use Realtime for messages to browsers.'

const absent: Record<string, string> = {
  upgradeWebSocket: sockets,
  connect: network,
  connectTls: network,
  startTls: network,
  listen: network,
  listenTls: network,
  listenDatagram: network,
  serveHttp: 'Use Deno.serve.',
  createHttpClient: 'Use fetch without a client of its own.',
  run: subprocesses,
  Command: subprocesses,
  kill: subprocesses,
  dlopen: native,
  openKv: 'Keep it in a table.',
  cron: 'Use pg_cron: select cron.schedule(…).',
  watchFs: files,
  chmod: files,
  chmodSync: files,
  chown: files,
  chownSync: files,
  chdir: files,
  copyFile: files,
  copyFileSync: files,
  link: files,
  linkSync: files,
  symlink: files,
  symlinkSync: files,
  readLink: files,
  readLinkSync: files,
  rename: files,
  renameSync: files,
  truncate: files,
  truncateSync: files,
  umask: files,
  utime: files,
  utimeSync: files,
  openSync: files,
  createSync: files,
  test: 'Tests run with Deno itself.',
  bench: 'Benchmarks run with Deno itself.',
}

/**
 * Gives `target` a member for each part of Deno that is absent: called or constructed, it throws a sentence that
 * names it, where `undefined is not a function` would name nothing.
 */
export function defineAbsent(target: object, prefix: string, members: Record<string, string> = absent): void {
  for (const [name, instead] of Object.entries(members)) {
    const refuse = function (): never {
      throw new errors.NotSupported(`${prefix}.${name} is not available in functions here. ${instead}`)
    }
    Object.defineProperty(target, name, { value: refuse, configurable: true, writable: true })
  }
}
