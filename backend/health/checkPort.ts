import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** Whether the server could listen on its port. */
export interface PortFacts {
  host: string
  port: number
  /** The error code of the attempt to listen; null if it succeeded. */
  error: string | null
  /** Who uses the port, if the system reports it: "nginx (process 812)". */
  user: string | null
}

/** Judges whether the server could listen on its port. */
export function judgePort({ host, port, error, user }: PortFacts): LocalFinding[] {
  switch (error) {
    case null:
      return [createLocalFinding('port.free', { port })]
    case 'EADDRINUSE':
      return [
        createLocalFinding(
          'port.taken',
          { port },
          {
            details: [user === null ? `${host}:${port} is in use.` : `${host}:${port} is in use by ${user}.`],
          },
        ),
      ]
    case 'EACCES':
      return [createLocalFinding('port.not_permitted', { port })]
    default:
      return [
        createLocalFinding('port.no_address', { port }, { details: [`The configured address is ${host}.`] }),
      ]
  }
}

/** Tries to listen on a port of this machine for a moment. */
export async function readPort(host: string, port: number): Promise<PortFacts> {
  const error = await listenOnce(host, port)
  return { host, port, error, user: error === 'EADDRINUSE' ? await findUser(port) : null }
}

function listenOnce(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

/** The program that listens on a port, as `ss` or `lsof` report it; null if neither is installed or may see it. */
async function findUser(port: number): Promise<string | null> {
  const run = async (command: string, args: string[]): Promise<string> => {
    try {
      return (await promisify(execFile)(command, args, { timeout: 2_000 })).stdout
    } catch {
      return ''
    }
  }
  const sockets = await run('ss', ['-Hltnp', `sport = :${port}`])
  const [, name, pid] = /users:\(\("([^"]+)",pid=(\d+)/.exec(sockets) ?? []
  if (name !== undefined) return `${name} (process ${pid})`
  const files = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fcp'])
  const [, process] = /^p(\d+)$/m.exec(files) ?? []
  const [, command] = /^c(.+)$/m.exec(files) ?? []
  return process === undefined ? null : `${command ?? 'a program'} (process ${process})`
}
