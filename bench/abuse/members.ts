import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf } from '../auth/refreshLoad.ts'
import { serveTasks } from '../load/serveTasks.ts'
import { rawReader, type RawReader } from '../load/rawReader.ts'

export const operations = ['bootstrap', 'send', 'join', 'refresh'] as const
export type Operation = (typeof operations)[number]

/** One operation of a member. */
export interface Sample {
  operation: Operation
  /** When it began and what it took, in ms. */
  at: number
  ms: number
  isDone: boolean
}

export interface MembersTask {
  url: string
  publishableKey: string
  channel: string
  workspace: string
  topic: string
  /** Access tokens; each member has an address of their own, as a proxy on this machine would send it. */
  tokens: string[]
  /** Refresh tokens of other sessions, for the first task. */
  refreshTokens: string[]
  ms: number
}

export interface MembersResult {
  samples: Sample[]
  /** Sockets of members that the server closed. */
  lost: number
}

const perSecond: Record<Operation, number> = { bootstrap: 20, send: 20, join: 20, refresh: 5 }
/** What has not come after this time, or can't even be begun, counts as this long. */
const timeoutMs = 5_000
const maxUnderWay = 40

/**
 * The members that suffer from an attack: each does little, all together do it at a steady rate, whether or not what
 * was begun before has been answered. They also keep a socket each that has joined the channel.
 */
export function main(): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: maxUnderWay })
  const standing: RawReader[] = []
  let refreshTokens: string[] | null = null
  let lost = 0
  let n = 0

  const exchange = (
    task: MembersTask,
    o: { path: string; member: number; headers?: Record<string, string>; body: object; isFresh?: boolean },
  ): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        apikey: task.publishableKey,
        'content-type': 'application/json',
        'x-forwarded-for': addressOf(o.member),
        ...o.headers,
      }
      const sent = request(task.url + o.path, {
        method: 'POST',
        headers,
        agent: o.isFresh ? false : agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      sent.once('error', reject)
      sent.once('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.once('error', reject)
        response.once('end', () => {
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${response.statusCode} ${text}`))
        })
      })
      sent.end(JSON.stringify(o.body))
    })

  const join = async (task: MembersTask, member: number, onLost?: () => void): Promise<RawReader> => {
    let joined = false
    let settle: { resolve(): void; reject(error: Error): void } | null = null
    const answered = new Promise<void>((resolve, reject) => (settle = { resolve, reject }))
    const timer = setTimeout(() => settle!.reject(new Error('No answer to the join.')), timeoutMs)
    // Where the connection itself fails, nobody waits for the answer.
    answered.catch(() => {})
    let reader: RawReader | null = null
    try {
      const url = `${task.url}/realtime/v1/websocket?apikey=${task.publishableKey}&vsn=2.0.0`
      reader = await Promise.race([
        rawReader(url, {
          headers: { 'X-Forwarded-For': addressOf(member) },
          onFrame(_, payload) {
            if (joined || !payload.includes('phx_reply')) return
            if (payload.includes('"status":"ok"')) {
              joined = true
              settle!.resolve()
            } else settle!.reject(new Error(payload.toString()))
          },
          onEnd() {
            settle!.reject(new Error('The server closed the connection.'))
            if (joined) onLost?.()
          },
        }),
        answered as Promise<never>,
      ])
      const payload = { config: { private: true }, access_token: task.tokens[member]! }
      reader.send(JSON.stringify(['1', '1', task.topic, 'phx_join', payload]))
      await answered
      return reader
    } catch (error) {
      reader?.close()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  const perform = async (task: MembersTask, operation: Operation): Promise<void> => {
    const member = n++ % task.tokens.length
    const headers = { authorization: `Bearer ${task.tokens[member]!}` }
    switch (operation) {
      case 'bootstrap': {
        const body = { workspace: task.workspace }
        await exchange(task, { path: '/rest/v1/rpc/bootstrap', member, headers, body, isFresh: true })
        return
      }
      case 'send': {
        const body = { id: randomUUID(), channel: task.channel, body: 'A message, as long as people write.' }
        await exchange(task, { path: '/rest/v1/rpc/send_message', member, headers, body })
        return
      }
      case 'join':
        return void (await join(task, member)).close()
      case 'refresh': {
        const token = refreshTokens!.shift()
        if (token === undefined) throw new Error('Every session is waiting for its token.')
        const path = '/auth/v1/token?grant_type=refresh_token'
        let next = token
        try {
          const answer = await exchange(task, { path, member: n, body: { refresh_token: token } })
          next = (JSON.parse(answer) as { refresh_token: string }).refresh_token
        } finally {
          refreshTokens!.push(next)
        }
      }
    }
  }

  return serveTasks<MembersTask, MembersResult>(async (task) => {
    if (refreshTokens === null) {
      refreshTokens = [...task.refreshTokens]
      for (let member = 0; member < task.tokens.length; member++) {
        standing.push(await join(task, member, () => lost++))
      }
    }
    const samples: Sample[] = []
    const running = new Set<Promise<void>>()
    const begun = performance.now()
    const run = async (operation: Operation): Promise<void> => {
      let underWay = 0
      for (let count = 1; performance.now() - begun < task.ms; count++) {
        const at = performance.timeOrigin + performance.now()
        const began = performance.now()
        const end = (isDone: boolean): void => {
          samples.push({ operation, at, ms: isDone ? performance.now() - began : timeoutMs, isDone })
        }
        if (underWay >= maxUnderWay) end(false)
        else {
          underWay++
          const done = perform(task, operation)
            .then(
              () => end(true),
              () => end(false),
            )
            .finally(() => {
              underWay--
              running.delete(done)
            })
          running.add(done)
        }
        await sleep(Math.max(0, begun + (count * 1000) / perSecond[operation] - performance.now()))
      }
    }
    await Promise.all(operations.map(run))
    await Promise.all(running)
    return { samples, lost }
  })
}
