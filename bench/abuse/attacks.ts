import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { rawReader } from '../load/rawReader.ts'

/** The server that is attacked, and the credentials of the attacker. */
export interface Target {
  /** Where to connect, by the attacker's addresses in turn. */
  origins: string[]
  publishableKey: string
  /** Of a guest who belongs to `channel`. */
  guestToken: string
  channel: string
  topic: string
  /** A message of 20,000 characters by that guest. */
  message: string
  /** The root of a thread that every member of the channel follows. */
  thread: string
  /** An object of 50 MB in the bucket `files`, uploaded by that guest. */
  upload: string
}

/** The state and the counts of one attacking process. */
export interface Attacker {
  target: Target
  /** This process makes one `of` so many parts of the load. */
  part: { index: number; of: number }
  signal: AbortSignal
  /** Closed at the end. */
  sockets: Set<{ destroy(): void }>
  /** Whether this process has used its share of a core, so that its load must wait. */
  isOverBudget(): boolean
  counts: { sent: number; answered: number; refused: number }
}

interface Attack {
  /** The number in the list of attacks, and a description. */
  what: string
  run(attacker: Attacker): Promise<void>
}

/** Calls `act` this often a second, but less often if the process has used its share of a core. */
async function pace(attacker: Attacker, perSecond: number, act: () => void): Promise<void> {
  let due = 0
  let last = performance.now()
  while (!attacker.signal.aborted) {
    await sleep(5)
    const now = performance.now()
    due = Math.min(due + ((now - last) / 1000) * (perSecond / attacker.part.of), perSecond / 10 + 1)
    last = now
    if (attacker.isOverBudget()) continue
    for (; due >= 1; due--) act()
  }
}

/** Returns this process's part of `count`. */
const partOf = ({ part }: Attacker, count: number): number =>
  Math.floor(count / part.of) + (part.index < count % part.of ? 1 : 0)

interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

const asPublic = ({ target }: Attacker): Record<string, string> => ({
  apikey: target.publishableKey,
  'content-type': 'application/json',
})

const asGuest = (attacker: Attacker): Record<string, string> => ({
  ...asPublic(attacker),
  authorization: `Bearer ${attacker.target.guestToken}`,
})

const command = (attacker: Attacker, name: string, args: object): Request => ({
  method: 'POST',
  path: `/rest/v1/rpc/${name}`,
  headers: asGuest(attacker),
  body: JSON.stringify(args),
})

const originOf = ({ target, counts }: Attacker): string =>
  target.origins[counts.sent % target.origins.length]!

/**
 * Sends requests on persistent connections: at most `atOnce` in progress, and `perSecond` begun each second. Unread
 * responses stay open.
 */
async function flood(
  attacker: Attacker,
  o: { atOnce: number; perSecond: number; isRead?: boolean },
  make: (n: number) => Request,
): Promise<void> {
  const { counts, sockets } = attacker
  const atOnce = partOf(attacker, o.atOnce)
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  sockets.add(agent)
  let underWay = 0
  let n = 0
  await pace(attacker, o.perSecond, () => {
    if (underWay >= atOnce) return
    underWay++
    const { method, path, headers, body } = make(n++)
    const sent = request(originOf(attacker) + path, { method, headers, agent })
    counts.sent++
    sent.once('response', (response) => {
      if (response.statusCode! < 400) counts.answered++
      else counts.refused++
      if (o.isRead ?? true) response.resume()
    })
    sent.once('close', () => underWay--)
    sent.once('error', () => counts.refused++)
    sent.end(body)
  })
}

/** Holds `count` connections open, each begun by `open`. It replaces connections that the server closes. */
async function keepOpen(
  attacker: Attacker,
  o: { count: number; perSecond: number },
  open: (origin: string, onEnd: () => void) => void,
): Promise<void> {
  const { counts } = attacker
  const most = partOf(attacker, o.count)
  let opened = 0
  await pace(attacker, o.perSecond, () => {
    if (opened >= most) return
    opened++
    const origin = originOf(attacker)
    counts.sent++
    let ended = false
    open(origin, () => {
      if (ended) return
      ended = true
      opened--
      counts.refused++
    })
  })
}

function openSocket(attacker: Attacker, origin: string, onEnd: () => void): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true })
  attacker.sockets.add(socket)
  socket.on('error', () => {})
  socket.on('data', () => {})
  socket.once('close', () => {
    attacker.sockets.delete(socket)
    onEnd()
  })
  return socket
}

async function openWebSocket(
  attacker: Attacker,
  origin: string,
  onEnd: () => void,
): Promise<Awaited<ReturnType<typeof rawReader>> | null> {
  const url = `${origin}/realtime/v1/websocket?apikey=${attacker.target.publishableKey}&vsn=2.0.0`
  try {
    const reader = await rawReader(url, { onFrame: () => attacker.counts.answered++, onEnd })
    attacker.sockets.add({ destroy: () => reader.close() })
    return reader
  } catch {
    onEnd()
    return null
  }
}

const joinsPerSocket = 999
const joinsPerTurn = 20

/** Opens 160 sockets with 999 joins each, which takes 5 s. A closed socket is opened again and continues. */
async function stormOfJoins(attacker: Attacker, token: string | null): Promise<void> {
  const payload = token === null ? {} : { access_token: token }
  await keepOpen(attacker, { count: 160, perSecond: 100 }, (origin, onEnd) => {
    const closed = new AbortController()
    const end = (): void => {
      closed.abort()
      onEnd()
    }
    const isOver = AbortSignal.any([attacker.signal, closed.signal])
    const join = async (): Promise<void> => {
      const reader = await openWebSocket(attacker, origin, end)
      if (!reader) return
      for (let n = 0; n < joinsPerSocket;) {
        await sleep(100)
        if (isOver.aborted) return
        if (attacker.isOverBudget()) continue
        for (let i = 0; i < joinsPerTurn && n < joinsPerSocket; i++, n++) {
          reader.send(JSON.stringify([`${n}`, `${n}`, `realtime:${n % 90}`, 'phx_join', payload]))
          attacker.counts.sent++
        }
      }
    }
    void join()
  })
}

/** A masked text frame of 4.7 MB whose last 100 kB are missing. */
const unfinishedFrame = (() => {
  const length = 4_700_000
  const head = Buffer.alloc(14)
  head[0] = 0x81
  head[1] = 0xff
  head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, Buffer.alloc(length - 100_000, 0x20)])
})()

/** A body of 9.9 MB, whose last 100 kB are sent at a byte a second. */
const slowBody = { length: 9_900_000, first: Buffer.alloc(9_800_000, 0x20) }

/** 300 conditions, which no message meets: PostgreSQL evaluates all of them for each message. */
const longFilter = Array.from({ length: 300 }, (_, n) => `body.ilike.*w%25t%25o%25z${n}*`).join(',')

const longWord = 'a1-'.repeat(66_667).slice(0, 200_000)
const draftBody = 'draft '.repeat(3_000)
const editedBody = 'word '.repeat(4_000)

/**
 * The attacks by number: attacks on a whole server by the numbers of their findings, and attacks that reviews of the
 * commands found.
 */
export const attacks = {
  'C1-invalid': {
    what: 'C1: 160 sockets, 999 joins each with an invalid token',
    run: (attacker) => stormOfJoins(attacker, 'a.b.c'),
  },
  'C1-public': {
    what: 'C1: 160 sockets, 999 joins each with the public key',
    run: (attacker) => stormOfJoins(attacker, null),
  },
  'C2-requests': {
    what: 'C2: 300 slow requests of 9.9 MB to a function',
    run: (attacker) =>
      keepOpen(attacker, { count: 300, perSecond: 75 }, (origin, onEnd) => {
        const socket = openSocket(attacker, origin, onEnd)
        socket.write(
          `POST /functions/v1/delete-files HTTP/1.1\r\nHost: bench\r\nContent-Length: ${slowBody.length}\r\n\r\n`,
        )
        socket.write(slowBody.first)
        const timer = setInterval(() => socket.write(' '), 1_000)
        socket.once('close', () => clearInterval(timer))
      }),
  },
  'C2-frames': {
    what: 'C2: 300 sockets with an unfinished frame of 4.7 MB',
    run: (attacker) =>
      keepOpen(attacker, { count: 300, perSecond: 75 }, (origin, onEnd) => {
        void openWebSocket(attacker, origin, onEnd).then((reader) => reader?.write(unfinishedFrame))
      }),
  },
  C3: {
    what: 'C3: send_message and edit_message with 200,000 characters, 20 at once',
    run: (attacker) =>
      flood(attacker, { atOnce: 20, perSecond: 100 }, (n) =>
        n % 2 === 0
          ? command(attacker, 'send_message', {
              id: randomUUID(),
              channel: attacker.target.channel,
              body: longWord,
            })
          : command(attacker, 'edit_message', { id: attacker.target.message, body: longWord }),
      ),
  },
  C4: {
    what: 'C4: five unread answers of embedded messages',
    run: (attacker) =>
      flood(attacker, { atOnce: 5, perSecond: 20, isRead: false }, () => ({
        method: 'GET',
        path: '/rest/v1/channels?select=id,messages(id,body,channels(id,messages(id,body)))',
        headers: asGuest(attacker),
      })),
  },
  reads: {
    what: 'filters that take long, 12 at once',
    run: (attacker) =>
      flood(attacker, { atOnce: 12, perSecond: 100 }, () => ({
        method: 'GET',
        path: `/rest/v1/messages?select=id&or=(${longFilter})`,
        headers: asGuest(attacker),
      })),
  },
  C5: {
    what: 'C5: object/copy of 50 MB, 20 times',
    run: async (attacker) => {
      let copies = partOf(attacker, 20)
      const { channel, upload } = attacker.target
      const end = new AbortController()
      const limited = { ...attacker, signal: AbortSignal.any([attacker.signal, end.signal]) }
      await flood(limited, { atOnce: 20, perSecond: 20 }, () => {
        if (--copies === 0) end.abort()
        const destinationKey = `${channel}/${randomUUID()}/file`
        return {
          method: 'POST',
          path: '/storage/v1/object/copy',
          headers: asGuest(attacker),
          body: JSON.stringify({ bucketId: 'files', sourceKey: upload, destinationKey }),
        }
      })
      while (!attacker.signal.aborted) await sleep(50)
    },
  },
  C9: {
    what: 'C9: 20,800 half-sent requests from two addresses',
    run: (attacker) =>
      keepOpen(attacker, { count: 20_800, perSecond: 5_000 }, (origin, onEnd) => {
        openSocket(attacker, origin, onEnd).write('GET / HTTP/1.1\r\nHost: bench\r\n')
      }),
  },
  C14: {
    what: 'C14: 93 reactions, 60 edits and 400 typing calls a second',
    run: async (attacker) => {
      const { channel, message } = attacker.target
      await Promise.all([
        flood(attacker, { atOnce: 20, perSecond: 93 }, (n) =>
          command(attacker, 'react', { message, emoji: '👍', on: n % 2 === 0 }),
        ),
        flood(attacker, { atOnce: 20, perSecond: 60 }, (n) =>
          command(attacker, 'edit_message', { id: message, body: editedBody.slice(n % 100) }),
        ),
        flood(attacker, { atOnce: 20, perSecond: 400 }, () => command(attacker, 'typing', { channel })),
      ])
    },
  },
  C15: {
    what: 'C15: 1,200 anonymous calls at once',
    run: (attacker) =>
      flood(attacker, { atOnce: 1_200, perSecond: 2_000 }, () => ({
        method: 'POST',
        path: '/rest/v1/rpc/view_invitation',
        headers: asPublic(attacker),
        body: JSON.stringify({ token: randomUUID() }),
      })),
  },
  C16: {
    what: 'C16: 12 one-time passwords at once, with a hook of 2 s',
    run: (attacker) =>
      flood(attacker, { atOnce: 12, perSecond: 50 }, () => ({
        method: 'POST',
        path: '/auth/v1/otp',
        headers: asPublic(attacker),
        body: JSON.stringify({ email: `${randomUUID()}@bench.example`, create_user: true }),
      })),
  },
  thread: {
    what: 'replies in a thread that everyone follows, 100 a second',
    run: (attacker) => {
      const { channel, thread } = attacker.target
      return flood(attacker, { atOnce: 20, perSecond: 100 }, () =>
        command(attacker, 'send_message', { id: randomUUID(), channel, thread_root: thread, body: 'Me too' }),
      )
    },
  },
  drafts: {
    what: 'drafts of 18,000 characters, 200 a second',
    run: (attacker) =>
      flood(attacker, { atOnce: 20, perSecond: 200 }, (n) =>
        command(attacker, 'save_draft', {
          id: randomUUID(),
          channel: attacker.target.channel,
          body: draftBody.slice(n % 100),
        }),
      ),
  },
} satisfies Record<string, Attack>

export type AttackName = keyof typeof attacks
