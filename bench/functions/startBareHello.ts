import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** A bare Node server in a process of its own; see bareHello.ts. */
export async function startBareHello(root: string): Promise<{ url: string; end(): Promise<void> }> {
  const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), 'bench/functions/bareHello.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const port = await Promise.race([
    new Promise<number>((resolve) => {
      child.once('message', (message) => resolve(message as number))
    }),
    ended.then(() => {
      throw new Error('The bare server ended before it was ready.')
    }),
  ])
  return {
    url: `http://127.0.0.1:${port}`,
    async end() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
