import { errors } from './errors.ts'

/** Members of Deno that functions do not have here, with the reason or an alternative. */
const network = 'Use fetch, or "node:net" and "node:tls", which npm packages for databases use.'
const subprocesses = 'Functions start no other programs, as on Supabase.'
const native = 'Functions load no native libraries, as on Supabase.'
const files = 'Supabase does not provide it either.'
const sockets = 'Functions on this server support only plain requests; use Realtime for messages to browsers.'

const unsupported: Record<string, string> = {
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
 * Defines a member of `target` for each unsupported part of Deno: called or constructed, it throws an error that names
 * it, unlike `undefined is not a function`.
 */
export function defineUnsupported(
  target: object,
  prefix: string,
  members: Record<string, string> = unsupported,
): void {
  for (const [name, instead] of Object.entries(members)) {
    const throwUnsupported = function (): never {
      throw new errors.NotSupported(`${prefix}.${name} is not available in functions here. ${instead}`)
    }
    Object.defineProperty(target, name, { value: throwUnsupported, configurable: true, writable: true })
  }
}
