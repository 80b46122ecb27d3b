import { createServer } from 'node:net'
import { ListenError } from '../gateway/ListenError.ts'
import { checkDataFolder } from '../postgres/server/dataFolder.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { readRunningServer } from '../startup/runningServer.ts'

/** How many ports after the default one are tried. */
export const triedPorts = 20

/** Opens and closes a port. Returns the error of `listen`, or null. */
async function findListenError(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port }, () => server.close(() => resolve(null)))
  })
}

/** Throws ListenError if the server cannot listen on an address. The port may be in use. */
export async function requireAddress(host: string, port: number): Promise<void> {
  const error = await findListenError(host, 0)
  if (error !== null) throw ListenError.from(error, host, port)
}

/**
 * Returns the port if it is free. If it is in use, and nobody has requested it, returns the next free port. Throws ListenError.
 */
async function choosePort(host: string, port: number, isRequested: boolean): Promise<number> {
  const error = await findListenError(host, port)
  if (error === null) return port
  if (error.code === 'EADDRINUSE' && !isRequested) {
    for (let next = port + 1; next <= port + triedPorts; next++)
      if ((await findListenError(host, next)) === null) return next
  }
  throw ListenError.from(error, host, port)
}

/**
 * Checks that no server runs on these data, that the port is free and that the data folder can be written. A start calls it
 * before it builds or creates anything. Throws StartError or ListenError.
 * @param o.isPortRequested false for the default port, which is replaced by the next free one if it is in use
 * @returns the port to listen on
 */
export async function checkStart(o: {
  dataDir: string
  host: string
  port: number
  isPortRequested: boolean
  /** The certificate that the server requests itself, which needs a second port. */
  acme?: { httpPort: number } | null
}): Promise<{ port: number }> {
  const running = readRunningServer(o.dataDir)
  if (running !== null) {
    throw new StartError(
      `Linnet is already running at ${running.url} with the data in ${o.dataDir} (process ${running.pids.server}). ` +
        'To start another one, choose another folder with --data.',
    )
  }
  const port = await choosePort(o.host, o.port, o.isPortRequested)
  if (o.acme) {
    const error = await findListenError(o.host, o.acme.httpPort)
    if (error !== null) throw ListenError.fromHttpPort(error, o.host, o.acme.httpPort)
  }
  checkDataFolder(o.dataDir)
  return { port }
}
