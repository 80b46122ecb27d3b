import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Client } from 'pg'
import type { SearchResponse } from '../wire/messages.ts'
import { percentile } from './scroll/inPage.ts'
import { createRandom, hasTerm } from './search/createText.ts'
import type { Person, SearchWorkspace } from './search/fillWorkspace.ts'
import { measureBesideMessages } from './search/measureBesideMessages.ts'
import { measureKeepingUp } from './search/measureKeepingUp.ts'
import { callCommand, openArchive, type Archive } from './search/openArchive.ts'
import {
  argsOf,
  createQueries,
  createTypingError,
  findAll,
  mentionsMe,
  type Query,
} from './search/queries.ts'
import type { AddRow, BenchTable } from './table.ts'

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? undefined : process.argv[at + 1]
}

const SMALL = 10_000
const MAX_MS = 50
/** The numbers of queries of each kind that are timed, and that are compared with the oracle. */
const TIMED = 20
const COMPARED = 3

export const timeoutMs = 1_800_000

/**
 * Measures the search in 10,000 messages and in `--messages` (100,000 by default), for a member of 50 of 500
 * channels. It measures the latency of each kind of query, and recall and precision against a comparison of all
 * messages. It compares `--pairs` (500) random people and queries with the messages that the policies show. It
 * measures searches beside messages, the additional cost of a message with the index, and whether the index keeps up
 * with 200 messages a second. `--keep FOLDER` stores the filled databases for further runs with the same migrations.
 */
export async function run(add: AddRow): Promise<BenchTable> {
  const total = Number(option('messages') ?? 100_000)
  const folder = option('keep')
  const opened: Archive[] = []
  try {
    for (const amount of [Math.min(SMALL, total), total]) opened.push(await openArchive(amount, folder, add))
    const [small, large] = opened as [Archive, Archive]
    const { client, ann, workspace } = large
    const leaks = await countDifferences(small, Number(option('pairs') ?? 500), createRandom(2), add)
    const { before, after } = await measureKinds(small, large)
    for (const [kind, { p50, p95, processor }] of Object.entries(after)) {
      const less = before[kind]!.processor
      add({
        what: `${kind}, p95`,
        goal: `≤ ${MAX_MS} ms, ≤ 2×`,
        value: p95,
        unit: 'ms',
        ratio: processor.p50 / less.p50,
        against: `${less.p50.toFixed(2)} ms of processor, p50 at ${SMALL}`,
        also: { 'ms p50': p50, 'ms of processor, p50': processor.p50, 'ms of processor, p95': processor.p95 },
      })
    }
    const p95Ms = Math.max(...Object.values(after).map((times) => times.p95))
    const random = createRandom(3)
    const recall = await compareWithOracle(ann, workspace, random, add)
    await measureCorrections(ann, workspace, random, add)
    // Where there are few messages, words occur only where the reader does not read.
    await measureTiming(small.ann, small.workspace, add)
    await measureSendCost(client, workspace, add)
    await measureKeepingUp(large, add)
    await measureBesideMessages(large, add)
    return { name: 'search', rows: [], summary: { p95Ms, recall, leaks } }
  } finally {
    for (const archive of opened) await archive.close()
  }
}

/** Returns the reader's queries by kind, including queries that only this reader has. */
const kindsOf = (workspace: SearchWorkspace, random: () => number): Record<string, () => Query> => ({
  ...createQueries(workspace, random),
  'mentions:me': () => mentionsMe,
  'typing error': () => createTypingError(workspace, random).query,
  'by relevance': () => {
    const query = createQueries(workspace, random)['common word']!()
    return { ...query, filters: { order: 'relevance' } }
  },
})

interface Times {
  p50: number
  p95: number
}

const timesOf = (all: number[]): Times => ({ p50: percentile(all, 0.5), p95: percentile(all, 0.95) })

type KindTimes = Record<string, Times & { processor: Times }>

/**
 * Measures each kind of query in ms, in two archives in turns. It measures the data API, and the processor time in
 * PostgreSQL, which other load on the machine does not change much.
 */
async function measureKinds(
  small: Archive,
  large: Archive,
): Promise<{ before: KindTimes; after: KindTimes }> {
  const measured = []
  for (const archive of [small, large]) {
    measured.push({
      ...archive,
      computed: await readProcessorTime(archive.client),
      kinds: kindsOf(archive.workspace, createRandom(4)),
      times: {} as Record<string, number[]>,
      processor: {} as Record<string, number[]>,
    })
  }
  for (let round = -2; round < TIMED; round += 1) {
    for (const kind of Object.keys(measured[0]!.kinds)) {
      for (const { ann, client, workspace, computed, kinds, times, processor } of measured) {
        const query = kinds[kind]!()
        const start = performance.now()
        await callCommand(ann, 'search_messages', argsOf(workspace, query))
        const end = performance.now()
        const before = computed()
        await searchAs(client, workspace, workspace.people[0]!, query, null, 20)
        // The first rounds load code, plans and pages.
        if (round < 0) continue
        ;(times[kind] ??= []).push(end - start)
        ;(processor[kind] ??= []).push(computed() - before)
      }
    }
  }
  const [before, after] = measured.map(({ times, processor }) =>
    Object.fromEntries(
      Object.entries(times).map(([kind, all]) => [
        kind,
        { ...timesOf(all), processor: timesOf(processor[kind]!) },
      ]),
    ),
  )
  return { before: before!, after: after! }
}

/** Returns a function that returns how long the processor has computed for the session of a client, in ms. */
async function readProcessorTime(client: Client): Promise<() => number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const stat = `/proc/${rows[0]!.pid}/schedstat`
  return () => Number(readFileSync(stat, 'utf8').split(' ')[0]) / 1e6
}

/** Runs a statement as a person, as the data API does. */
async function queryAs<T>(client: Client, person: Person, sql: string, values: unknown[] = []): Promise<T[]> {
  await client.query('begin')
  try {
    await client.query(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify({ sub: person.account, session_id: person.account })],
    )
    return (await client.query<T & object>({ name: sql, text: sql, values })).rows
  } finally {
    await client.query('rollback')
  }
}

async function searchAs(
  client: Client,
  workspace: SearchWorkspace,
  person: Person,
  { query, filters }: Query,
  before: string | null,
  limit: number,
): Promise<SearchResponse> {
  const [row] = await queryAs<{ response: SearchResponse }>(
    client,
    person,
    'select public.search_messages($1, $2, $3, $4, $5) as response',
    [workspace.id, query, filters ? JSON.stringify(filters) : null, before, limit],
  )
  return row!.response
}

/**
 * Follows cursors until there are `max` ids, or no more pages. Results of a corrected query are no matches of the
 * query itself.
 */
async function collect(
  search: (before: string | null) => Promise<SearchResponse>,
  max: number,
): Promise<{ ids: string[]; corrected: string[]; requests: number }> {
  const ids: string[] = []
  const corrected: string[] = []
  let requests = 0
  let before: string | null = null
  do {
    const page: SearchResponse = await search(before)
    const found = page.hits.map((hit) => hit.message.id)
    ;(page.corrected === undefined ? ids : corrected).push(...found)
    before = page.next
    requests += 1
  } while (before !== null && ids.length + corrected.length < max && requests < 200)
  return { ids: ids.slice(0, max), corrected, requests }
}

/** Compares the newest 50 results of each query with a comparison of all messages. Returns the recall. */
async function compareWithOracle(
  ann: SupabaseClient,
  workspace: SearchWorkspace,
  random: () => number,
  add: AddRow,
): Promise<number> {
  let [expected, found, right, requests, queries] = [0, 0, 0, 0, 0]
  for (const [kind, create] of Object.entries(kindsOf(workspace, random))) {
    if (kind === 'by relevance' || kind === 'typing error') continue
    for (let n = 0; n < COMPARED; n += 1) {
      const query = create()
      const wanted = new Set(findAll(workspace, workspace.people[0]!, query, 50))
      const result = await collect(
        (before) => callCommand(ann, 'search_messages', argsOf(workspace, query, { before, limit: 50 })),
        50,
      )
      expected += wanted.size
      found += result.ids.length
      const hits = result.ids.filter((id) => wanted.has(id)).length
      right += hits
      if (hits < wanted.size || hits < result.ids.length) {
        process.stderr.write(
          `${kind} ${JSON.stringify(argsOf(workspace, query))}: ${hits} of ${wanted.size}, ${result.ids.length} found\n`,
        )
      }
      requests += result.requests
      queries += 1
    }
  }
  add({
    what: 'recall of the newest 50',
    goal: '≥ 0.95',
    value: right / expected,
    unit: '',
    also: { precision: right / found, 'requests for each query': requests / queries },
  })
  return right / expected
}

/**
 * Measures how many of 100 words with a typing error lead to messages with the intended word that the reader may
 * read.
 */
async function measureCorrections(
  ann: SupabaseClient,
  workspace: SearchWorkspace,
  random: () => number,
  add: AddRow,
): Promise<void> {
  const byId = new Map(workspace.messages.map((message) => [message.id, message]))
  let corrected = 0
  for (let n = 0; n < 100; n += 1) {
    const { query, meant } = createTypingError(workspace, random)
    const { hits } = await callCommand(ann, 'search_messages', argsOf(workspace, query))
    if (hits.some((hit) => hasTerm(byId.get(hit.message.id)!.folded, meant))) corrected += 1
  }
  add({
    what: 'typing errors that find the word that was meant',
    goal: '≥ 0.95',
    value: corrected / 100,
    unit: '',
  })
}

/**
 * Counts the results of random people and queries that differ from the oracle's results. The oracle compares the
 * messages that the policies show to the person. A person may also have no membership.
 */
async function countDifferences(
  { client, workspace }: Archive,
  pairs: number,
  random: () => number,
  add: AddRow,
): Promise<number> {
  const shown = new Map<Person, Set<string>>()
  for (const person of workspace.people) {
    shown.set(
      person,
      new Set(
        (await queryAs<{ id: string }>(client, person, 'select id from public.messages')).map(
          (row) => row.id,
        ),
      ),
    )
  }
  const kinds = Object.values(createQueries(workspace, random))
  let [differences, found, leaked] = [0, 0, 0]
  for (let n = 0; n < pairs; n += 1) {
    const person = workspace.people[Math.floor(random() * workspace.people.length)]!
    const query = kinds[Math.floor(random() * kinds.length)]!()
    const visible = shown.get(person)!
    const wanted = workspace.messages
      .filter((message) => visible.has(message.id) && query.matches(message))
      .map((message) => message.id)
      .toReversed()
      .slice(0, 50)
    const search = async (before: string | null): Promise<SearchResponse> => {
      try {
        return await searchAs(client, workspace, person, query, before, 50)
      } catch (error) {
        // Without a membership there is no workspace.
        if (visible.size === 0 && (error as Error).message === 'not_found')
          return { hits: [], highlights: [], next: null }
        throw error
      }
    }
    const { ids, corrected } = await collect(search, 50)
    found += ids.length + corrected.length
    const unreadable = [...ids, ...corrected].filter((id) => !visible.has(id))
    leaked += unreadable.length
    if (unreadable.length > 0) process.stderr.write(`unreadable: ${person.profile} ${unreadable.join(' ')}\n`)
    if (ids.join(' ') !== wanted.join(' ') || unreadable.length > 0) {
      differences += 1
      process.stderr.write(
        `differs: ${JSON.stringify(query)}: ${ids.length} found, ${wanted.length} expected\n`,
      )
    }
  }
  add({
    what: `differences between results and policies, of ${pairs} random people and queries`,
    goal: '0',
    value: differences,
    unit: '',
    also: { 'messages found': found, 'of them unreadable': leaked },
  })
  return differences
}

/**
 * Measures whether the time of a search reveals that a word occurs in a channel that the caller does not read. It
 * compares words that occur only there with words that occur nowhere. 0.5 means that each is slower equally often.
 */
async function measureTiming(ann: SupabaseClient, workspace: SearchWorkspace, add: AddRow): Promise<void> {
  const reader = workspace.people[0]!
  const readable = new Set<string>()
  const elsewhere = new Map<string, number>()
  for (const message of workspace.messages) {
    for (const word of message.folded.trim().split(' ')) {
      if (reader.reads.has(message.channel)) readable.add(word)
      else elsewhere.set(word, (elsewhere.get(word) ?? 0) + 1)
    }
  }
  const hidden = [...elsewhere].filter(
    ([word]) => !readable.has(word) && word.length > 4 && /^[a-z]+$/.test(word),
  )
  // Words of the same kind: readable words are as often similar to them, and the search tries those.
  const absent = workspace.vocabulary.filter(
    (word) => !readable.has(word) && !elsewhere.has(word) && word.length > 4 && /^[a-z]+$/.test(word),
  )
  if (hidden.length === 0 || absent.length === 0) return
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < 200; n += 1) {
    const pair = [hidden[n % hidden.length]![0], absent[n % absent.length]!]
    for (const which of n % 2 === 0 ? [0, 1] : [1, 0]) {
      const start = performance.now()
      await callCommand(ann, 'search_messages', { workspace: workspace.id, query: pair[which]! })
      times[which]!.push(performance.now() - start)
    }
  }
  const [here, nowhere] = times
  let slower = 0
  for (const one of here) for (const other of nowhere) slower += one > other ? 1 : one === other ? 0.5 : 0
  const share = slower / (here.length * nowhere.length)
  add({
    what: `probability that a word of unreadable channels takes longer than one that occurs nowhere, ${hidden.length} words`,
    goal: '0.42 to 0.58 (± 2.8 standard deviations of chance)',
    value: share,
    unit: '',
    ratio: percentile(here, 0.5) / percentile(nowhere, 0.5),
    against: `${percentile(nowhere, 0.5).toFixed(2)} ms p50 of absent words`,
  })
}

/** Measures the statement of a message with and without search, alternately, in transactions that are rolled back. */
async function measureSendCost(client: Client, workspace: SearchWorkspace, add: AddRow): Promise<void> {
  const reader = workspace.people[0]!
  const random = createRandom(7)
  const bodies = Array.from({ length: 50 }, () => {
    let body = ''
    for (let n = 0; n < 14; n += 1) body += `${workspace.vocabulary[Math.floor(random() ** 3 * 20_000)]!} `
    return body
  })
  const computed = await readProcessorTime(client)
  const times: [number[], number[]] = [[], []]
  const processor: [number[], number[]] = [[], []]
  for (let round = 0; round < 12; round += 1) {
    for (const without of round % 2 === 0 ? [0, 1] : [1, 0]) {
      await client.query('begin')
      if (without === 1) {
        await client.query('create rule no_search as on insert to public.message_search do instead nothing')
        await client.query(
          `create or replace function app.index_text(content text) returns tsvector
           language sql immutable as $$ select ''::tsvector $$`,
        )
      }
      await client.query(`select set_config('request.jwt.claims', $1, true)`, [
        JSON.stringify({ sub: reader.account, session_id: reader.account }),
      ])
      for (const [n, body] of bodies.entries()) {
        const before = computed()
        const start = performance.now()
        await client.query('select public.send_message($1, $2, $3)', [
          randomUUID(),
          workspace.channels[(n % 50) * 10],
          body,
        ])
        if (n < 10) continue
        times[without as 0 | 1].push(performance.now() - start)
        processor[without as 0 | 1].push(computed() - before)
      }
      await client.query('rollback')
    }
  }
  const [p50, without] = [percentile(times[0], 0.5), percentile(times[1], 0.5)]
  const [computing, computingWithout] = [percentile(processor[0], 0.5), percentile(processor[1], 0.5)]
  add({
    what: 'a message with the index, p50 of the statement without its commit',
    goal: '< 1.2×',
    value: p50,
    unit: 'ms',
    ratio: p50 / without,
    against: `${without.toFixed(2)} ms without`,
    also: { 'ms of processor': computing, 'ms of processor without': computingWithout },
  })
}
