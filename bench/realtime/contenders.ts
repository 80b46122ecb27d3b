import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Server } from '../../tests/support/server.ts'
import { cpuOf, cpuOfProcessTree } from '../load/usage.ts'
import type { RealtimeTask } from './loader.ts'
import type { Channel } from './createChannel.ts'

/** A server that is measured. */
export interface Contender {
  pid: number
  /** The URL of sockets, and what the nth joins with; see subscribers.ts. */
  url: string
  join: (n: number) => string
  /** The task that opens the sender. */
  openSender: RealtimeTask & { kind: 'speak' }
  /** Whether it forwards frames unchanged: they get the size of the other contender's frames. */
  forwardsFrames?: boolean
  /** CPU so far, in ms: of the server's own process, and of its database. */
  cpu(): { server: number; database: number }
}

/** Linnet, whose messages are stored by `send_message`, in a channel that requires membership. */
export function linnet(server: Server, { channel, topic, members }: Channel): Contender {
  const { server: pid, db } = server.pids
  return {
    pid,
    url: `${server.url}/realtime/v1/websocket?apikey=${server.publishableKey}&vsn=2.0.0`,
    join(n) {
      const payload = { config: { private: true }, access_token: members[n % members.length]!.token }
      return JSON.stringify(['1', '1', topic, 'phx_join', payload])
    },
    openSender: {
      kind: 'speak',
      by: { dbUrl: server.dbUrl, channel, people: members.slice(0, 100).map(({ claims }) => claims) },
    },
    cpu: () => ({ server: cpuOf(pid), database: cpuOfProcessTree(db) }),
  }
}

/** `ws` alone, in a process of its own; see bareWs.ts. */
export async function startBareWs(root: string): Promise<Contender & { end(): Promise<void> }> {
  const child = spawn(process.execPath, [join(root, 'bin/run.mjs'), 'bench/realtime/bareWs.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number))
    void ended.then(() => reject(new Error('The bare websocket server has ended.')))
  })
  const pid = child.pid!
  return {
    pid,
    url: `http://127.0.0.1:${port}/`,
    join: () => 'join',
    forwardsFrames: true,
    openSender: { kind: 'speak', by: { url: `http://127.0.0.1:${port}/speak` } },
    cpu: () => ({ server: cpuOf(pid), database: 0 }),
    async end() {
      child.disconnect()
      await ended
    },
  }
}
