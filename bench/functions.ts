import { randomUUID } from 'node:crypto'
import { foundWorkspace } from '../tests/support/people.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { disturbances } from './functions/disturbances.ts'
import { startBareHello } from './functions/startBareHello.ts'
import { writeProject } from './functions/writeProject.ts'
import { interleave, median, ratioOf } from './rest/interleave.ts'
import type { Load } from './rest/Latencies.ts'
import type { Task } from './rest/loader.ts'
import { openLoader, type Loader } from './rest/openLoader.ts'
import { renderRequest } from './rest/renderRequest.ts'
import type { BenchRow, BenchTable } from './table.ts'

const ROUNDS = 7
const HELLO_MS = 1_000
const MESSAGE_MS = 2_500
/** The number of messages, which is more than a round can send. An id is valid for one message. */
const MESSAGES = 4_000

/** Measures the same handler as a function and on a bare Node server, in turns. The goal is 0.7. */
async function hellos(root: string, loader: Loader, server: Server): Promise<BenchRow[]> {
  const bare = await startBareHello(root)
  try {
    const rows: BenchRow[] = []
    for (const concurrency of [20, 100]) {
      const to = (url: string, path: string) => (ms: number) => ({
        kind: 'http' as const,
        url,
        concurrency,
        ms,
        requests: [renderRequest({ url, method: 'GET', path, headers: { Accept: '*/*' } })],
      })
      const { ours, theirs } = await interleave(
        loader,
        { ours: to(server.url, '/functions/v1/hello'), theirs: to(bare.url, '/hello') },
        { rounds: ROUNDS, ms: HELLO_MS },
      )
      const of = (loads: Load[], name: keyof Load): number => median(loads.map((load) => load[name]))
      rows.push({
        what: `hello, concurrency ${concurrency}`,
        value: of(ours, 'rate'),
        unit: '/s',
        ratio: ratioOf(ours, theirs),
        against: `${Math.round(of(theirs, 'rate')).toLocaleString('en')}/s of the handler on a bare Node server`,
        also: { 'ms p50': of(ours, 'p50'), 'ms p99': of(ours, 'p99'), 'ms p99 bare': of(theirs, 'p99') },
      })
    }
    return rows
  } finally {
    await bare.end()
  }
}

async function timed(url: string): Promise<number> {
  const begun = performance.now()
  const answer = await fetch(url)
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return performance.now() - begun
}

/**
 * Measures first calls: of all functions, where a process has to be started, and of others, where a process is kept
 * ready.
 */
async function coldStarts(server: Server): Promise<BenchRow[]> {
  const call = (name: string): Promise<number> => timed(`${server.url}/functions/v1/${name}`)
  const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const names = Array.from({ length: 6 }, (_, n) => `cold${n}`)
  const bundled: number[] = []
  for (const name of names) bundled.push(await call(name))
  const none: number[] = []
  const kept: number[] = []
  for (let round = 0; round < 3; round++) {
    // Workers of this project end after two seconds without a call.
    await rest(4_500)
    none.push(await call(names[0]!))
    for (const name of names.slice(1, 4)) {
      await rest(500)
      kept.push(await call(name))
    }
  }
  const warm = []
  for (let n = 0; n < 50; n++) warm.push(await call(names[0]!))
  return [
    { what: 'first call ever, its bundle made', value: median(bundled), unit: 'ms' },
    { what: 'cold start, no process there', value: median(none), unit: 'ms' },
    { what: 'cold start, a process kept ready', value: median(kept), unit: 'ms' },
    { what: 'warm call, one at a time', value: median(warm), unit: 'ms' },
  ]
}

/**
 * Measures messages while functions misbehave, against messages alone right before. The goal is that p99 rises by
 * less than 20 ms.
 */
async function messages(loader: Loader, server: Server): Promise<BenchRow[]> {
  const { ann, channel } = await foundWorkspace(server)
  const { data } = await ann.auth.getSession()
  const headers = {
    apikey: server.publishableKey,
    Authorization: `Bearer ${data.session!.access_token}`,
    'Content-Type': 'application/json',
  }
  const send = (): Promise<Load> => {
    const requests = Array.from({ length: MESSAGES }, () =>
      renderRequest({
        url: server.url,
        method: 'POST',
        path: '/rest/v1/rpc/send_message',
        headers,
        body: JSON.stringify({ id: randomUUID(), channel, body: 'A message while others misbehave.' }),
      }),
    )
    return loader.run({
      kind: 'http',
      url: server.url,
      concurrency: 1,
      ms: MESSAGE_MS,
      requests,
    } satisfies Task)
  }
  await send()
  const rows: BenchRow[] = []
  for (const [what, begin] of Object.entries(disturbances)) {
    const alone: Load[] = []
    const beside: Load[] = []
    for (let round = 0; round < 3; round++) {
      alone.push(await send())
      const disturbance = begin(server.url)
      beside.push(await send())
      await disturbance.end()
    }
    const p99 = (loads: Load[]): number => median(loads.map((load) => load.p99))
    rows.push({
      what: `send_message beside ${what}, p99`,
      value: p99(beside),
      unit: 'ms',
      also: {
        'ms alone': p99(alone),
        'ms more': p99(beside) - p99(alone),
        'ms p50': median(beside.map((load) => load.p50)),
        'ms p50 alone': median(alone.map((load) => load.p50)),
      },
    })
  }
  return rows
}

/**
 * Measures the cost of a function's process for a call, the duration of a first call, and the effect of misbehaving
 * functions on messages.
 */
export async function run(): Promise<BenchTable> {
  const root = process.cwd()
  const data = temporaryData()
  const project = writeProject(root)
  const loader = openLoader(root)
  const ending: (() => unknown)[] = [() => loader.close(), project.remove, data.remove]
  try {
    const server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--no-app', '--supabase', project.dir],
    })
    ending.push(() => server.end('SIGTERM'))
    const rows = await coldStarts(server)
    rows.push(...(await hellos(root, loader, server)), ...(await messages(loader, server)))
    return { name: 'functions', rows }
  } finally {
    for (const end of ending.reverse()) await end()
  }
}
